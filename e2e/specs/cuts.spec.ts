/**
 * A stream that breaks, at every byte position: the page holds a prefix of the provider's own bytes and then an error, never a clean
 * end; what a provider says instead of an answer passes unchanged.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../fixtures/chat.ts';
import { startBrowser } from '../fixtures/chromium.ts';
import { startWorld, type World } from '../fixtures/world.ts';

let world: World;
let bare: Awaited<ReturnType<typeof startBrowser>>;
let page: Page;
let plain: Page;
beforeAll(async () => {
  world = await startWorld();
  bare = await startBrowser({ build: null, hosts: ['chat.test'] });
  page = await world.open();
  plain = await bare.context.newPage();
  await plain.goto(world.site);
});
afterAll(async () => {
  await bare?.close();
  await world?.dispose();
});

const ASK = [{ role: 'user', content: 'Tell me in a few words about naïveté and 漢字.' }] as const;
const delta = (content: string) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}\n\n`;
const STREAM = Buffer.from(`${delta('Naïve ')}${delta('漢字 \\"x\\" ')}: still here\r\n\r\n${delta('\u{1F469}‍\u{1F4BB}')}`);

const requests = async () =>
  (
    await world.browser.ask<{ session: { stats: { requests: number } } | null }>({
      verb: 'snapshot',
      site: world.site,
      tab: null,
    })
  ).session?.stats.requests ?? 0;

test('cut anywhere, the page holds exactly what came until then, and an error', async () => {
  const wrong: unknown[] = [];
  for (let at = 1; at <= STREAM.length; at += 1) {
    world.front.fault({ kind: 'broken', type: 'text/event-stream', body: STREAM, at });
    const cut = await send(page, ASK);
    const held = cut.reads.join('');
    // A broken connection may drop what the page had not read yet: a prefix, and an error in every case.
    const honest = cut.error !== null && STREAM.subarray(0, at).toString('latin1').startsWith(held);
    if (!honest || cut.status !== 200) wrong.push({ at, held, error: cut.error });
  }
  expect(wrong).toEqual([]);
  expect(await requests()).toBe(0);
}, 300_000);

test('the same words as the browser uses, also for a stream that breaks before its first byte', async () => {
  for (const at of [0, 40]) {
    const both: unknown[] = [];
    for (const tab of [page, plain]) {
      world.front.fault({ kind: 'broken', type: 'text/event-stream', body: STREAM, at });
      const { reads, ...rest } = await send(tab, ASK);
      both.push({ ...rest, held: reads.join('') });
    }
    expect(both[0]).toEqual(both[1]);
  }
});

/** These speak of one connection, and the page's ends elsewhere. */
const CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding', 'date'];
const JSON_TYPE = { 'content-type': 'application/json' };
const REFUSALS = [
  { status: 400, headers: JSON_TYPE, body: '{"error":{"message":"Invalid value","type":"invalid_request_error"}}' },
  { status: 400, headers: { 'content-type': 'text/html' }, body: '<h1>400</h1>' },
  { status: 401, headers: JSON_TYPE, body: '{"error":{"message":"Incorrect API key provided"}}' },
  { status: 404, headers: JSON_TYPE, body: '{"error":{"message":"The model does not exist"}}' },
  { status: 413, headers: { 'content-type': 'text/plain' }, body: 'too large' },
  { status: 422, headers: JSON_TYPE, body: '{"detail":[{"loc":["body"],"msg":"x"}]}' },
  { status: 429, headers: { ...JSON_TYPE, 'retry-after': '7', 'access-control-expose-headers': 'retry-after' }, body: '{}' },
  { status: 500, headers: JSON_TYPE, body: '' },
  { status: 503, headers: { 'content-type': 'text/event-stream' }, body: 'data: {"error":"overloaded"}\n\n' },
  { status: 529, headers: JSON_TYPE, body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
];

test.each(REFUSALS)('status $status passes as it is: status, headers, bytes', async ({ status, headers, body }) => {
  const ask = async (tab: Page) => {
    const from = world.front.recorded.length;
    world.front.fault({ kind: 'answer', status, headers, body });
    const got = await tab.evaluate(
      async ([said, hops]) => {
        const response = await fetch('/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' },
          body: JSON.stringify({ model: 'demo-small', stream: true, messages: [{ role: 'user', content: said }] }),
        });
        const shown = [...response.headers].filter(([name]) => !hops.includes(name));
        return { status: response.status, statusText: response.statusText, headers: shown, body: await response.text() };
      },
      [`What is refused with ${status}?`, CONNECTION] as const,
    );
    return { got, asked: world.front.recorded.slice(from).map((one) => one.body.toString()) };
  };
  const ours = await ask(page);
  const theirs = await ask(plain);
  expect(ours.got).toEqual(theirs.got);
  expect(ours.asked).toEqual(theirs.asked);
  expect(ours.asked).toHaveLength(1);
});
