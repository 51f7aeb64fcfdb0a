/**
 * A Response that the page cannot tell from the browser's own, fed chunk by chunk.
 *
 * Invariant: every upstream chunk is one read; bytes are credited when the page takes them, never before; nothing is invented: a
 * stream ends only because the upstream ended, and otherwise errors. Failure direction: a network error, as the browser words it.
 */

const { Response: NativeResponse, Headers: NativeHeaders, ReadableStream: NativeStream } = globalThis;

/** Of an answer, as far as the page may see it. */
export interface Head {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
}

export interface Target {
  readonly url: string;
  readonly sameOrigin: boolean;
}

export interface Feed {
  readonly stream: ReadableStream<Uint8Array>;
  push(chunks: readonly Uint8Array[]): void;
  /** The upstream ended: the stream closes behind the chunks it still holds. */
  end(): void;
  /** Behind the chunks it still holds, or at once. */
  fail(reason: unknown, at: 'behind' | 'once'): void;
}

/** A pulled byte stream. `onRead` hears how many bytes the page took, `onCancel` that it wants no more. */
export function createFeed(onRead: (bytes: number) => void, onCancel: () => void): Feed {
  const queue: Uint8Array[] = [];
  let last: { readonly reason: unknown } | 'end' | null = null;
  let wanted: (() => void) | null = null;
  let closed = false;
  let controller: ReadableByteStreamController | null = null;

  function answer(): void {
    if (closed || !controller || !wanted) return;
    const chunk = queue.shift();
    if (chunk) {
      const bytes = chunk.byteLength;
      // Enqueueing takes the buffer away: a view into a shared one is copied first.
      controller.enqueue((bytes === chunk.buffer.byteLength ? chunk : chunk.slice()) as Uint8Array<ArrayBuffer>);
      onRead(bytes);
    } else if (last === null) return;
    if (last !== null && queue.length === 0) close();
    wanted?.();
    wanted = null;
  }

  function close(): void {
    if (closed || !controller) return;
    closed = true;
    if (last === 'end') {
      controller.close();
      controller.byobRequest?.respond(0);
    } else controller.error(last?.reason);
  }

  /** An end with nothing before it is told at once, without waiting for a read: `reader.closed` depends on it. */
  function settle(): void {
    if (queue.length === 0) close();
    wanted?.();
  }

  const stream = new NativeStream({
    type: 'bytes',
    start: (c) => {
      controller = c;
    },
    pull: () =>
      new Promise<void>((resolve) => {
        wanted = resolve;
        answer();
      }),
    cancel: () => {
      closed = true;
      queue.length = 0;
      onCancel();
    },
  }) as ReadableStream<Uint8Array>;
  return {
    stream,
    push(chunks) {
      if (closed || last !== null) return;
      for (const chunk of chunks) if (chunk.byteLength > 0) queue.push(chunk);
      answer();
    },
    end() {
      last ??= 'end';
      settle();
    },
    fail(reason, at) {
      if (at === 'once') {
        queue.length = 0;
        last = { reason };
      } else last ??= { reason };
      settle();
    },
  };
}

const NO_BODY = /^(?:20[45]|304)$/;

const frozen = NativeResponse.error().headers;

/** Gives the response what only the network layer can: url, type and the same of its clones. Not enumerable, as on a native one. */
function dress(response: Response, target: Target): Response {
  const configurable = true;
  // Refused in the browser's own words, by the headers of a response that is its own.
  for (const name of ['append', 'delete', 'set'] as const)
    Object.defineProperty(response.headers, name, {
      value: new Proxy(response.headers[name], { apply: (native, _, args) => Reflect.apply(native, frozen, args) }),
    });
  return Object.defineProperties(response, {
    url: { configurable, value: target.url.replace(/#.*$/s, '') },
    type: { configurable, value: target.sameOrigin ? 'basic' : 'cors' },
    // A Proxy prints as the native method does.
    clone: {
      configurable,
      writable: true,
      value: new Proxy(NativeResponse.prototype.clone, {
        apply: (clone, self) => dress(Reflect.apply(clone, self, []), target),
      }),
    },
  });
}

/** The response. Throws for a status, status text or header that no browser would have let through. */
export function createResponse(head: Head, target: Target, stream: ReadableStream<Uint8Array>): Response {
  const { status, statusText } = head;
  const body = NO_BODY.test(`${status}`) ? null : (stream as ReadableStream<Uint8Array<ArrayBuffer>>);
  const headers = new NativeHeaders(head.headers as [string, string][]);
  return dress(new NativeResponse(body, { status, statusText, headers }), target);
}
