/**
 * Requests that open no conversation: too little to identify, history held by the server, or made on the side (a title, a tag).
 *
 * They are forwarded untouched and move nothing. Calling a main request one of these costs a saving, never an attachment.
 */
import type { Environment, Exchange } from '#neutral/message';
import type { Chains } from './chain.ts';
import type { Reason } from './resolution.ts';

/** Least canon, in UTF-16 units, that can identify anything. */
export const MIN_CANON = 24;
/** An output budget up to this many tokens is one of a side request. */
export const SIDE_BUDGET = 200;

type Bypass = Extract<Reason['code'], 'server-held' | 'no-user-turn' | 'too-little'>;

/** Why the request cannot be identified at all, or null. */
export function bypassOf(exchange: Exchange, chains: Chains): Bypass | null {
  if (exchange.delta !== undefined) return 'server-held';
  if (!chains[2].roles.includes('user')) return 'no-user-turn';
  return chains[2].sizes.reduce((sum, size) => sum + size, 0) < MIN_CANON ? 'too-little' : null;
}

/**
 * Side rule S1: a small output budget and no tools. It holds only while no known chain is deeper than one turn, which the caller
 * looks up: a main request with a small budget must keep its conversation.
 */
export function hasSideBudget(environment: Environment): boolean {
  const { maxOutput, tools } = environment;
  const bare = tools === null || /^\s*(\[\s*\])?\s*$/.test(tools) || tools.trim() === 'null';
  return maxOutput !== null && maxOutput >= 1 && maxOutput <= SIDE_BUDGET && bare;
}
