/** The engine that tests hash with: native, so that thousands of conversations stay cheap. */
import { createHash } from 'node:crypto';
import type { Digest } from '#base/brand';
import type { Sha256 } from '#base/digest';

export const nativeSha256: Sha256 = (data) => createHash('sha256').update(data).digest('hex') as Digest;
