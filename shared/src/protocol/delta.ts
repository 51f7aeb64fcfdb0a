/**
 * Byte delta between two bodies of one session: copy a prefix of the base, new bytes, copy a suffix of the base.
 *
 * A replayed history changes near its end, so this one splice is enough to make an upload follow the new tail, not the history.
 * A wrong delta cannot do harm: the receiver checks the digest of the whole body and asks for it when they differ.
 */

export interface Delta {
  /** Bytes taken from the start of the base. */
  readonly prefix: number;
  /** Bytes taken from the end of the base. Never overlaps the prefix, in the base or in the result. */
  readonly suffix: number;
}

/** The longest common prefix, then the longest common suffix of what is left. */
export function computeDelta(base: Uint8Array, next: Uint8Array): Delta {
  const limit = Math.min(base.length, next.length);
  let prefix = 0;
  while (prefix < limit && base[prefix] === next[prefix]) prefix += 1;
  const rest = limit - prefix;
  let suffix = 0;
  while (suffix < rest && base[base.length - 1 - suffix] === next[next.length - 1 - suffix]) suffix += 1;
  return { prefix, suffix };
}

/** The bytes of `next` that the base does not give (a view). */
export function deltaMiddle(next: Uint8Array, delta: Delta): Uint8Array {
  return next.subarray(delta.prefix, next.length - delta.suffix);
}

/** The rebuilt body, or null when the base is too short for such a delta. */
export function applyDelta(base: Uint8Array, prefix: number, suffix: number, middle: Uint8Array): Uint8Array | null {
  if (prefix < 0 || suffix < 0 || prefix + suffix > base.length) return null;
  const next = new Uint8Array(prefix + middle.length + suffix);
  next.set(base.subarray(0, prefix), 0);
  next.set(middle, prefix);
  next.set(base.subarray(base.length - suffix), prefix + middle.length);
  return next;
}
