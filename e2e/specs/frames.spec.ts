/**
 * Frames without an address of their own are the page: what they send is heard as the page's. A frame without an origin is nobody's.
 * Workers cannot be heard: they work as they do without us, and the popup is told.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageFile } from '../fixtures/front.ts';
import { until } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

const WORKER = `
const ask = async () => {
  const body = JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'A worker asks: what is below the deck?' }] });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' };
  return (await fetch('/v1/chat/completions', { method: 'POST', headers, body })).status;
};
onmessage = () => ask().then(postMessage, (error) => postMessage(String(error)));
onconnect = ({ ports: [port] }) => ask().then((status) => port.postMessage(status), (error) => port.postMessage(String(error)));`;
const PAGES: ReadonlyMap<string, PageFile> = new Map([
  ['/worker.js', { type: 'text/javascript', body: WORKER }],
  ['/own', { type: 'text/html', body: '<!doctype html><title>own</title>' }],
]);

let world: World;
let page: Page;
beforeAll(async () => {
  world = await startWorld({ pages: PAGES });
  page = await world.open();
});
afterAll(() => world?.dispose());

/** Only a browser names the destination of a fetch. */
const byBrowser = (from: number) =>
  world.front.recorded.slice(from).map(({ rawHeaders }) => rawHeaders.some((name) => name.toLowerCase() === 'sec-fetch-dest'));
const originOf = (at: number) => {
  const { rawHeaders = [] } = world.front.recorded[at] ?? {};
  return rawHeaders[rawHeaders.findIndex((name) => name.toLowerCase() === 'origin') + 1];
};

/** Makes a frame, sends from within it by fetch and by XMLHttpRequest, and resolves with the two statuses. */
const fromFrame = ({ kind, site }: { kind: string; site: string }) =>
  new Promise<unknown[]>((resolve) => {
    const frame = document.createElement('iframe');
    const send = async () => {
      const inner = frame.contentWindow as unknown as typeof globalThis;
      const url = `${site}/v1/chat/completions`;
      const body = JSON.stringify({
        model: 'demo-small',
        messages: [{ role: 'user', content: `A frame of kind ${kind} asks.` }],
      });
      const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' };
      const response = await inner.fetch(url, { method: 'POST', headers, body });
      const xhr = new inner.XMLHttpRequest();
      xhr.open('POST', url);
      for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
      xhr.onloadend = () =>
        resolve([response.status, xhr.status, xhr instanceof inner.XMLHttpRequest, response instanceof inner.Response]);
      xhr.send(body);
    };
    const loaded = () => frame.addEventListener('load', () => void send(), { once: true });
    if (kind === 'about:blank, at once') {
      document.body.append(frame);
      void send();
    } else if (kind === 'about:blank, written to') {
      document.body.append(frame);
      frame.contentDocument?.open();
      frame.contentDocument?.write('<!doctype html><p>written');
      frame.contentDocument?.close();
      void send();
    } else {
      if (kind === 'about:blank') frame.src = 'about:blank';
      else if (kind === 'srcdoc') frame.srcdoc = '<p>inside';
      else if (kind === 'javascript:') frame.src = "javascript:'<p>made'";
      else if (kind === 'blob:') frame.src = URL.createObjectURL(new Blob(['<p>blob'], { type: 'text/html' }));
      else frame.src = '/own';
      loaded();
      document.body.append(frame);
    }
  });

test.each([
  'about:blank',
  'about:blank, at once',
  'about:blank, written to',
  'srcdoc',
  'javascript:',
  'blob:',
  'an own address',
])('a frame: %s', async (kind) => {
  const from = world.front.recorded.length;
  expect(await page.evaluate(fromFrame, { kind, site: world.site })).toEqual([200, 200, true, true]);
  expect(byBrowser(from)).toEqual([false, false]);
  expect([originOf(from), originOf(from + 1)]).toEqual([world.site, world.site]);
});

test('a sandboxed frame has no origin, and nothing of ours in it', async () => {
  const from = world.front.recorded.length;
  const said = await page.evaluate(
    (site) =>
      new Promise((resolve) => {
        addEventListener('message', (event) => resolve(event.data), { once: true });
        const frame = document.createElement('iframe');
        frame.setAttribute('sandbox', 'allow-scripts');
        const body = '{"model":"demo-small","messages":[{"role":"user","content":"Nobody knows where I come from."}]}';
        frame.srcdoc = `<script>
          const say = (status) => parent.postMessage([status, String(fetch), typeof window[Symbol.for('throughline')]], '*');
          fetch('${site}/v1/chat/completions', { method: 'POST', body: '${body}' }).then((r) => say(r.status), (e) => say(e.name));
        </${'script'}>`;
        document.body.append(frame);
      }),
    world.site,
  );
  expect(said).toEqual([401, 'function fetch() { [native code] }', 'undefined']);
  expect(byBrowser(from)).toEqual([true]);
});

test.each(['Worker', 'SharedWorker', 'a worker from a blob', 'a subclass of Worker'])(
  '%s works as without us, and is named',
  async (kind) => {
    const tab = await world.open();
    const workers = async () =>
      (await world.browser.ask<{ workers: boolean }>({ verb: 'snapshot', site: world.site, tab: null })).workers;
    const from = world.front.recorded.length;
    const said = await tab.evaluate(
      ([what, source]) =>
        new Promise((resolve) => {
          if (what === 'SharedWorker') {
            const shared = new SharedWorker('/worker.js');
            shared.port.onmessage = ({ data }) =>
              resolve([data, shared instanceof SharedWorker, shared.constructor === SharedWorker]);
            return;
          }
          class Own extends Worker {}
          const blob = URL.createObjectURL(new Blob([(source as string).replace("fetch('", `fetch('${location.origin}`)]));
          const worker =
            what === 'a subclass of Worker' ? new Own('/worker.js') : new Worker(what === 'Worker' ? '/worker.js' : blob);
          const kept = what === 'a subclass of Worker' ? worker instanceof Own : worker.constructor === Worker;
          worker.onmessage = ({ data }) => resolve([data, worker instanceof Worker, kept]);
          worker.postMessage('go');
        }),
      [kind, WORKER],
    );
    expect(said).toEqual([200, true, true]);
    expect(byBrowser(from)).toEqual([true]);
    expect(await until('the popup says so', workers)).toBe(true);
    expect(await tab.evaluate(() => String(Worker).includes('[native code]'))).toBe(true);
    await tab.close();
  },
);
