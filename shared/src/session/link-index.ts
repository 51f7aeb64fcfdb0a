/**
 * Which sessions own a link, first come first. The memory store keeps two: of heads, and of every link observed.
 */
import type { Digest, ScopeId, SessionId } from '#base/brand';
import type { Domain } from '#neutral/turn';

export interface LinkIndex {
  add(scope: ScopeId, domain: Domain, link: Digest, session: SessionId): void;
  remove(scope: ScopeId, domain: Domain, link: Digest, session: SessionId): void;
  /** Owners in the order in which they came. */
  owners(scope: ScopeId, domain: Domain, link: Digest): readonly SessionId[];
}

/** An empty index. */
export function createLinkIndex(): LinkIndex {
  const owners = new Map<string, Set<SessionId>>();
  const key = (scope: ScopeId, domain: Domain, link: Digest): string => JSON.stringify([scope, domain, link]);
  return {
    add(scope, domain, link, session) {
      const at = key(scope, domain, link);
      owners.set(at, (owners.get(at) ?? new Set<SessionId>()).add(session));
    },
    remove(scope, domain, link, session) {
      const at = key(scope, domain, link);
      const set = owners.get(at);
      set?.delete(session);
      if (set?.size === 0) owners.delete(at);
    },
    owners: (scope, domain, link) => [...(owners.get(key(scope, domain, link)) ?? [])],
  };
}
