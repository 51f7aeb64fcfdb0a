/**
 * What one request may measure before it is left to the page: the limits of the frames that would carry it.
 *
 * Failure direction: native, with a code for the popup.
 */
import type { PageRequest } from '../messages.ts';

const MAX_BODY = 64 * 1024 * 1024;
/** The page's origin goes along as one more. */
const MAX_HEADERS = 127;
const MAX_NAME = 256;
const MAX_TEXT = 16_384;

/** Whether the companion takes a request of this shape. */
export function withinLimits({ url, headers }: PageRequest, bytes: number): boolean {
  return (
    bytes <= MAX_BODY &&
    url.length <= MAX_TEXT &&
    headers.length <= MAX_HEADERS &&
    headers.every(([name, value]) => name.length <= MAX_NAME && value.length <= MAX_TEXT)
  );
}
