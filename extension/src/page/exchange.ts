/**
 * One taken request, from the call to its last byte, as a state machine.
 *
 *   pending ──native, detach, silence, redirect──▶ native   nothing of an answer was shown: the page's own request goes out
 *   pending ──head──▶ response                                   the promise resolves once; from here on never native
 *   pending ──error, abort──▶ error                              the promise rejects once
 *   response ──end──▶ done                                       the stream closes behind its chunks
 *   response ──error, abort, cancel──▶ error                     the stream errors: honest, never spliced, never a fake end
 *
 * native, error and done are final: whatever arrives later is ignored. Failure direction: native before the head, a network
 * error after it.
 */
import type { ContentToPage, PageToContent } from '../messages.ts';
import type { Head } from './respond.ts';

type State = 'pending' | 'native' | 'response' | 'error' | 'done';

/** What the exchange does to the page and to the bridge. Each of `native`, `resolve` and `reject` is called at most once in all. */
export interface Effects {
  /** Sends the page's own request. `code` says why. */
  native(code: string): void;
  /** Shows the answer; throws when the browser would not show this one to the page. */
  resolve(head: Head): void;
  reject(reason: unknown): void;
  push(chunks: readonly Uint8Array[]): void;
  end(): void;
  fail(reason: unknown, at: 'behind' | 'once'): void;
  send(message: PageToContent): void;
}

export interface Exchange {
  readonly id: number;
  readonly state: State;
  /** The content script has the request. */
  readonly taken: boolean;
  receive(message: Exclude<ContentToPage, { t: 'detach' }>): void;
  /** The page's signal fired. */
  abort(reason: unknown): void;
  /** The page's reader wants no more. */
  cancel(): void;
  /** The page took this many bytes. */
  read(bytes: number): void;
  /** The bridge is gone or silent: what is still pending goes native. */
  leave(code: string): void;
}

/** Set where this is built; a test that takes the source in as it is has none, and reads Chromium's words. */
declare const __BROWSER__: 'chrome' | 'firefox' | undefined;
const isFirefox = typeof __BROWSER__ === 'string' && __BROWSER__ === 'firefox';

/** As the browser words a failed fetch and a broken body. */
const FAILED = isFirefox ? 'NetworkError when attempting to fetch resource.' : 'Failed to fetch';
const BROKEN = isFirefox ? 'Error in input stream' : 'network error';

/** The upstream only points elsewhere and did nothing: the browser follows by itself. */
const REDIRECTS = /^30[12378]$/;

export function createExchange(id: number, effects: Effects): Exchange {
  let state: State = 'pending';
  let taken = false;

  const quit = () => effects.send({ t: 'abort', id });

  function native(code: string): void {
    state = 'native';
    effects.native(code);
  }
  function onHead(head: Head): void {
    if (REDIRECTS.test(`${head.status}`)) {
      quit();
      native('redirect');
      return;
    }
    state = 'response';
    try {
      effects.resolve(head);
    } catch {
      // Also when a page broke what building its Response stands on: that is a failed fetch then, never one that hangs.
      broken('');
      effects.reject(new TypeError(FAILED));
    }
  }
  /** An error, or what cannot come now: the other side is not sane. The request may have been sent, so it is not sent again. */
  function broken(t: string): void {
    state = 'error';
    if (t !== 'error') quit();
  }
  function onPending(message: Exclude<ContentToPage, { t: 'detach' }>): void {
    if (message.t === 'taken') taken = true;
    else if (message.t === 'native') native(message.code);
    else if (message.t === 'head') onHead(message);
    else {
      broken(message.t);
      effects.reject(new TypeError(FAILED));
    }
  }
  function onResponse(message: Exclude<ContentToPage, { t: 'detach' }>): void {
    if (message.t === 'chunks') effects.push(message.chunks);
    else if (message.t === 'end') {
      state = 'done';
      effects.end();
    } else if (message.t !== 'taken') {
      broken(message.t);
      effects.fail(new TypeError(BROKEN), 'behind');
    }
  }

  return {
    id,
    get state() {
      return state;
    },
    get taken() {
      return taken;
    },
    receive(message) {
      if (state === 'pending') onPending(message);
      else if (state === 'response') onResponse(message);
    },
    abort(reason) {
      const before = state;
      if (before !== 'pending' && before !== 'response' && before !== 'done') return;
      state = 'error';
      if (before !== 'done') quit();
      if (before === 'pending') effects.reject(reason);
      // Also when all has arrived: chunks the page did not read yet are dropped, as the browser does.
      else effects.fail(reason, 'once');
    },
    cancel() {
      if (state !== 'response') return;
      state = 'error';
      quit();
    },
    read(bytes) {
      if (state === 'response') effects.send({ t: 'credit', id, bytes });
    },
    leave(code) {
      if (state !== 'pending') return;
      quit();
      native(code);
    },
  };
}
