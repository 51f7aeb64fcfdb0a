/** A frame as text, if the connection survives it. */
import { encodeUtf8 } from '@throughline/shared/base/utf8';
import { renderFrame } from '@throughline/shared/protocol/codec';
import type { ExtensionToCompanion } from '@throughline/shared/protocol/frames';

/** Bytes. The other side closes the connection above 96 MiB, and with it every stream on it. */
const MAX_FRAME = 90 * 1024 * 1024;

/** Null when the frame is too large to be sent. */
export function fitting(frame: ExtensionToCompanion, limit = MAX_FRAME): string | null {
  try {
    const text = renderFrame(frame);
    // A UTF-16 unit is at most three bytes.
    return text.length * 3 <= limit || (text.length <= limit && encodeUtf8(text).length <= limit) ? text : null;
  } catch {
    // Longer than a string can be.
    return null;
  }
}
