/** The companion's hash engine: `node:crypto`, synchronous. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Digest } from '@throughline/shared/base/brand';
import type { Sha256 } from '@throughline/shared/base/digest';

export const nodeSha256: Sha256 = (data) => createHash('sha256').update(data).digest('hex') as Digest;

/** HMAC-SHA-256 of the words, lower-case hex. */
export function hmacHex(key: Uint8Array, words: string): string {
  return createHmac('sha256', key).update(words, 'utf8').digest('hex');
}

/** Compares two secrets given as text in time that depends on neither. */
export function sameSecret(left: string, right: string): boolean {
  const key = comparisonKey;
  return timingSafeEqual(createHmac('sha256', key).update(left).digest(), createHmac('sha256', key).update(right).digest());
}

const comparisonKey = randomBytes(32);

/** `bytes` random bytes as lower-case hex. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
