/**
 * The chain of an exchange: `link_0 = sha256(NUL + canon_0)`, `link_i = sha256(link_{i-1} + NUL + canon_i)`, in two domains.
 */
import type { Digest } from '#base/brand';
import type { Domain } from '#neutral/turn';

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
  /** `messages[i]`: number of messages of the exchange that turns 0..i cover (for comparing depth between domains). */
  readonly covers: readonly number[];
}

/** One exchange's chains: always both domains (they share digests where the canonical forms agree). */
export type Chains = { readonly [D in Domain]: Chain };
