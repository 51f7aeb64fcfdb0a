/**
 * Ends of side requests, remembered for a while: when a later request goes on from one, it was the main line after all.
 *
 * In memory only and bounded, the longest unnoted go first: an end that is forgotten costs a conversation that stays unfolded, and
 * a wrong one cannot exist, since links are equal only for equal turns. Nothing here belongs to a session.
 */
import type { Digest, ScopeId } from '#base/brand';
import type { Chains } from '#chain/chain';
import { DOMAINS, type Domain } from '#neutral/turn';

export interface Asides {
  /** True when a side request of this scope ended at the link. */
  has(scope: ScopeId, domain: Domain, link: Digest): boolean;
  /** Remembers where a side request ends, in both domains. */
  note(scope: ScopeId, chains: Chains): void;
}

/** Ends kept by default: two per side request. */
const LIMIT = 1024;

/** An empty memory. One per process is enough: scopes are kept apart. */
export function createAsides(limit = LIMIT): Asides {
  const ends = new Set<string>();
  const key = (scope: ScopeId, domain: Domain, link: Digest): string => JSON.stringify([scope, domain, link]);
  return {
    has: (scope, domain, link) => ends.has(key(scope, domain, link)),
    note(scope, chains) {
      for (const domain of DOMAINS) {
        const end = chains[domain].links.at(-1);
        if (end === undefined) continue;
        ends.delete(key(scope, domain, end));
        ends.add(key(scope, domain, end));
      }
      for (const oldest of ends) {
        if (ends.size <= limit) break;
        ends.delete(oldest);
      }
    },
  };
}
