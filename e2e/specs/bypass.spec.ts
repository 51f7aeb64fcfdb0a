/**
 * Bypass equality: whatever a page sends, in whatever form, arrives as without us, and the page gets back what it gets without us.
 * What we cannot reproduce leaves through the browser.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../fixtures/chromium.ts';
import type { Recorded } from '../fixtures/front.ts';
import { type Got, REQUESTER } from '../fixtures/requester.ts';
import { CALLS, type PageCall } from '../fixtures/requests.ts';
import { startWorld, type World } from '../fixtures/world.ts';

const HOSTS = ['chat.test', 'other.test'];
/** Headers that a page may set or influence. */
const PAGE_SET = /^(?:x-|content-type$|authorization$|cookie$|origin$|anthropic-|bad)/;

let world: World;
let bare: Awaited<ReturnType<typeof startBrowser>>;
let ours: Page;
let theirs: Page;
beforeAll(async () => {
  const pages = new Map([['/call', { type: 'text/html; charset=utf-8', body: '<!doctype html><title>calls</title>' }]]);
  world = await startWorld({ pages });
  bare = await startBrowser({ build: null, hosts: HOSTS });
  ours = await world.open('/call');
  theirs = await bare.context.newPage();
  await theirs.goto(`${world.site}/call`);
  for (const page of [ours, theirs]) await page.addScriptTag({ content: REQUESTER(world.front.origin('other.test')) });
});
afterAll(async () => {
  await bare?.close();
  await world?.dispose();
});

const pairs = ({ rawHeaders }: Recorded): [string, string][] =>
  rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1] ?? ''] as [string, string]] : []));

/** Only a browser names the destination of a fetch. */
const byBrowser = (one: Recorded) => pairs(one).some(([name]) => name === 'sec-fetch-dest');

/** Each form has its own random boundary. */
const unbound = (text: string) => text.replace(/-{4}WebKitFormBoundary\w+/g, 'BOUNDARY');

function arrived(one: Recorded): unknown {
  const headers = pairs(one)
    .filter(([name]) => PAGE_SET.test(name))
    .map(([name, value]) => `${name}: ${unbound(value)}`)
    .sort();
  return { method: one.method, url: one.url, host: one.host, headers, body: unbound(one.body.toString('latin1')) };
}

/** Where two of them differ, one line each. */
function differences(path: string, one: unknown, two: unknown): string[] {
  const [a, b] = [JSON.stringify(one), JSON.stringify(two)];
  if (a === b) return [];
  const deep = [one, two].every((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
  if (!deep) return [`${path}: ${a} instead of ${b}`];
  const [left, right] = [one, two] as [Record<string, unknown>, Record<string, unknown>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].flatMap((name) => differences(`${path}, ${name}`, left[name], right[name]));
}

async function make(page: Page, row: PageCall): Promise<{ got: Got; sent: Recorded[] }> {
  const from = world.front.seen.length;
  const got = await page.evaluate((one) => (window as unknown as { call(r: unknown): Promise<Got> }).call(one), row);
  // A beacon is queued, not sent.
  for (let waited = 0; row.by === 'beacon' && waited < 50 && world.front.seen.length === from; waited += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  return { got, sent: world.front.seen.slice(from).filter(({ method }) => method !== 'OPTIONS' || row.method === 'OPTIONS') };
}

test(`all ${CALLS.length} requests arrive and are answered as without us`, async () => {
  expect(CALLS.length).toBeGreaterThan(200);
  const wrong: string[] = [];
  let taken = 0;
  for (const row of CALLS) {
    const through = await make(ours, row);
    const native = await make(theirs, row);
    const one = { got: through.got, sent: through.sent.map(arrived) };
    const two = { got: native.got, sent: native.sent.map(arrived) };
    const ways = through.sent.map(byBrowser);
    taken += ways.filter((way) => !way).length;
    const rightWay = row.native === undefined || ways.length === 0 || ways.every((way) => way === row.native);
    if (!rightWay) wrong.push(`${row.name}: sent ${ways}`);
    wrong.push(...differences(row.name, one, two));
  }
  expect(wrong).toEqual([]);
  expect(taken).toBeGreaterThan(80);
}, 300_000);
