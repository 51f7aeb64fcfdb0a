/**
 * A Response that the page cannot tell from the browser's own, fed chunk by chunk.
 *
 * Invariant: every upstream chunk is one read; bytes are credited when the page takes them, never before; nothing is invented: a
 * stream ends only because the upstream ended, and otherwise errors. Failure direction: a network error, as the browser words it.
 */

const { Response: NativeResponse, Headers: NativeHeaders, ReadableStream: NativeStream } = globalThis;

export interface Head {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
}

export interface Target {
  readonly url: string;
  readonly origin: string;
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

const NO_BODY = new Set([204, 205, 304]);
const SAFELISTED = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
]);

/** The values of one header, comma-joined as `Headers` does. */
function headerOf(headers: Head['headers'], wanted: string): string {
  let found = '';
  for (const [name, value] of headers) if (name.toLowerCase() === wanted) found += `${found && ', '}${value.trim()}`;
  return found;
}

/**
 * The headers a page may see of this answer, or null when the browser would refuse it to the page altogether. Plain loops: a page
 * that broke `Array.prototype` gets its answer all the same.
 */
export function visibleHeaders(head: Head, target: Target): [string, string][] | null {
  const allowed = headerOf(head.headers, 'access-control-allow-origin');
  if (!target.sameOrigin && allowed !== '*' && allowed !== target.origin) return null;
  const exposed = new Set(
    headerOf(head.headers, 'access-control-expose-headers')
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  const visible: [string, string][] = [];
  for (const [given, value] of head.headers) {
    const name = given.toLowerCase();
    if (name === 'set-cookie' || name === 'set-cookie2') continue;
    if (target.sameOrigin || SAFELISTED.has(name) || exposed.has('*') || exposed.has(name)) visible.push([name, value]);
  }
  return visible;
}

/** Gives the response what only the network layer can: url, type and the same of its clones. Not enumerable, as on a native one. */
function dress(response: Response, target: Target): Response {
  const define = (name: string, value: unknown) =>
    Object.defineProperty(response, name, {
      value,
      configurable: true,
      enumerable: false,
      writable: typeof value === 'function',
    });
  define('url', target.url.replace(/#.*$/s, ''));
  define('type', target.sameOrigin ? 'basic' : 'cors');
  // A Proxy prints as the native method does.
  define(
    'clone',
    new Proxy(NativeResponse.prototype.clone, { apply: (clone, self) => dress(Reflect.apply(clone, self, []), target) }),
  );
  return response;
}

/** The response, or null when this head is none that a page may be shown. */
export function createResponse(head: Head, target: Target, stream: ReadableStream<Uint8Array>): Response | null {
  const visible = visibleHeaders(head, target);
  if (visible === null || head.status < 200 || head.status > 599) return null;
  const body = NO_BODY.has(head.status) ? null : (stream as ReadableStream<Uint8Array<ArrayBuffer>>);
  try {
    const headers = new NativeHeaders(visible);
    return dress(new NativeResponse(body, { status: head.status, statusText: head.statusText, headers }), target);
  } catch {
    // A status text or header that no browser would have let through: a network error there as well.
    return null;
  }
}
