/** Writing answers: status and head, then each piece flushed on its own, with the faults a test asked for. */
import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import type { LogEntry } from './log.ts';

export interface Delivery {
  readonly status: number;
  readonly type: string;
  readonly headers?: Record<string, string>;
  /** Each is one write. */
  readonly pieces: readonly string[];
  /** The pieces are a stream: each is flushed on its own. */
  readonly stream?: boolean;
  /** What is written where a fault wants the stream to fail. */
  readonly failure?: (sent: number) => string;
  readonly pace: number;
}

/** How browsers are let in: like the providers that allow direct browser access. */
export const CORS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, request-id',
};

/** Writes the answer; `entry.ended` says how it went. Never throws: a gone client is an outcome. */
export async function deliver(
  response: ServerResponse,
  delivery: Delivery,
  fault: Fault | null,
  entry: LogEntry,
): Promise<void> {
  response.on('close', () => {
    if (entry.ended === 'open') entry.ended = response.writableFinished ? 'complete' : 'aborted';
  });
  const stream = delivery.stream === true;
  const whole = delivery.pieces.join('');
  response.socket?.setNoDelay(true);
  response.writeHead(delivery.status, {
    ...CORS,
    'content-type': delivery.type,
    'x-request-id': `req_demo_${entry.n}`,
    ...(stream ? { 'cache-control': 'no-cache' } : { 'content-length': String(Buffer.byteLength(whole)) }),
    ...delivery.headers,
  });
  let written = 0;
  let stalled = false;
  for (const [sent, piece] of delivery.pieces.entries()) {
    if (response.destroyed) return;
    if (fault?.errorAfter !== undefined && delivery.failure !== undefined && written >= fault.errorAfter) {
      response.write(delivery.failure(sent));
      break;
    }
    let bytes = Buffer.from(piece, 'utf8');
    const cut = fault?.cutAfter;
    if (cut !== undefined && written + bytes.length >= cut) {
      bytes = bytes.subarray(0, Math.max(0, cut - written));
      entry.ended = 'cut';
      response.write(bytes, () => response.destroy());
      return;
    }
    if (fault?.stallAfter !== undefined && !stalled && written >= fault.stallAfter) {
      stalled = true;
      await setTimeout(fault.stall ?? 0);
    }
    written += bytes.length;
    response.write(bytes);
    if (delivery.pace > 0) await setTimeout(delivery.pace);
    else if (stream) await setImmediate();
  }
  response.end();
}
