/**
 * The chain of an exchange: `link_0 = sha256(NUL + canon_0)`, `link_i = sha256(link_{i-1} + NUL + canon_i)`, in two domains.
 *
 * Invariant: equal links mean byte-equal turns from the first one on. What both domains spell alike is hashed once: items by
 * their canonical form, links as long as the domains have not parted.
 */
import type { Digest } from '#base/brand';
import type { Hashing } from '#base/digest';
import { canonOf } from '#neutral/canon';
import type { Exchange } from '#neutral/message';
import { project } from '#neutral/project';
import type { Domain, Projection } from '#neutral/turn';

export interface Chain {
  readonly domain: Domain;
  /** `links[i]` covers turns 0..i; the last one is the head. */
  readonly links: readonly Digest[];
  /** `items[i] = sha256(canon_i)`: position independent, for lineage only. */
  readonly items: readonly Digest[];
  /** Roles of the turns, for rules that count user turns. */
  readonly roles: readonly string[];
  /** Length of canon_i in UTF-16 units. */
  readonly sizes: readonly number[];
  /** `covers[i]`: number of leading messages of the exchange that turns 0..i account for (for comparing depth between domains). */
  readonly covers: readonly number[];
}

/** One exchange's chains: always both domains (they share digests where the canonical forms agree). */
export type Chains = { readonly [D in Domain]: Chain };

/** Digests already known, so that nothing is hashed twice. */
export interface KnownDigests {
  /** Canonical form to item. */
  readonly items: Map<string, Digest>;
  /** Canonical form to link, by the link before it. */
  readonly links: Map<string, Map<string, Digest>>;
}

/** An empty stock of known digests; keep it only as long as one exchange is worked on (it holds the texts). */
export function knownDigests(): KnownDigests {
  return { items: new Map(), links: new Map() };
}

/** A chain of no turns. */
export function emptyChain(domain: Domain): Chain {
  return { domain, links: [], items: [], roles: [], sizes: [], covers: [] };
}

/** Both chains of a request. */
export function* chainsOf(exchange: Exchange): Hashing<Chains> {
  const known = knownDigests();
  const second = yield* extendChain(emptyChain(2), project(exchange, 2), known);
  const third = yield* extendChain(emptyChain(3), project(exchange, 3), known);
  return { 2: second, 3: third };
}

/** The chain with further turns appended; `chain` itself is not changed. The spans count messages of the whole exchange. */
export function* extendChain(
  chain: Chain,
  added: Pick<Projection, 'turns' | 'spans'>,
  known: KnownDigests = knownDigests(),
): Hashing<Chain> {
  const links = [...chain.links];
  const items = [...chain.items];
  const roles = [...chain.roles];
  const sizes = [...chain.sizes];
  const covers = [...chain.covers];
  for (const [index, turn] of added.turns.entries()) {
    const canon = canonOf(turn);
    const item = known.items.get(canon) ?? (yield canon);
    known.items.set(canon, item);
    const before = links.at(-1) ?? '';
    const siblings = known.links.get(before) ?? new Map<string, Digest>();
    known.links.set(before, siblings);
    const link = siblings.get(canon) ?? (yield `${before}\u0000${canon}`);
    siblings.set(canon, link);
    links.push(link);
    items.push(item);
    roles.push(turn.role);
    sizes.push(canon.length);
    covers.push(Math.max(covers.at(-1) ?? 0, (added.spans[index]?.at(-1) ?? -1) + 1));
  }
  return { domain: chain.domain, links, items, roles, sizes, covers };
}

/** True when every turn of `earlier` opens `later`: the same conversation, or its continuation, in either domain. */
export function continues(later: Chains, earlier: Chains): boolean {
  return passes(later[2], earlier[2]) || passes(later[3], earlier[3]);
}

function passes(later: Chain, earlier: Chain): boolean {
  const head = earlier.links.at(-1);
  return head !== undefined && later.links[earlier.links.length - 1] === head;
}
