/** The body of a request to the lane, whole, up to the limit; and what is in it. */
import type { IncomingMessage } from 'node:http';
import { type JsonDocument, parseJson } from '@throughline/shared/base/json';
import { decodeUtf8 } from '@throughline/shared/base/utf8';

const MAX_BODY = 64 * 1024 * 1024;
/** A client that sends nothing for so long has gone. */
const STALL_MILLISECONDS = 120_000;

/** The bytes, or null when there are more than 64 MiB of them. Rejects when the client goes away meanwhile, or stalls. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  let over = false;
  const timer = setTimeout(() => request.destroy(), STALL_MILLISECONDS);
  request.on('close', () => clearTimeout(timer));
  for await (const piece of request) {
    timer.refresh();
    size += (piece as Buffer).length;
    over ||= size > MAX_BODY;
    // Read to the end all the same, so that the client hears the refusal; nothing of it is kept.
    if (over) pieces.length = 0;
    else pieces.push(piece as Buffer);
    if (size > 4 * MAX_BODY) break;
  }
  clearTimeout(timer);
  return over ? null : Buffer.concat(pieces);
}

/** The document, or why there is none. */
export function documentOf(body: Uint8Array): JsonDocument | 'not-utf8' | 'not-json' {
  const text = decodeUtf8(body);
  if (text === null) return 'not-utf8';
  return parseJson(text) ?? 'not-json';
}
