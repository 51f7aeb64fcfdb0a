/**
 * Takes one call of `fetch`: captures it, launches it, and answers with a Response or with the page's own fetch.
 *
 * Invariant: the returned promise settles exactly once, by exactly one of: our answer, our refusal, the native call.
 */
import type { Bridge } from './bridge.ts';
import { type Captured, capture, type PageContext, type Passed } from './eligible.ts';
import { launch } from './launch.ts';
import { createFeed, createResponse } from './respond.ts';

export type NativeFetch = (args: readonly unknown[]) => Promise<Response>;

/** The copy of a request that is ours, or null; what looks like a wire's and is passed by is reported for the popup. */
export function claim(args: readonly unknown[], bridge: Bridge, context: PageContext): Captured | null {
  let captured: Captured | Passed | null;
  try {
    captured = capture(args, context);
  } catch {
    // Whatever the arguments are, the page's own call knows the right words for it.
    return null;
  }
  if (captured === null || !('passed' in captured)) return captured;
  bridge.send({ t: 'passed', code: captured.passed, url: captured.url });
  return null;
}

/** The promise to give to the page, or null when the call is not ours. */
export function takeFetch(
  args: readonly unknown[],
  native: NativeFetch,
  bridge: Bridge,
  context: PageContext,
): Promise<Response> | null {
  const captured = claim(args, bridge, context);
  return captured && run(captured, native, bridge);
}

function run(captured: Captured, native: NativeFetch, bridge: Bridge): Promise<Response> {
  const { request, nativeArgs, sameOrigin } = captured;
  const { signal } = request;
  return new Promise<Response>((resolve, reject) => {
    const onAbort = () => exchange.abort(signal.reason);
    const settled = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    const feed = createFeed(
      (bytes) => exchange.read(bytes),
      () => {
        exchange.cancel();
        settled();
      },
    );
    const exchange = launch(
      request,
      {
        native() {
          settled();
          const call = native(nativeArgs);
          resolve(call);
          return call.then(
            ({ status }) => status,
            () => 0,
          );
        },
        resolve: (head) => resolve(createResponse(head, { url: request.url, sameOrigin }, feed.stream)),
        reject(reason) {
          settled();
          reject(reason);
        },
        push: feed.push,
        end: feed.end,
        fail(reason, at) {
          settled();
          feed.fail(reason, at);
        },
      },
      bridge,
    );
  });
}
