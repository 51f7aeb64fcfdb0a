/**
 * XMLHttpRequest through us is XMLHttpRequest: the same events in the same order, with the same things to read at each of them.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../fixtures/bundle.ts';
import { startBrowser } from '../fixtures/chromium.ts';
import { GAP, TRACER } from '../fixtures/clients/trace.ts';
import { ONCE, type TraceCase, TYPED } from '../fixtures/clients/trace-cases.ts';
import { streamOf, XHR_CLIENTS, XHR_RECORDER } from '../fixtures/clients/xhr.ts';
import type { PageFile } from '../fixtures/front.ts';
import { until } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

const page = (scripts: string): PageFile => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><meta charset="utf-8"><title>client</title><body>${scripts}</body>`,
});
const TYPES = ['', 'text', 'json', 'arraybuffer', 'blob'] as const;
/** Left to the browser, by their nature. */
const NATIVE = /^(?:a synchronous|a request that is no wire|a request whose upload|another type)/;

let world: World;
let bare: Awaited<ReturnType<typeof startBrowser>>;
let ours: Page;
let theirs: Page;
beforeAll(async () => {
  const pages = new Map<string, PageFile>([['/trace', page(`<script>${TRACER}</script>`)]]);
  for (const { client, source } of XHR_CLIENTS) {
    pages.set(`/${client}.js`, { type: 'text/javascript', body: await bundle(source) });
    pages.set(`/${client}`, page(`<script>${XHR_RECORDER}</script><script src="/${client}.js"></script>`));
  }
  world = await startWorld({ pages });
  bare = await startBrowser({ build: null, hosts: ['chat.test'] });
  ours = await world.open('/trace');
  theirs = await bare.context.newPage();
  await theirs.goto(`${world.site}/trace`);
});
afterAll(async () => {
  await bare?.close();
  await world?.dispose();
});

/** Whether the browser itself sent what arrived: only a browser names the destination of a fetch. */
const byBrowser = (from: number) =>
  world.front.recorded.slice(from).map(({ rawHeaders }) => rawHeaders.some((name) => name.toLowerCase() === 'sec-fetch-dest'));

async function compare({ name, answer, sends = 1, act }: TraceCase, type: XMLHttpRequestResponseType): Promise<void> {
  const run = async (tab: Page) => {
    const from = world.front.recorded.length;
    for (let left = sends; left > 0; left -= 1) world.front.fault(answer);
    return { lines: await tab.evaluate(act, type), from };
  };
  const through = await run(ours);
  if (sends > 0) expect(byBrowser(through.from)).toEqual(Array.from({ length: sends }, () => NATIVE.test(name)));
  const native = await run(theirs);
  expect(through.lines).toEqual(native.lines);
}

describe.each(TYPED)('$name', (one) => {
  test.each(TYPES)('reads as "%s" as natively', (type) => compare(one, type));
});
test.each(ONCE)('$name: the same events as natively', (one) => compare(one, 'text'));

const QUESTIONS = [
  'Good morning! Which boats are in the harbour?',
  'Which of them is the oldest?',
  'Who built it?',
  'Does it sail?',
  'Thank you.',
];

test.each(XHR_CLIENTS)(
  '$client, streaming $stream: five turns with the same events and bytes, one session',
  async ({ client, stream }) => {
    const talk = async (tab: Page) => {
      await tab.goto(`${world.site}/${client}`);
      await tab.waitForFunction(() => 'say' in window);
      const from = world.front.recorded.length;
      const replies: string[][] = [];
      for (const [turn, question] of QUESTIONS.entries()) {
        const pieces = streamOf(['There ', `is naïve 漢字 `, `in answer ${turn}.`]);
        if (stream) world.front.fault({ kind: 'pieces', headers: { 'content-type': 'text/event-stream' }, pieces, gap: GAP });
        const text = turn === 0 ? `${question} (${client}, ${stream})` : question;
        const say = ([said, streaming]: [string, boolean]) =>
          (window as unknown as { say(t: string, s: boolean): Promise<string[]> }).say(said, streaming);
        replies.push(await tab.evaluate(say, [text, stream] as [string, boolean]));
      }
      const heard = await tab.evaluate(() => (window as unknown as { heard: string[] }).heard);
      return {
        replies,
        heard,
        bodies: world.front.recorded.slice(from).map(({ body }) => body.toString()),
        ways: byBrowser(from),
      };
    };
    const { ways, ...through } = await talk(ours);
    expect(ways).toEqual(QUESTIONS.map(() => false));
    const look = async () =>
      (
        await world.browser.ask<{ session: { stats: { requests: number }; why: { via: string } } | null }>({
          verb: 'snapshot',
          site: world.site,
          tab: null,
        })
      ).session;
    await until('the last turn is committed', async () => (await look())?.stats.requests === QUESTIONS.length);
    expect((await look())?.why.via).toBe('prefix');
    const { ways: _, ...native } = await talk(theirs);
    expect(through).toEqual(native);
  },
);
