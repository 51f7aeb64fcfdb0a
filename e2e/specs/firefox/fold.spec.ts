/**
 * Folding in real Firefox, and the pages in which a person sees it: a block is made and used, a fact in it is still answered, its
 * originals open byte-equal; popup, dashboard and onboarding show what they show in Chromium.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../../fixtures/chat.ts';
import type { FirefoxTab } from '../../fixtures/firefox.ts';
import { type FirefoxWorld, startFirefoxWorld } from '../../fixtures/firefox-world.ts';
import { pause, ROOT, until } from '../../fixtures/process.ts';

interface BlockLine {
  readonly blockId: string;
  readonly state: string;
  readonly messages: number;
}
interface Detail {
  readonly session: string;
  readonly blockList: readonly BlockLine[];
}
interface Opened {
  readonly verified: boolean;
  readonly originals: readonly { readonly raw: string }[];
}

const SHOTS = join(ROOT, 'demo-output', 'firefox');
const FOLDED = '[Earlier conversation, folded: ';
const CODE = '4071-9926';
const PLANTED = `Please remember this about our small library. The locker code is ${CODE}. I will ask for it later.`;

let world: FirefoxWorld;
let chat: Conversation;
beforeAll(async () => {
  mkdirSync(SHOTS, { recursive: true });
  world = await startFirefoxWorld({ window: 4_000 });
  chat = new Conversation(await world.open(), {}, 'You are an attentive assistant.');
  await chat.say(PLANTED);
  for (let turn = 0; turn < 30 && !last().includes(FOLDED); turn++) {
    const text = `Shelf ${turn}: ${`it holds forty atlases and a box of maps that need care, see list ${turn}. `.repeat(7)}`;
    expect(await chat.say(text)).toMatchObject({ ok: true, error: null });
    await pause(60);
  }
});
afterAll(() => world?.dispose());

const last = () =>
  world.front.recorded
    .map(({ body }) => body.toString())
    .filter((body) => !body.includes('Throughline fold request'))
    .at(-1) ?? '';
const detail = async () =>
  (await world.browser.ask<{ session: Detail }>({ verb: 'snapshot', site: world.site, tab: null })).session;

/** An extension page, once it shows what it should. */
async function shown(path: string, text: RegExp): Promise<FirefoxTab> {
  const panel = await world.browser.panel(path);
  await until(`${path} shows ${text}`, async () => text.test(await panel.text()));
  return panel;
}

test('old history is folded, a fact in it is still answered, and it opens byte-equal', async () => {
  expect(last()).toContain(FOLDED);
  expect(last()).not.toContain(PLANTED);
  const answer = await chat.say('What is the locker code?');
  expect(answer.text).toContain(CODE);
  expect(last()).not.toContain(PLANTED);

  const { session, blockList } = await detail();
  const block = blockList.find(({ state }) => state === 'folded') as BlockLine;
  const opened = await world.browser.ask<Opened>({ verb: 'block', session, block: block.blockId });
  expect(opened.verified).toBe(true);
  expect(opened.originals.length).toBe(block.messages);
  const ours = chat.messages.map((one) => JSON.stringify(one));
  for (const { raw } of opened.originals) expect(ours).toContain(raw);
});

test('the popup answers the five questions at once', async () => {
  const popup = await shown(`popup/index.html?site=${encodeURIComponent(world.site)}`, /small library/);
  const viewport = { width: 380, height: 600 };
  await world.browser.bidi.send('browsingContext.setViewport', { context: popup.context, viewport });
  const text = await popup.text();
  expect(text).toMatch(/connected/i);
  expect(text).toMatch(/matched \d+ of \d+/i);
  expect(text).toMatch(/b1/);
  expect(text).toMatch(/originals/i);
  expect(text).toMatch(/saved/i);
  await popup.screenshot(join(SHOTS, 'popup.png'));
  await popup.close();
});

test('the dashboard lists the conversation and opens it', async () => {
  const { session } = await detail();
  const list = await shown('dashboard/index.html', /small library/);
  await list.screenshot(join(SHOTS, 'dashboard.png'));
  await list.close();
  const one = await shown(`dashboard/index.html#/session/${session}`, /small library/);
  await one.screenshot(join(SHOTS, 'session.png'));
  await one.close();
});

test('the onboarding tells a paired person what comes next', async () => {
  const page = await shown('onboarding/index.html', /\w/);
  await pause(500);
  expect(await page.text()).toMatch(/Throughline/);
  await page.screenshot(join(SHOTS, 'onboarding.png'));
  await page.close();
});
