/**
 * The extension reloaded, updated or removed under an open page: what is under way completes or errors honestly, nothing of ours
 * complains in the page, and the page's next request works.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Conversation } from '../../fixtures/chat.ts';
import type { Recorded } from '../../fixtures/front.ts';
import { type Life, slowAnswer, soon, startLife, wentThroughUs } from '../../fixtures/life.ts';
import { gate, pause, until } from '../../fixtures/process.ts';
import type { Tab } from '../../fixtures/tab.ts';

/** A browser gives up on an extension that reloads five times in ten seconds. */
const BETWEEN = 2_500;
const ANSWER = Array.from({ length: 30 }, () => 100);

let life: Life;
let tab: Tab;
let chat: Conversation;
beforeEach(async () => {
  life = await startLife();
  tab = await life.open();
  chat = new Conversation(tab);
});
afterEach(() => life?.dispose());

const newest = () => life.front.recorded.at(-1) as Recorded;

/** Asks, does `disturb` when `reached` says so, and takes what the page gets. */
async function disturbed(question: string, reached: () => Promise<unknown>, disturb: () => Promise<void>) {
  const sent = life.front.recorded.length;
  const asking = chat.say(question);
  await reached();
  await disturb();
  const reply = await soon(asking);
  if (reply === null) throw new Error(`"${question}" did not settle`);
  if (reply.error !== null) {
    expect(reply.error).toMatch(/^TypeError/);
    chat.messages.pop();
    const whole = Buffer.concat(life.front.recorded[sent]?.pieces ?? []).toString('latin1');
    expect(whole.startsWith(reply.reads.join(''))).toBe(true);
  }
  expect(life.front.recorded.length - sent).toBeLessThanOrEqual(2);
  return reply;
}

/** Requests of this page go through us again, without a load of the page. */
const takenAgain = () =>
  until('the page is taken again', async () => {
    expect(await chat.say('Still there?')).toMatchObject({ ok: true, error: null });
    return wentThroughUs(newest());
  });

test('reloaded at any moment of a request: it settles, nothing complains, and the same page is taken again', async () => {
  expect(await chat.say('Please describe a sloop to me.')).toMatchObject({ ok: true, error: null });
  expect(wentThroughUs(newest())).toBe(true);
  const complaints = await tab.complaints();
  for (const wait of [0, 20, 60]) {
    await disturbed(`On the way after ${wait}?`, () => pause(wait), life.browser.reload);
    await takenAgain();
    await pause(BETWEEN);
  }
  const hold = gate();
  const sent = life.front.recorded.length;
  life.front.fault({ kind: 'hold', until: hold.opened });
  const arrived = () => until('the request arrives', () => life.front.recorded.length > sent);
  expect(await disturbed('Held at the provider?', arrived, life.browser.reload)).toMatchObject({ ok: true, error: null });
  hold.open();
  await takenAgain();
  for (const pieces of [1, 8]) {
    await pause(BETWEEN);
    const from = life.front.recorded.length;
    life.front.fault({ kind: 'live', pieces: slowAnswer(ANSWER) });
    const begun = () => until('it streams', () => (life.front.recorded[from]?.pieces.length ?? 0) >= pieces);
    await disturbed(`Streaming, ${pieces} in?`, begun, life.browser.reload);
    await takenAgain();
  }
  expect(complaints.seen).toEqual([]);
  complaints.stop();
  await tab.goto(`${life.site}/`);
  await takenAgain();
});

test('updated to a newer version while an answer streams: the page ends with the newer one, in place and after a load', async () => {
  await chat.say('Please describe a yawl to me.');
  const complaints = await tab.complaints();
  const from = life.front.recorded.length;
  life.front.fault({ kind: 'live', pieces: slowAnswer(ANSWER) });
  life.browser.extension.change({ from: /"version": "[\d.]+"/, to: '"version": "9.0.0"' });
  const begun = () => until('it streams', () => (life.front.recorded[from]?.pieces.length ?? 0) > 2);
  await disturbed('And a ketch?', begun, life.browser.reload);
  await takenAgain();
  expect(complaints.seen).toEqual([]);
  complaints.stop();
  await tab.goto(`${life.site}/`);
  await takenAgain();
});

test('removed while an answer streams: the page is told, and from then on is as if we had never been there', async () => {
  await chat.say('Please describe a punt to me.');
  const complaints = await tab.complaints();
  const from = life.front.recorded.length;
  life.front.fault({ kind: 'live', pieces: slowAnswer(ANSWER) });
  const begun = () => until('it streams', () => (life.front.recorded[from]?.pieces.length ?? 0) > 2);
  const reply = await disturbed('And a wherry?', begun, life.browser.uninstall);
  expect(reply.error).toMatch(/^TypeError/);
  for (const question of ['And a skiff?', 'And a gig?']) {
    expect(await chat.say(question)).toMatchObject({ ok: true, error: null });
    expect(wentThroughUs(newest())).toBe(false);
  }
  expect(
    await tab.evaluate(() => Object.getOwnPropertySymbols(window).filter((one) => one.description === 'throughline').length),
  ).toBe(0);
  expect(complaints.seen).toEqual([]);
  complaints.stop();
});
