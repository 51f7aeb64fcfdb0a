/**
 * Is this a request on the side (rule S1)? It has a small output budget, no tools, and nothing deeper than one turn is known of its
 * chain. Never side: a request over its window, and one that goes on from where a side request ended, which was then the first
 * turn of a conversation with small answers.
 */
import type { ScopeId } from '#base/brand';
import type { Sha256 } from '#base/digest';
import { hasSideBudget } from '#chain/aside';
import type { Chains } from '#chain/chain';
import type { KnownPath } from '#chain/lineage';
import { weigh } from '#fold/budget';
import { coresOf } from '#fold/core';
import { exceedsWindow } from '#fold/outgoing';
import { windowOf } from '#fold/windows';
import type { Exchange } from '#neutral/message';
import { DOMAINS } from '#neutral/turn';
import type { Asides } from './asides.ts';
import { knownPath } from './evidence.ts';
import type { SessionStore } from './store.ts';

export interface SideQuestion {
  readonly store: SessionStore;
  readonly scope: ScopeId;
  readonly exchange: Exchange;
  readonly chains: Chains;
  readonly hash: Sha256;
  /** Ends of earlier side requests; without them a side request that was the main line stays one. */
  readonly asides?: Asides;
  /** The configured window in tokens, where there is one; the model's own is looked up. */
  readonly configuredWindow?: number | null;
}

/** Whether the request is side. Notes where it ends when it is. */
export async function isSide(question: SideQuestion): Promise<boolean> {
  const { store, scope, exchange, chains, asides } = question;
  if (!hasSideBudget(exchange.environment)) return false;
  const known = await knownPath(store, scope, chains);
  if ((known?.depth ?? 0) > 1 || goesOn(question, known) || isOverWindow(question)) return false;
  asides?.note(scope, chains);
  return true;
}

/** True when the request passes the end of a side request that no session has taken up, and adds to it. */
function goesOn({ scope, chains, asides }: SideQuestion, known: KnownPath | null): boolean {
  if (asides === undefined) return false;
  const taken = known === null ? 0 : (chains[known.domain].covers[known.depth - 1] ?? 0);
  return DOMAINS.some((domain) => {
    const { links, covers } = chains[domain];
    return links.slice(0, -1).some((link, index) => (covers[index] ?? 0) > taken && asides.has(scope, domain, link));
  });
}

function isOverWindow({ exchange, hash, configuredWindow }: SideQuestion): boolean {
  const { model, maxOutput, window } = exchange.environment;
  const { tokens } = windowOf(model, configuredWindow ?? null, window);
  return tokens !== null && exceedsWindow(weigh(exchange, coresOf(exchange, hash)).total, maxOutput, tokens);
}
