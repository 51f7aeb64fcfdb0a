/**
 * Takes one call of `fetch`: captures it, opens an exchange, and answers with a Response or with the page's own fetch.
 *
 * Invariant: the returned promise settles exactly once, by exactly one of: our answer, our refusal, the native call.
 */
import type { Bridge } from './bridge.ts';
import { type Captured, capture, type PageContext, type Passed, withinLimits } from './eligible.ts';
import { createExchange, type Exchange } from './exchange.ts';
import { createFeed, createResponse } from './respond.ts';

/** A body the page is still producing is not waited for longer than this. */
const BODY_MS = 1000;

/** As it was before the page's first script. */
const later = setTimeout.bind(globalThis);

/** Codes after which the background wants to know what the native call came to. */
const REPORTED = new Set(['auth-retry', 'resent']);

/** Codes that are decided here: nobody else can tell the popup. */
const OWN = new Set(['too-large', 'body-unreadable', 'redirect']);

export type NativeFetch = (args: readonly unknown[]) => Promise<Response>;

/** The promise to give to the page, or null when the call is not ours. */
export function takeFetch(
  args: readonly unknown[],
  native: NativeFetch,
  bridge: Bridge,
  context: PageContext,
): Promise<Response> | null {
  let captured: Captured | Passed | null;
  try {
    captured = capture(args, context);
  } catch {
    // Whatever the arguments are, the page's own fetch knows the right words for it.
    captured = null;
  }
  if (captured === null || !('passed' in captured)) return captured && run(captured, native, bridge, context);
  bridge.send({ t: 'passed', code: captured.passed, url: captured.url });
  return null;
}

function run(captured: Captured, native: NativeFetch, bridge: Bridge, context: PageContext): Promise<Response> {
  const { request, nativeArgs, sameOrigin } = captured;
  const { signal } = request;
  return new Promise<Response>((resolve, reject) => {
    const id = bridge.nextId();
    const feed = createFeed(
      (bytes) => exchange.read(bytes),
      () => {
        exchange.cancel();
        settled();
      },
    );
    const onAbort = () => exchange.abort(signal.reason);
    const settled = () => {
      signal.removeEventListener('abort', onAbort);
      bridge.forget(id);
    };
    const exchange: Exchange = createExchange(id, {
      native(code) {
        settled();
        if (OWN.has(code)) bridge.send({ t: 'passed', code, url: request.url });
        const call = native(nativeArgs);
        resolve(call);
        if (!REPORTED.has(code)) return;
        const report = (ok: boolean, status: number) => bridge.send({ t: 'native-done', id, code, ok, status });
        call.then(
          (response) => report(response.ok, response.status),
          () => report(false, 0),
        );
      },
      resolve(head) {
        const response = createResponse(head, { url: request.url, origin: context.origin, sameOrigin }, feed.stream);
        if (response) resolve(response);
        else settled();
        return response !== null;
      },
      reject(reason) {
        settled();
        reject(reason);
      },
      push: feed.push,
      end() {
        bridge.forget(id);
        feed.end();
      },
      fail(reason, at) {
        settled();
        feed.fail(reason, at);
      },
      send: bridge.send,
    });
    signal.addEventListener('abort', onAbort);
    if (!withinLimits(request)) return exchange.leave('too-large');
    read(request).then(
      (body) => {
        if (exchange.state !== 'pending') return;
        const { url, method } = request;
        bridge.open(exchange, { t: 'open', id, request: { url, method, headers: [...request.headers] }, body });
      },
      () => exchange.leave('body-unreadable'),
    );
  });
}

/** The body's bytes; rejects when they do not come in time. */
function read(request: Request): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    later(reject, BODY_MS);
    request.arrayBuffer().then(resolve, reject);
  });
}
