/**
 * Hashing without choosing a hash engine.
 *
 * The chain is written once as a generator that yields what to hash and receives the digest; a shell drives it with whatever
 * its world is fast at (`node:crypto` in the companion, `crypto.subtle` in the extension). Everything that must stay synchronous
 * (core ids, media) receives a `Sha256`.
 */
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Digest } from './brand.ts';
import { encodeUtf8 } from './utf8.ts';

/** Synchronous sha256 of UTF-8 text or bytes, as lower-case hex. */
export type Sha256 = (data: string | Uint8Array) => Digest;
/** Asynchronous twin, for worlds whose fast engine is async. */
export type Sha256Async = (data: string | Uint8Array) => Promise<Digest>;
/** A computation that asks for digests: yields data, receives hex, returns its result. */
export type Hashing<T> = Generator<string | Uint8Array, T, Digest>;

/** The synchronous engine that works in every world (slower than native: for small inputs and tests). */
export const sha256: Sha256 = (data) => bytesToHex(nobleSha256(typeof data === 'string' ? encodeUtf8(data) : data)) as Digest;

/** Runs a hashing computation with a synchronous engine. */
export function drive<T>(hashing: Hashing<T>, hash: Sha256): T {
  let step = hashing.next();
  while (!step.done) step = hashing.next(hash(step.value));
  return step.value;
}

/** Runs a hashing computation with an asynchronous engine, one digest at a time (the chain is sequential by nature). */
export async function driveAsync<T>(hashing: Hashing<T>, hash: Sha256Async): Promise<T> {
  let step = hashing.next();
  while (!step.done) step = hashing.next(await hash(step.value));
  return step.value;
}
