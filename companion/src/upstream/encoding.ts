/**
 * Unpacks a response body of one layer of gzip, br, deflate, or zstd where this node has it. We ask for `identity`; this is for
 * servers that pack anyway. More layers, or a coding nobody here knows, is an error: half-decoded bytes would be a lie.
 */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

export type Coding = { readonly kind: 'plain' } | { readonly kind: 'packed'; make(): Transform } | { readonly kind: 'unknown' };

/** What to do about this `content-encoding`. */
export function codingOf(header: string | readonly string[] | undefined): Coding {
  const names = (typeof header === 'string' ? [header] : (header ?? []))
    .flatMap((line) => line.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0) return { kind: 'plain' };
  if (names.length > 1) return { kind: 'unknown' };
  const sync = { flush: zlib.constants.Z_SYNC_FLUSH };
  switch (names[0]) {
    case 'gzip':
    case 'x-gzip':
      return { kind: 'packed', make: () => zlib.createGunzip(sync) };
    case 'deflate':
      return { kind: 'packed', make: () => zlib.createInflate(sync) };
    case 'br':
      return { kind: 'packed', make: () => zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH }) };
    case 'zstd': {
      const make = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;
      return make === undefined ? { kind: 'unknown' } : { kind: 'packed', make };
    }
    default:
      return { kind: 'unknown' };
  }
}
