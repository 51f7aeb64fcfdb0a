/**
 * What listens to an answer: the wire's decoder, behind an unpacker where the answer passes packed.
 *
 * A packed answer is unpacked once, when it is over. What cannot be unpacked, or is too large, is not understood: the answer itself has
 * passed all the same.
 */
import type { StreamDecoder, Wire } from '@throughline/shared/wire/wire';
import { codingOf } from '../upstream/encoding.ts';
import type { HeaderList } from '../upstream/headers.ts';

/** Packed bytes that are held. */
const MAX_PACKED = 16 * 1024 * 1024;

/** What a short answer with these headers says. */
export function textOf(headers: HeaderList, bytes: Uint8Array): string {
  const coding = codingOf(headers.find(([name]) => name === 'content-encoding')?.[1]);
  if (coding.kind !== 'packed') return Buffer.from(bytes).toString('utf8');
  try {
    return Buffer.from(coding.whole(bytes)).toString('utf8');
  } catch {
    return ''; // not what it says it is
  }
}

/** The listener for an answer with these headers, or null when nobody here can read it. */
export function tapFor(wire: Wire, headers: HeaderList): StreamDecoder | null {
  const named = (wanted: string): string | undefined => headers.find(([name]) => name === wanted)?.[1];
  const coding = codingOf(named('content-encoding'));
  if (coding.kind === 'unknown') return null;
  const decoder = wire.decoder(named('content-type') ?? '');
  if (coding.kind === 'plain') return decoder;
  let held: Uint8Array[] = [];
  let size = 0;
  return {
    feed(chunk) {
      size += chunk.length;
      if (size <= MAX_PACKED) held.push(Buffer.from(chunk));
      else held = [];
    },
    end() {
      try {
        if (size <= MAX_PACKED) decoder.feed(coding.whole(Buffer.concat(held)));
      } catch {
        // Not what it says it is: the decoder, which has seen nothing, says that the answer is incomplete.
      }
      return decoder.end();
    },
  };
}
