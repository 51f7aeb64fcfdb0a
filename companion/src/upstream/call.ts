/**
 * One call to a provider: bytes out, then head, chunks and end in, as they come. Redirects are answers like any other.
 *
 * Undici's dispatch interface is used directly: it says when the request starts on a live connection (before that nothing can be
 * at the provider), it hands out each chunk as it was read, and it can pause the socket.
 */
import type { Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { errorCode } from '../log.ts';
import { codingOf } from './encoding.ts';
import { type HeaderList, headerLines, pageHeaders, passedHeaders } from './headers.ts';

/** Largest response body after unpacking. */
const MAX_DECODED = 256 * 1024 * 1024;

export interface CallRequest {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly path: string;
  /** POST unless something else is said. */
  readonly method?: string;
  readonly headers: string[];
  readonly body: Uint8Array;
  readonly firstByteMilliseconds: number;
  readonly idleMilliseconds: number;
  /** The answer passes as it came: packed or not, of any size, with every header. */
  readonly raw?: boolean;
}

/** Called in this order: started?, head?, chunk*, then exactly one of end and failed. */
export interface CallEvents {
  /** The connection is there and the request is about to be written. */
  started(): void;
  head(status: number, statusText: string, headers: [string, string][]): void;
  chunk(bytes: Uint8Array): void;
  end(trailers: HeaderList): void;
  /** `code` never holds provider or request text. */
  failed(code: string): void;
}

export interface Call {
  pause(): void;
  resume(): void;
  /** Ends the connection; no event comes afterwards. */
  abort(): void;
}

class Stopped extends Error {
  readonly code = 'TL_STOPPED';
}

export function callUpstream(request: CallRequest, events: CallEvents): Call {
  let controller: Dispatcher.DispatchController | null = null;
  let unpack: Transform | null = null;
  let paused = false;
  let over = false;
  let total = 0;

  const finish = (last: () => void): void => {
    if (over) return;
    over = true;
    unpack?.destroy();
    last();
  };
  const fail = (code: string): void => {
    finish(() => events.failed(code));
    controller?.abort(new Stopped('stopped'));
  };
  const deliver = (bytes: Uint8Array): void => {
    if (over) return;
    total += bytes.length;
    if (total > MAX_DECODED) fail('response-too-large');
    else events.chunk(bytes);
  };
  const openUnpack = (make: () => Transform): void => {
    unpack = make();
    unpack.on('data', deliver);
    unpack.on('end', () => finish(() => events.end([])));
    unpack.on('error', () => fail('response-encoding'));
    unpack.on('drain', () => {
      if (!paused) controller?.resume();
    });
    if (paused) unpack.pause();
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (over) started.abort(new Stopped('stopped'));
      else events.started();
    },
    onResponseStart(_, status, headers, statusText) {
      if (over || status < 200) return;
      if (request.raw === true) return events.head(status, statusText ?? '', passedHeaders(headers));
      const coding = codingOf(headers['content-encoding']);
      if (coding.kind === 'unknown') return fail('response-encoding');
      if (coding.kind === 'packed') openUnpack(coding.make);
      events.head(status, statusText ?? '', pageHeaders(headers, coding.kind === 'packed'));
    },
    onResponseData(_, chunk) {
      if (over) return;
      if (request.raw === true) events.chunk(chunk);
      else if (unpack === null) deliver(chunk);
      else if (!unpack.write(chunk)) controller?.pause();
    },
    onResponseEnd(_, trailers) {
      if (unpack === null) finish(() => events.end(headerLines(trailers)));
      else if (!over) unpack.end();
    },
    onResponseError(_, error) {
      finish(() => events.failed(errorCode(error)));
    },
  };

  request.dispatcher.dispatch(
    {
      origin: request.origin,
      path: request.path,
      method: (request.method ?? 'POST') as Dispatcher.HttpMethod,
      headers: request.headers,
      body: request.body.length === 0 && request.method !== undefined ? null : request.body,
      headersTimeout: request.firstByteMilliseconds,
      bodyTimeout: request.idleMilliseconds,
    },
    handler,
  );
  return {
    pause() {
      paused = true;
      controller?.pause();
      unpack?.pause();
    },
    resume() {
      paused = false;
      unpack?.resume();
      if (unpack === null || !unpack.writableNeedDrain) controller?.resume();
    },
    abort() {
      finish(() => undefined);
      controller?.abort(new Stopped('stopped'));
    },
  };
}
