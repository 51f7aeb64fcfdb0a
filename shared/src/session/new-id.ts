/**
 * Ids for new sessions: `tl-` and 16 hex of sha256(scope, tail link, depth, salt), salted while taken.
 *
 * Taken means: stored, forgotten (an id is never given twice) or carried by a request under way. Without salt the id depends on
 * content alone, so a store that was lost derives the same one again.
 */
import type { ScopeId, SessionId } from '#base/brand';
import type { Sha256 } from '#base/digest';
import type { Chain } from '#chain/chain';
import type { SessionStore } from './store.ts';

export interface IdRequest {
  readonly store: SessionStore;
  readonly scope: ScopeId;
  readonly chain: Chain;
  /** Ids of requests under way. */
  readonly underway: Iterable<SessionId>;
  readonly hash: Sha256;
  /** Whoever else gives ids in this scope, from another store, must never give the same one: a word that only this giver uses. */
  readonly realm?: string;
}

/** An id that nobody owns. */
export async function newId(request: IdRequest): Promise<SessionId> {
  const { store, scope, chain, hash } = request;
  const reserved = new Set<SessionId>(request.underway);
  for (const tombstone of await store.tombstones(scope)) if (tombstone.session !== null) reserved.add(tombstone.session);
  const realm = request.realm === undefined ? '' : `\u0000${request.realm}`;
  const seed = `${scope}\u0000${chain.links.at(-1) ?? ''}\u0000${chain.links.length}${realm}`;
  const salted = (salt: number): SessionId => `tl-${hash(`${seed}\u0000${salt}`).slice(0, 16)}` as SessionId;
  const isTaken = async (id: SessionId): Promise<boolean> => reserved.has(id) || (await store.load(scope, id)) !== null;

  // Common openings are taken many times over: leap to a free salt, then close in on the first free one after a taken one.
  let taken = -1;
  let free = 0;
  while (await isTaken(salted(free))) {
    taken = free;
    free = free * 2 + 1;
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(salted(middle))) taken = middle;
    else free = middle;
  }
  return salted(free);
}
