/**
 * The words both sides MAC during pairing and at every connection. Only strings: each shell has its own HMAC.
 *
 * Pairing: one-time secret P (16 random bytes, hex, from `/pair#k=P`), ephemeral ECDH P-256 public keys (raw, hex), each side's
 * message MACed with P. The pairing key K = HKDF-SHA-256(ECDH secret, salt = P bytes, info = PAIR_INFO), 32 bytes.
 * Connection: HMAC-SHA-256(K, …) over everything said so far, with a different first word per side, so nothing can be reflected.
 */

export const PAIR_INFO = 'throughline pairing key v1';

export interface PairClaim {
  readonly client: string;
  readonly origin: string;
  /** Ephemeral public key, raw P-256 point, hex. */
  readonly publicKey: string;
}

/** What the extension MACs with P in `POST /pair`. */
export function pairClaimWords(claim: PairClaim, port: number): string {
  return ['pair-client', claim.client, claim.origin, claim.publicKey, String(port)].join('\n');
}

/** What the companion MACs with P in its answer. */
export function pairAnswerWords(claim: PairClaim, companionId: string, publicKey: string, port: number): string {
  return ['pair-companion', companionId, publicKey, pairClaimWords(claim, port)].join('\n');
}

export interface HandshakeWords {
  readonly proto: number;
  readonly client: string;
  readonly clientNonce: string;
  readonly companionId: string;
  readonly companionNonce: string;
  readonly origin: string;
  readonly port: number;
  readonly store: string;
}

/** What each side MACs with K: `s` the companion's challenge, `c` the extension's proof. */
export function handshakeWords(side: 's' | 'c', words: HandshakeWords): string {
  return [
    side,
    String(words.proto),
    words.client,
    words.clientNonce,
    words.companionId,
    words.companionNonce,
    words.origin,
    String(words.port),
    words.store,
  ].join('\n');
}

/** Highest protocol both ranges contain, or null. */
export function negotiate(ours: readonly [number, number], theirs: readonly [number, number]): number | null {
  const high = Math.min(ours[1], theirs[1]);
  return high >= Math.max(ours[0], theirs[0]) ? high : null;
}
