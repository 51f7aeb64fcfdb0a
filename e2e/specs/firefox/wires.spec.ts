/**
 * What pages do, in real Firefox: every wire, XMLHttpRequest, frames without an address of their own, a library from npm, and requests
 * of many forms. Each arrives, and is answered, as in a Firefox without us.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../fixtures/bundle.ts';
import { send } from '../../fixtures/chat.ts';
import { SDKS } from '../../fixtures/clients/sdk.ts';
import { streamOf, XHR_CLIENTS, XHR_RECORDER } from '../../fixtures/clients/xhr.ts';
import type { FirefoxBrowser, FirefoxTab } from '../../fixtures/firefox.ts';
import { type FirefoxWorld, readByRead, startBareFirefox, startFirefoxWorld, warmUp } from '../../fixtures/firefox-world.ts';
import type { PageFile, Recorded } from '../../fixtures/front.ts';
import { wentThroughUs } from '../../fixtures/life.ts';
import { until } from '../../fixtures/process.ts';
import { type Got, REQUESTER } from '../../fixtures/requester.ts';
import { CALLS, type PageCall } from '../../fixtures/requests.ts';

/** Milliseconds between the pieces of an answer: far enough apart that no read holds two. */
const PACE = 200;
const CSP = "default-src 'self' 'unsafe-inline'; connect-src 'self'";
const QUESTIONS = ['Which boats are in the harbour?', 'Which is the oldest?', 'Who built it?', 'Does it sail?', 'Thank you.'];

const page = (scripts: string, csp?: string): PageFile => ({
  type: 'text/html; charset=utf-8',
  ...(csp === undefined ? {} : { csp }),
  body: `<!doctype html><meta charset="utf-8"><title>client</title><body>${scripts}</body>`,
});

let world: FirefoxWorld;
let bare: FirefoxBrowser;
let ours: FirefoxTab;
let theirs: FirefoxTab;
beforeAll(async () => {
  const pages = new Map<string, PageFile>();
  for (const { client, source } of XHR_CLIENTS) {
    pages.set(`/${client}.js`, { type: 'text/javascript', body: await bundle(source) });
    pages.set(`/${client}`, page(`<script>${XHR_RECORDER}</script><script src="/${client}.js"></script>`, CSP));
  }
  pages.set('/openai.js', { type: 'text/javascript', body: await bundle(SDKS.get('openai') as string) });
  pages.set('/openai', page('<script src="/openai.js"></script>', CSP));
  pages.set('/call', page(''));
  world = await startFirefoxWorld({ pages });
  bare = await startBareFirefox(world);
  ours = await world.open();
  await warmUp(world, ours);
  theirs = await bare.open(world.site);
});
afterAll(async () => {
  await bare?.close();
  await world?.dispose();
});

interface Shown {
  readonly session: { readonly stats: { readonly requests: number }; readonly why: { readonly via: string } } | null;
}
const look = async () => (await world.browser.ask<Shown>({ verb: 'snapshot', site: world.site, tab: null })).session;

const KEY = { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' };
const WIRES = [
  {
    wire: 'openai-responses',
    url: '/v1/responses',
    headers: KEY,
    body: (text: string) => ({ model: 'demo-small', input: [{ role: 'user', content: text }], stream: true, store: false }),
  },
  {
    wire: 'gemini',
    url: '/v1beta/models/demo-small:streamGenerateContent?alt=sse',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': 'sk-demo-key' },
    body: (text: string) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  {
    wire: 'ollama-chat',
    url: '/api/chat',
    headers: { 'content-type': 'application/json' },
    body: (text: string) => ({ model: 'demo-small', messages: [{ role: 'user', content: text }] }),
  },
] as const;

test.each(WIRES)(
  'wire $wire: a streamed turn is heard, with the reads it has without us',
  async ({ wire, url, headers, body }) => {
    const question = `What does the ${wire} wire carry today?`;
    const rawBody = JSON.stringify(body(question));
    const { through, native, sent } = await readByRead(world, [ours, theirs], (tab) =>
      send(tab, [], { url, headers, rawBody }),
    );
    expect(through).toMatchObject({ status: 200, error: null });
    expect(sent.map(wentThroughUs)).toEqual([true, false]);
    expect(sent.map((one) => one.body.toString())).toEqual([rawBody, rawBody]);
    expect(through).toEqual(native);
    const sessions = () => world.browser.ask<unknown[]>({ verb: 'sessions', query: question, site: null, limit: 5 });
    await until('the turn is committed', async () => (await sessions()).length === 1);
  },
);

interface Client {
  say(text: string, stream: boolean): Promise<string[]>;
  readonly heard?: string[];
}

/** Five turns of a page that talks through a library; `pieces` are the answer of a turn, or null for the model's own. */
async function talk(tab: FirefoxTab, client: string, stream: boolean, pieces: ((turn: number) => Buffer[]) | null) {
  await tab.goto(`${world.site}/${client}`);
  await until('the library is loaded', () => tab.evaluate(() => 'say' in window));
  const from = world.front.recorded.length;
  const replies: string[][] = [];
  for (const [turn, question] of QUESTIONS.entries()) {
    if (pieces && stream)
      world.front.fault({ kind: 'pieces', headers: { 'content-type': 'text/event-stream' }, pieces: pieces(turn), gap: PACE });
    const said = turn === 0 ? `${question} (${client}, ${stream})` : question;
    replies.push(
      await tab.evaluate(([text, streaming]) => (window as unknown as Client).say(text, streaming), [said, stream] as const),
    );
  }
  const sent = world.front.recorded.slice(from);
  return {
    replies,
    heard: await tab.evaluate(() => (window as unknown as Client).heard ?? null),
    bodies: sent.map(({ body }) => body.toString()),
    ways: sent.map(wentThroughUs),
  };
}

test.each([...XHR_CLIENTS, { client: 'openai', stream: true }, { client: 'openai', stream: false }])(
  '$client, streaming $stream: five turns with the same events and bytes as without us, one session',
  async ({ client, stream }) => {
    const pieces = (turn: number) => streamOf(['There ', 'is naïve 漢字 ', `in answer ${turn}.`]);
    const tab = await world.open();
    const { ways, ...through } = await talk(tab, client, stream, pieces);
    expect(ways).toEqual(QUESTIONS.map(() => true));
    await until('the last turn is committed', async () => (await look())?.stats.requests === QUESTIONS.length);
    expect((await look())?.why.via).toBe('prefix');
    const { ways: _, ...native } = await talk(theirs, client, stream, pieces);
    expect(through).toEqual(native);
    await tab.close();
  },
);

/** Makes a frame, sends from within it by fetch and by XMLHttpRequest, and resolves with the two statuses. */
const fromFrame = ({ kind, site }: { kind: string; site: string }) =>
  new Promise<unknown[]>((resolve) => {
    const frame = document.createElement('iframe');
    const go = async () => {
      const inner = frame.contentWindow as unknown as typeof globalThis;
      const url = `${site}/v1/chat/completions`;
      const body = JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: `A frame asks: ${kind}.` }] });
      const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' };
      const response = await inner.fetch(url, { method: 'POST', headers, body });
      const xhr = new inner.XMLHttpRequest();
      xhr.open('POST', url);
      for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
      xhr.onloadend = () => resolve([response.status, xhr.status, response instanceof inner.Response]);
      xhr.send(body);
    };
    if (kind === 'srcdoc') frame.srcdoc = '<p>inside';
    if (kind === 'about:blank') frame.src = 'about:blank';
    if (kind === 'blob:') frame.src = URL.createObjectURL(new Blob(['<p>blob'], { type: 'text/html' }));
    if (kind !== 'about:blank, at once') frame.addEventListener('load', () => void go(), { once: true });
    document.body.append(frame);
    if (kind === 'about:blank, at once') void go();
  });

test.each(['about:blank', 'about:blank, at once', 'srcdoc', 'blob:'])('a frame is the page: %s', async (kind) => {
  const from = world.front.recorded.length;
  expect(await ours.evaluate(fromFrame, { kind, site: world.site })).toEqual([200, 200, true]);
  expect(world.front.recorded.slice(from).map(wentThroughUs)).toEqual([true, true]);
});

/** Headers that a page may set or influence. */
const PAGE_SET = /^(?:x-|content-type$|authorization$|cookie$|origin$|anthropic-|bad)/;
/** Each form has its own random boundary. */
const unbound = (text: string) => text.replace(/-{4}geckoformboundary\w+/g, 'BOUNDARY');

function arrived(one: Recorded): unknown {
  const headers = one.rawHeaders
    .flatMap((name, i) =>
      i % 2 === 0 && PAGE_SET.test(name.toLowerCase()) ? [`${name.toLowerCase()}: ${one.rawHeaders[i + 1]}`] : [],
    )
    .map(unbound)
    .sort();
  return { method: one.method, url: one.url, host: one.host, headers, body: unbound(one.body.toString('latin1')) };
}

async function make(tab: FirefoxTab, row: PageCall) {
  const from = world.front.seen.length;
  const got = await tab.evaluate((one) => (window as unknown as { call(r: unknown): Promise<Got> }).call(one), row);
  // A beacon is queued, not sent.
  if (row.by === 'beacon') await until('the beacon arrives', () => world.front.seen.length > from);
  const sent = world.front.seen.slice(from).filter(({ method }) => method !== 'OPTIONS' || row.method === 'OPTIONS');
  return { seen: { got, sent: sent.map(arrived) }, ways: sent.map(wentThroughUs) };
}

test('requests of many forms arrive and are answered as without us', async () => {
  const rows = CALLS.filter((_, index) => index % 4 === 0);
  expect(rows.length).toBeGreaterThan(60);
  for (const tab of [ours, theirs]) {
    await tab.goto(`${world.site}/call`);
    const add = (content: string) => {
      const script = document.createElement('script');
      script.textContent = content;
      document.head.append(script);
    };
    await tab.evaluate(add, REQUESTER(world.front.origin('other.test')));
  }
  const wrong: unknown[] = [];
  let taken = 0;
  for (const row of rows) {
    const through = await make(ours, row);
    const native = await make(theirs, row);
    taken += through.ways.filter(Boolean).length;
    const rightWay = row.native === undefined || through.ways.every((ours) => ours !== row.native);
    if (!rightWay || JSON.stringify(through.seen) !== JSON.stringify(native.seen))
      wrong.push({ name: row.name, ways: through.ways, through: through.seen, native: native.seen });
  }
  expect(wrong).toEqual([]);
  expect(taken).toBeGreaterThan(20);
});
