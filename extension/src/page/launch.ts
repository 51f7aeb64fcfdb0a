/**
 * Carries one captured request through the exchange: the part that every way of sending from a page shares.
 *
 * Invariant: the sink hears exactly one of `native`, `reject` and `resolve`, and after `resolve` exactly one of `end` and `fail`,
 * unless the page cancels. Failure direction: a body that cannot be read in time goes native.
 */
import type { Bridge } from './bridge.ts';
import { createExchange, type Effects, type Exchange } from './exchange.ts';

/** A body the page is still producing is not waited for longer than this. */
const BODY_MS = 1000;

/** As it was before the page's first script. */
const later = setTimeout.bind(globalThis);

/** Codes after which the background wants to know what the native call came to. */
const REPORTED = new Set(['auth-retry', 'resent']);

/** Codes that are decided here: nobody else can tell the popup. */
const OWN = new Set(['body-unreadable', 'redirect']);

/** Shows the page what becomes of its request. */
export interface Sink extends Omit<Effects, 'native' | 'send'> {
  /** Sends the page's own request; the promise gives its status, 0 for none. */
  native(): Promise<number>;
}

/** Starts the request. The sink hears nothing before this has returned. */
export function launch(request: Request, sink: Sink, bridge: Bridge): Exchange {
  const id = bridge.nextId();
  const { url, method } = request;
  const exchange = createExchange(id, {
    ...sink,
    native(code) {
      if (OWN.has(code)) bridge.send({ t: 'passed', code, url });
      const status = sink.native();
      if (!REPORTED.has(code)) return;
      status.then((status) => bridge.send({ t: 'native-done', id, code, ok: status >= 200 && status < 300, status }));
    },
    send: bridge.send,
  });
  bodyOf(request).then(
    (body) => {
      if (exchange.state !== 'pending') return;
      bridge.open(exchange, { t: 'open', id, request: { url, method, headers: [...request.headers] }, body });
    },
    (code) => exchange.leave(code),
  );
  return exchange;
}

/** The body's bytes; rejects with a code when they do not come in time. */
function bodyOf(request: Request): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const unreadable = () => reject('body-unreadable');
    later(unreadable, BODY_MS);
    request.arrayBuffer().then(resolve, unreadable);
  });
}
