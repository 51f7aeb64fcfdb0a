/**
 * Collects the body of one `turn.open` from its binary frames and rebuilds it: the whole body, or prefix + middle + suffix of a
 * body we still hold. Nothing is believed: length and digest of the result are checked.
 */
import { applyDelta } from '@throughline/shared/protocol/delta';
import type { TurnOpen } from '@throughline/shared/protocol/frames';
import { nodeSha256 } from '../hash.ts';
import type { Bodies } from './bodies.ts';

/** Largest request body. */
const MAX_BODY = 64 * 1024 * 1024;

type Received =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  /** The base is not here or is another one: the whole body must be sent. */
  | { readonly kind: 'resync' }
  | { readonly kind: 'refused'; readonly code: 'body-too-large' | 'body-digest' };

export interface Receiver {
  /** False when the body has grown past the limit. */
  add(piece: Uint8Array): boolean;
  finish(): Received;
}

export function createReceiver(open: TurnOpen, scope: string, bodies: Bodies, whole: boolean): Receiver {
  const pieces: Uint8Array[] = [];
  let length = 0;
  return {
    add(piece) {
      length += piece.length;
      if (length > MAX_BODY || open.body.length > MAX_BODY) return false;
      pieces.push(piece);
      return true;
    },
    finish() {
      if (length > MAX_BODY || open.body.length > MAX_BODY) return { kind: 'refused', code: 'body-too-large' };
      const sent = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
      const bytes = whole || open.base === null ? sent : rebuilt(open, open.base, sent, bodies.get(scope, open.base.digest));
      if (bytes !== null && bytes.length === open.body.length && nodeSha256(bytes) === open.body.digest) {
        bodies.put(scope, open.body.digest, bytes);
        return { kind: 'body', bytes };
      }
      return whole || open.base === null ? { kind: 'refused', code: 'body-digest' } : { kind: 'resync' };
    },
  };
}

function rebuilt(
  open: TurnOpen,
  base: NonNullable<TurnOpen['base']>,
  middle: Uint8Array,
  held: Uint8Array | null,
): Uint8Array | null {
  if (held === null || base.prefix + base.suffix + middle.length !== open.body.length) return null;
  return applyDelta(held, base.prefix, base.suffix, middle);
}
