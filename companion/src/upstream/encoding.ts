/**
 * Unpacks a response body of one layer of gzip, br, deflate, or zstd where this node has it. We ask for `identity`; this is for
 * servers that pack anyway. More layers, or a coding nobody here knows, is an error: half-decoded bytes would be a lie.
 */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

export type Coding =
  | { readonly kind: 'plain' }
  | {
      readonly kind: 'packed';
      make(): Transform;
      /** All of it at once, also what was cut off. Throws when it makes no sense, or too much of it. */
      whole(bytes: Uint8Array): Uint8Array;
    }
  | { readonly kind: 'unknown' };

/** Unpacked in one step, while everybody waits. */
const MAX_WHOLE = 32 * 1024 * 1024;

type Zstd = {
  readonly createZstdDecompress?: () => Transform;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;
};

/** What to do about this `content-encoding`. */
export function codingOf(header: string | readonly string[] | undefined): Coding {
  const names = (typeof header === 'string' ? [header] : (header ?? []))
    .flatMap((line) => line.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0) return { kind: 'plain' };
  if (names.length > 1) return { kind: 'unknown' };
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
  const sync = { flush: Z_SYNC_FLUSH };
  const limit = { maxOutputLength: MAX_WHOLE };
  const cut = { finishFlush: Z_SYNC_FLUSH, ...limit };
  switch (names[0]) {
    case 'gzip':
    case 'x-gzip':
      return { kind: 'packed', make: () => zlib.createGunzip(sync), whole: (bytes) => zlib.gunzipSync(bytes, cut) };
    case 'deflate':
      return { kind: 'packed', make: () => zlib.createInflate(sync), whole: (bytes) => zlib.inflateSync(bytes, cut) };
    case 'br':
      return {
        kind: 'packed',
        make: () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH }),
        whole: (bytes) => zlib.brotliDecompressSync(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, ...limit }),
      };
    case 'zstd': {
      const { createZstdDecompress: make, zstdDecompressSync: whole } = zlib as Zstd;
      if (make === undefined || whole === undefined) return { kind: 'unknown' };
      return { kind: 'packed', make, whole: (bytes) => whole(bytes, limit) };
    }
    default:
      return { kind: 'unknown' };
  }
}

/** The `accept-encoding` without the codings that cannot be unpacked here; `identity` when none is left. */
export function readableCodings(accepted: string): string {
  const wanted = accepted.split(',');
  const readable = wanted.filter((one) => {
    const name = one.split(';', 1)[0]?.trim() ?? '';
    return name === '*' || name === '' || codingOf(name).kind !== 'unknown';
  });
  if (readable.length === wanted.length) return accepted;
  return readable.join(',').trim() || 'identity';
}
