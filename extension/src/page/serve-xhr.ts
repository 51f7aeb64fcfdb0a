/**
 * Serves one `send` of an XMLHttpRequest: the events the page hears and the state it sees, while the browser's own object rests in
 * OPENED beneath.
 *
 *   1 ──head──▶ 2 ──first bytes──▶ 3 ──end──▶ 4            readystatechange, progress at most every 50 ms, load, loadend
 *   1, 2, 3 ──error, timeout, abort──▶ 4 (0 after abort)   readystatechange, the event of that name, loadend; nothing is left to read
 *   1 ──native──▶ the object's own `send`                  its own events from here on; `loadstart` was told and is not told again
 *
 * Invariant: the page reads and hears what the browser would have shown it. Failure direction: the native `send` before the head, an
 * `error` event after it.
 */
import type { Bridge } from './bridge.ts';
import type { Captured } from './eligible.ts';
import { launch } from './launch.ts';
import { createReceived, type Received } from './received.ts';

/** The browser's own progress events are at least this far apart. */
const PROGRESS_MS = 50;

const { setTimeout: later, clearTimeout: unset, Event: NativeEvent, ProgressEvent: NativeProgress } = globalThis;
export const { dispatchEvent, addEventListener } = EventTarget.prototype;
const now = performance.now.bind(performance);

/** What the page said since `open`. */
export interface Opened {
  readonly args: readonly unknown[];
  readonly headers: [string, string][];
  /** Null while the object is the browser's alone. */
  served: Served | null;
  /** The browser's own `send` is running for a request whose `loadstart` the page has heard. */
  again?: boolean;
}

export interface Served {
  /** As `readyState`. */
  state: number;
  /** Null before the head, and again after an error. */
  received: Received | null;
  abort(): void;
  /** The page has opened the object anew: nothing more is heard of this one. */
  drop(): void;
  /** Looks at the timeout the page has set. */
  retime(): void;
}

/** Serves `opened` from here on; `send` is the browser's own. */
export function serveXhr(
  xhr: XMLHttpRequest,
  opened: Opened,
  { request, nativeArgs }: Captured,
  send: XMLHttpRequest['send'],
  bridge: Bridge,
): void {
  const started = now();
  let ending = 'error';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let held = false;
  let told = false;

  function fire(type: string): void {
    const { loaded = 0, total = 0 } = served.received ?? {};
    const event = type
      ? new NativeProgress(type, { lengthComputable: total > 0, loaded, total })
      : new NativeEvent('readystatechange');
    dispatchEvent.call(xhr, event);
  }
  function change(state: number): void {
    served.state = state;
    fire('');
  }
  /** Whether a listener has taken the object elsewhere meanwhile. */
  const left = (state: number) => opened.served !== served || served.state !== state;
  const quieten = () => {
    unset(timer);
    unset(quiet);
  };

  function tell(): void {
    held = false;
    if (told) {
      fire('');
      if (left(3)) return;
    }
    told = true;
    fire('progress');
    quiet = later(() => {
      quiet = undefined;
      if (held && !left(3)) tell();
    }, PROGRESS_MS);
  }
  function failed(): void {
    if (opened.served !== served) return;
    quieten();
    served.received = null;
    change(4);
    fire(ending);
    fire('loadend');
  }
  function stop(why: string): void {
    ending = why;
    exchange.abort(null);
  }

  const served: Served = {
    state: 1,
    received: null,
    retime() {
      unset(timer);
      const { timeout } = xhr;
      if (timeout && served.state < 4) timer = later(stop, started + timeout - now(), 'timeout');
    },
    drop() {
      opened.served = served.received = null;
      quieten();
      exchange.abort(null);
      if (served.state !== 1) fire('');
    },
    abort() {
      if (served.state % 4) stop('abort');
      if (served.state === 4) served.state = 0;
      served.received = null;
    },
  };
  const exchange = launch(
    request,
    {
      native() {
        quieten();
        opened.served = null;
        return new Promise((resolve) => {
          addEventListener.call(xhr, 'loadend', () => resolve(xhr.status), { once: true });
          opened.again = true;
          send.call(xhr, (nativeArgs[1] as RequestInit).body as XMLHttpRequestBodyInit);
          opened.again = false;
        });
      },
      resolve(head) {
        served.received = createReceived(head, request.url, () => xhr.responseType);
        change(2);
      },
      push(chunks) {
        for (const chunk of chunks) {
          if (left(2) && left(3)) return;
          served.received?.add(chunk);
          exchange.read(chunk.length);
          if (served.state === 2) change(3);
          if (quiet) held = true;
          else tell();
        }
      },
      end() {
        quieten();
        served.received?.end();
        served.state = 4;
        if (held) fire('progress');
        if (left(4)) return;
        fire('');
        if (left(4)) return;
        fire('load');
        fire('loadend');
      },
      reject: failed,
      fail: failed,
    },
    bridge,
  );
  opened.served = served;
  fire('loadstart');
  if (!left(1)) served.retime();
}
