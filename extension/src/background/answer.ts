/**
 * What one request of a page is told, in the only order there is: `dispatched`? then `native`, or head, chunks and an end or error.
 *
 * Invariant: every request is settled exactly once; `native` is impossible after the head; nothing is said after a settlement. A
 * second settlement is ignored, so a caller that is unsure may always settle.
 *
 * Chunks of up to 8 ms travel in one message (each stays its own read in the page), the first at once.
 */
import { encodeBase64 } from '../base64.ts';
import type { BackgroundToContent } from '../messages.ts';

const COALESCE_MS = 8;
/** Do not hold back more than this, whatever the clock says. */
const COALESCE_BYTES = 256 * 1024;

export interface Answer {
  readonly id: number;
  readonly settled: () => boolean;
  readonly headed: () => boolean;
  dispatched(resend: boolean): void;
  native(code: string): void;
  head(status: number, statusText: string, headers: readonly (readonly [string, string])[]): void;
  chunk(bytes: Uint8Array): void;
  end(): void;
  error(message: string): void;
  /** The page gave up or is gone: settled, nothing more is said. */
  drop(): void;
}

export interface AnswerWorld {
  readonly post: (message: BackgroundToContent) => void;
  /** Whether the port carries bytes; otherwise chunks go as base64. */
  readonly bytes: boolean;
  /** Called once, when the request is settled, with the code of a native answer. */
  readonly onSettled: (native: string | null) => void;
}

export function createAnswer(id: number, world: AnswerWorld): Answer {
  let settled = false;
  let headed = false;
  let waiting: Uint8Array[] = [];
  let held = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;

  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting.length === 0) return;
    const chunks = world.bytes ? waiting : waiting.map(encodeBase64);
    waiting = [];
    held = 0;
    world.post({ t: 'chunks', id, chunks });
  };

  const settle = (message: BackgroundToContent | null, code: string | null) => {
    if (settled) return;
    if (message) flush();
    else if (timer !== null) clearTimeout(timer);
    settled = true;
    if (message) world.post(message);
    world.onSettled(code);
  };

  return {
    id,
    settled: () => settled,
    headed: () => headed,
    dispatched(resend) {
      if (!settled) world.post({ t: 'dispatched', id, resend });
    },
    native(code) {
      if (headed) settle({ t: 'error', id, message: 'The connection was lost.' }, null);
      else settle({ t: 'native', id, code }, code);
    },
    head(status, statusText, headers) {
      if (settled || headed) return;
      headed = true;
      world.post({ t: 'head', id, status, statusText, headers });
    },
    chunk(bytes) {
      if (settled || !headed) return;
      waiting.push(bytes);
      held += bytes.length;
      if (timer === null) {
        // The first of a burst goes at once; what follows within 8 ms goes together.
        flush();
        timer = setTimeout(() => {
          timer = null;
          flush();
        }, COALESCE_MS);
      } else if (held >= COALESCE_BYTES) flush();
    },
    end: () => settle(headed ? { t: 'end', id } : { t: 'error', id, message: 'The answer ended before it began.' }, null),
    error: (message) => settle({ t: 'error', id, message }, null),
    drop: () => settle(null, null),
  };
}
