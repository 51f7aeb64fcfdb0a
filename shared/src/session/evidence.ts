/**
 * What the store knows about a chain: heads that open it, and how far its path is known.
 *
 * Every answer is checked against the request's own links, so a store that answers wrongly costs a match and makes none.
 */
import type { Digest, ScopeId } from '#base/brand';
import type { Chains } from '#chain/chain';
import type { KnownPath } from '#chain/lineage';
import type { ClientSignal } from '#chain/resolution';
import { type Candidate, isElsewhere, isOpening } from '#chain/resolve';
import { DOMAINS, type Domain } from '#neutral/turn';
import type { HeadHit, SessionStore } from './store.ts';

/** Links asked for at once. The head is nearly always among the last few turns; the batches grow from there. */
const FIRST_BATCH = 8;
const LARGEST_BATCH = 512;

/** Stored heads that open the request, deepest first, down to the deepest that may be taken, with all of its ties. */
export async function storedHeads(
  store: SessionStore,
  scope: ScopeId,
  chains: Chains,
  signal: ClientSignal | null,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  const left = { 2: chains[2].links.length, 3: chains[3].links.length };
  let enough = 0;
  for (let batch = FIRST_BATCH; ; batch = Math.min(batch * 4, LARGEST_BATCH)) {
    const open = DOMAINS.filter((domain) => left[domain] > 0 && (chains[domain].covers[left[domain] - 1] ?? 0) >= enough);
    if (open.length === 0) return found;
    const hits = await Promise.all(
      open.map((domain) => {
        const links = chains[domain].links.slice(Math.max(0, left[domain] - batch), left[domain]);
        left[domain] -= links.length;
        return store.heads(scope, domain, links);
      }),
    );
    for (const candidate of hits.flat().flatMap((hit) => candidateOf(scope, chains, hit))) {
      found.push(candidate);
      if (!isElsewhere(candidate, signal)) enough = Math.max(enough, candidate.covers);
    }
  }
}

/** The hit as a candidate; nothing when its record does not really end at that link of the request. */
function candidateOf(scope: ScopeId, chains: Chains, hit: HeadHit): Candidate[] {
  const { record, domain } = hit;
  const head = record.heads[domain];
  if (record.scope !== scope || head.link !== hit.link || chains[domain].links[head.depth - 1] !== head.link) return [];
  return [
    {
      session: record.session,
      domain,
      depth: head.depth,
      covers: chains[domain].covers[head.depth - 1] ?? 0,
      head: head.link,
      opening: isOpening(record.heads[2].depth, record.heads[3].depth),
      document: record.document,
      conversation: record.conversation,
      usedAt: record.usedAt,
    },
  ];
}

/** The deepest path the store ever saw that the request begins with, in the domain where it covers more messages. */
export async function knownPath(store: SessionStore, scope: ScopeId, chains: Chains): Promise<KnownPath | null> {
  const paths = await Promise.all(DOMAINS.map((domain) => deepestIn(store, scope, domain, chains[domain].links)));
  const covers = (path: KnownPath): number => chains[path.domain].covers[path.depth - 1] ?? 0;
  return paths.reduce((best, path) => {
    if (path === null) return best;
    return best === null || covers(path) > covers(best) ? path : best;
  }, null);
}

async function deepestIn(
  store: SessionStore,
  scope: ScopeId,
  domain: Domain,
  links: readonly Digest[],
): Promise<KnownPath | null> {
  const { depth, session } = await store.deepest(scope, domain, links);
  return session === null || depth < 1 ? null : { domain, depth: Math.min(depth, links.length), session };
}
