/**
 * How a completed request moves the heads of its session, and which links it adds.
 */
import type { Digest } from '#base/brand';
import type { Chain, Chains } from '#chain/chain';
import type { Resolution } from '#chain/resolution';
import { DOMAINS, type Domain } from '#neutral/turn';
import type { Head, LinkRow, SessionRecord } from './records.ts';

/** True when the chain continues (or repeats) this head. */
function continues(chain: Chain, head: Head): boolean {
  return head.depth > 0 && chain.links[head.depth - 1] === head.link;
}

function headOf(chain: Chain): Head {
  return { link: chain.links.at(-1) ?? ('' as Digest), depth: chain.links.length };
}

/**
 * The new links, shallow to deep: what follows the old head where the chain continues it, else all of them (stores keep the first
 * observer of a link, so a repeated one costs nothing).
 */
export function newLinks(chains: Chains, record: SessionRecord): readonly LinkRow[] {
  return DOMAINS.flatMap((domain: Domain) => {
    const chain = chains[domain];
    const from = record.rev > 0 && continues(chain, record.heads[domain]) ? record.heads[domain].depth : 0;
    return chain.links.slice(from).map((link, index) => ({
      domain,
      link,
      parent: chain.links[from + index - 1] ?? null,
      item: chain.items[from + index] as Digest,
      depth: from + index + 1,
    }));
  });
}

/**
 * The head moves only to a chain that extends it: a request that ends after its own continuation (an identical resend, a slow
 * answer) must not move it back, and other views under a declared id are recorded as branches. A signal re-anchors it.
 */
export function nextHeads(opened: {
  readonly record: SessionRecord;
  readonly chains: Chains;
  readonly resolution: Resolution;
}): SessionRecord['heads'] {
  const { record, chains, resolution } = opened;
  const guarded = record.rev > 0 && resolution.via !== 'signal';
  if (guarded && !DOMAINS.some((domain) => continues(chains[domain], record.heads[domain]))) return record.heads;
  return { 2: headOf(chains[2]), 3: headOf(chains[3]) };
}
