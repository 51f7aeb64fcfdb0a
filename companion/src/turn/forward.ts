/**
 * Sends a prepared request and passes the answer on, byte for byte, chunk for chunk.
 *
 * At most one second attempt: a folded request that the provider refuses with 400, 413 or 422 is sent once more as the page wrote
 * it, before any byte of an answer was delivered. Everything else the provider says goes to the page as it is.
 */
import { type Overflow, overflowOf } from '@throughline/shared/wire/overflow';
import type { Answer, StreamDecoder } from '@throughline/shared/wire/wire';
import { type Call, type CallRequest, callUpstream } from '../upstream/call.ts';
import { type HeaderList, ownHeaders } from '../upstream/headers.ts';
import { createFlow, type Flow } from './flow.ts';
import type { Prepared } from './prepare.ts';
import { tapFor, textOf } from './tap.ts';

const MAY_BE_OUR_FAULT = new Set([400, 413, 422]);
/** Bytes of a refusal that are looked at for the window it states. */
const MAX_REFUSAL = 64 * 1024;

export interface Delivered {
  readonly answer: Answer | null;
  readonly status: number;
  readonly resent: boolean;
  /** Blocks that stood in the request the provider refused. */
  readonly quarantine: readonly string[];
  /** The provider called the request too long. */
  readonly overflow: Overflow | null;
  /** What the provider said behind its answer. */
  readonly trailers: HeaderList;
}

/** Where an answer goes, whichever lane asked for it. */
export interface Sink {
  /** `resent`: the provider refused what was folded, and this answers the request as its client wrote it. */
  head(status: number, statusText: string, headers: [string, string][], resent: boolean): void;
  chunk(bytes: Uint8Array): void;
}

export interface ForwardEvents {
  /** Bytes may be at the provider from here on. */
  dispatched(): void;
  delivered(result: Delivered): void;
  /** Before `dispatched` the page's own request can go out; afterwards it cannot. */
  failed(code: string): void;
}

export interface Forwarding {
  readonly flow: Flow;
  /** Ends the call. What was delivered when the wire's own end had been seen by then, else null. */
  abort(): Delivered | null;
}

export function forward(prepared: Prepared, request: Omit<CallRequest, 'body'>, sink: Sink, events: ForwardEvents): Forwarding {
  const flow = createFlow();
  let call: Call;
  let dispatched = false;
  let whole: () => Delivered | null = () => null;

  const attempt = (body: Uint8Array, resent: boolean): void => {
    let status = 0;
    let decoder: StreamDecoder | null = null;
    let refusal: Buffer[] | null = null;
    let refusalSize = 0;
    let said: HeaderList = [];
    const folded = prepared.blocks.length > 0 && !resent;
    const result = (trailers: Delivered['trailers'] = []): Delivered => {
      const overflow = refusal === null ? null : overflowOf(status, textOf(said, Buffer.concat(refusal)));
      const success = status >= 200 && status < 300;
      return {
        answer: decoder?.end() ?? null,
        status,
        resent,
        quarantine: resent && success ? prepared.blocks : [],
        overflow,
        trailers,
      };
    };
    whole = () => {
      const delivered = decoder === null ? null : result();
      return delivered?.answer?.outcome === 'complete' ? delivered : null;
    };
    call = callUpstream(
      { ...request, headers: resent ? ownHeaders(request.headers) : request.headers, body },
      {
        started() {
          if (dispatched) return;
          dispatched = true;
          events.dispatched();
        },
        head(given, statusText, headers) {
          status = given;
          said = headers;
          if (folded && MAY_BE_OUR_FAULT.has(status)) {
            call.abort();
            attempt(prepared.source, true);
            return;
          }
          if (status >= 200 && status < 300) {
            decoder = tapFor(prepared.wire, headers);
          } else refusal = [];
          sink.head(status, statusText, headers, resent);
        },
        chunk(bytes) {
          sink.chunk(bytes);
          flow.sent(bytes.length);
          decoder?.feed(bytes);
          if (refusal !== null && refusalSize < MAX_REFUSAL) {
            refusal.push(Buffer.from(bytes));
            refusalSize += bytes.length;
          }
        },
        end: (trailers) => events.delivered(result(trailers)),
        failed: (code) => events.failed(code),
      },
    );
    flow.use(call);
  };

  attempt(prepared.body, false);
  return {
    flow,
    abort() {
      call.abort();
      return whole();
    },
  };
}
