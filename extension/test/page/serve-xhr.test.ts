/** The events a page hears of a request that is served in its own XMLHttpRequest, also when it takes the object elsewhere in one. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Bridge } from '../../src/page/bridge.ts';
import type { Exchange } from '../../src/page/exchange.ts';
import type { Opened } from '../../src/page/serve-xhr.ts';

let serveXhr: typeof import('../../src/page/serve-xhr.ts').serveXhr;
beforeAll(async () => {
  // Node has no such event, and the module keeps the one it finds.
  vi.stubGlobal('ProgressEvent', class extends Event {});
  ({ serveXhr } = await import('../../src/page/serve-xhr.ts'));
  vi.unstubAllGlobals();
});

const URL = 'https://api.example/v1/chat/completions';
const EVENTS = ['loadstart', 'readystatechange', 'progress', 'load', 'error', 'abort', 'timeout', 'loadend'];

/** Serves one answer in three chunks; `act` runs in the listener of the event of this number. */
async function served(act: (number: number, opened: Opened) => void): Promise<string[]> {
  const xhr = Object.assign(new EventTarget(), { timeout: 0, responseType: '' }) as unknown as XMLHttpRequest;
  const opened: Opened = { args: ['POST', URL], headers: [], served: null };
  const heard: string[] = [];
  for (const type of EVENTS)
    xhr.addEventListener(type, () => {
      heard.push(type === 'readystatechange' ? `state ${opened.served?.state}` : type);
      act(heard.length - 1, opened);
    });
  let exchange: Exchange | null = null;
  const bridge: Bridge = {
    open: (taken) => {
      exchange = taken;
    },
    send: () => undefined,
    nextId: () => 1,
  };
  const request = new Request(URL, { method: 'POST', body: '{}' });
  const native = () => {
    throw new Error('sent natively');
  };
  serveXhr(xhr, opened, { request, sameOrigin: false, nativeArgs: [URL, { body: '{}' }] }, native, bridge);
  await vi.waitFor(() => expect(exchange !== null || opened.served?.state !== 1).toBe(true));
  const receive = (message: Parameters<Exchange['receive']>[0]) => exchange?.receive(message);
  receive({ t: 'head', id: 1, status: 200, statusText: 'OK', headers: [['content-type', 'text/plain']] });
  receive({ t: 'chunks', id: 1, chunks: [Uint8Array.of(97)] });
  receive({ t: 'chunks', id: 1, chunks: [Uint8Array.of(98), Uint8Array.of(99)] });
  receive({ t: 'end', id: 1 });
  return heard;
}

describe('an XMLHttpRequest that is served', () => {
  it('tells of its beginning, its head, its bytes and its end', async () => {
    const heard = await served(() => undefined);
    expect(heard.slice(0, 4)).toEqual(['loadstart', 'state 2', 'state 3', 'progress']);
    expect(heard.slice(-3)).toEqual(['state 4', 'load', 'loadend']);
  });

  it('tells of an abort as the browser does, whichever event the page aborts in', async () => {
    const before = ['loadstart', 'state 2', 'state 3', 'progress'];
    for (const [place] of before.entries()) {
      const heard = await served((number, { served: one }) => {
        if (number === place) one?.abort();
      });
      // In the event of the first bytes the browser has their progress already on its way.
      const late = before[place] === 'state 3' ? ['progress'] : [];
      expect(heard).toEqual([...before.slice(0, place + 1), 'state 4', 'abort', 'loadend', ...late]);
    }
  });

  it('tells of no more than the browser once the page has opened it anew', async () => {
    for (const place of [1, 2, 3]) {
      const heard = await served((number, { served: one }) => {
        if (number === place) one?.drop();
      });
      // The change back to "opened", which the browser's own object has not left.
      expect(heard.slice(place + 1)).toEqual(['state undefined', ...(place === 2 ? ['progress'] : [])]);
    }
  });
});
