/**
 * Binary frames: `[u8 kind][u32 stream, big endian][payload]`. Each response chunk is one frame, so chunk boundaries survive.
 */

export const BODY_PIECE = 1;
export const BODY_LAST = 2;
export const CHUNK = 3;
export type BinaryKind = typeof BODY_PIECE | typeof BODY_LAST | typeof CHUNK;

const HEADER = 5;

export interface BinaryFrame {
  readonly kind: BinaryKind;
  readonly stream: number;
  readonly payload: Uint8Array;
}

/** The frame's bytes (payload copied). */
export function renderBinary(kind: BinaryKind, stream: number, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER + payload.length);
  frame[0] = kind;
  new DataView(frame.buffer).setUint32(1, stream);
  frame.set(payload, HEADER);
  return frame;
}

/** The frame in these bytes (payload is a view), or null when they are none. */
export function parseBinary(bytes: Uint8Array): BinaryFrame | null {
  if (bytes.length < HEADER) return null;
  const kind = bytes[0];
  if (kind !== BODY_PIECE && kind !== BODY_LAST && kind !== CHUNK) return null;
  const stream = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
  return { kind, stream, payload: bytes.subarray(HEADER) };
}
