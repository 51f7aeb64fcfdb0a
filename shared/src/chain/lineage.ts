/**
 * How a new session relates to a known one. Shown and logged; nothing that matches may read it.
 */
import type { SessionId } from '#base/brand';
import type { Domain } from '#neutral/turn';
import type { Lineage } from './resolution.ts';

/** Turns that must be shared before a fork is called one: fewer are common openings (a greeting and its answer). */
export const FORK_TURNS = 3;

/** The deepest known path that the request begins with. */
export interface KnownPath {
  readonly domain: Domain;
  readonly depth: number;
  /** A session that showed it: the first one, unless the request's own page has another. */
  readonly session: SessionId;
}

/** Lineage at birth, or null. `together`: parent and request share a page instance or a page conversation. */
export function lineageOf(path: KnownPath | null, together: boolean): Lineage | null {
  if (path === null || path.depth < (together ? 1 : FORK_TURNS)) return null;
  return { kind: 'forked', parents: [path.session], shared: path.depth };
}
