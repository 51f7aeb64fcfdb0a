/**
 * XMLHttpRequest through us is XMLHttpRequest: the same events in the same order, with the same things to read at each of them.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../fixtures/chromium.ts';
import { TRACER } from '../fixtures/clients/trace.ts';
import { ONCE, type TraceCase, TYPED } from '../fixtures/clients/trace-cases.ts';
import type { PageFile } from '../fixtures/front.ts';
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
