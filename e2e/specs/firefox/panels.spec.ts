/**
 * What a person does in popup and dashboard, pressed with the mouse in real Firefox: why, originals, unfold and undo, pause, language,
 * export, forget; and what the popup says about requests that are not ours.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation, send } from '../../fixtures/chat.ts';
import type { FirefoxTab } from '../../fixtures/firefox.ts';
import { press } from '../../fixtures/firefox-hands.ts';
import { type FirefoxWorld, startFirefoxWorld } from '../../fixtures/firefox-world.ts';
import type { Recorded } from '../../fixtures/front.ts';
import { wentThroughUs } from '../../fixtures/life.ts';
import { pause, temporaryFolder, until } from '../../fixtures/process.ts';

const FOLDED = '[Earlier conversation, folded: ';
const PLANTED = 'Please remember this about our small museum: the whale hangs in the third hall.';
const WORKER = `onmessage = async () => {
  const body = JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'A worker asks.' }] });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' };
  postMessage((await fetch('/v1/chat/completions', { method: 'POST', headers, body })).status);
};`;

const downloads = temporaryFolder('downloads');
let world: FirefoxWorld;
let page: FirefoxTab;
let chat: Conversation;
beforeAll(async () => {
  const prefs = { 'browser.download.folderList': 2, 'browser.download.dir': downloads.path };
  const pages = new Map([['/worker.js', { type: 'text/javascript', body: WORKER }]]);
  world = await startFirefoxWorld({ window: 4_000, pages, firefox: { prefs } });
  page = await world.open();
  chat = new Conversation(page, {}, 'You are an attentive guide.');
  await chat.say(PLANTED);
  for (let turn = 0; turn < 30 && !last().body.includes(FOLDED); turn++) {
    await chat.say(
      `Hall ${turn}: ${`it shows forty fossils and a model of a reef that needs care, see list ${turn}. `.repeat(7)}`,
    );
    await pause(60);
  }
});
afterAll(async () => {
  await world?.dispose();
  downloads.remove();
});

const last = () => world.front.recorded.filter(({ body }) => !body.includes('Throughline fold request')).at(-1) as Recorded;
const popup = () => world.browser.panel(`popup/index.html?site=${encodeURIComponent(world.site)}`);
const hand = (tab: FirefoxTab, selector: string, text = '') => press(world.browser, tab, selector, text);
const shows = (tab: FirefoxTab, text: RegExp) => until(`the page shows ${text}`, async () => text.test(await tab.text()));

test('a click tells why, opens the originals, unfolds, and takes it back', async () => {
  const panel = await popup();
  await hand(panel, 'button', 'Why?');
  await shows(panel, /not used/i);
  await hand(panel, 'button', 'Open');
  await shows(panel, /the whale hangs in the third hall/);
  await hand(panel, 'button', 'Back');
  await hand(panel, 'button', 'Unfold');
  await shows(panel, /Undo/);
  await chat.say('Which hall is next?');
  expect(last().body.toString()).toContain(PLANTED);
  await hand(panel, 'button', 'Undo');
  await shows(panel, /Unfold/);
  await chat.say('And the one behind it?');
  expect(last().body.toString()).toContain(FOLDED);
  expect(last().body.toString()).not.toContain(PLANTED);
  await panel.close();
});

test('while it is paused requests are the page’s own; resumed, they are heard again', async () => {
  const panel = await popup();
  await hand(panel, 'button', 'Pause');
  await hand(panel, 'button', 'Until I resume');
  await shows(panel, /Resume/);
  await chat.say('Is the museum open on Sundays?');
  expect(wentThroughUs(last())).toBe(false);
  expect(last().body.toString()).toContain(PLANTED);
  await hand(panel, 'button', 'Resume');
  await until('it goes on', async () => !/Resume/.test(await panel.text()));
  await chat.say('And on Mondays?');
  expect(wentThroughUs(last())).toBe(true);
  await panel.close();
});

test('the language changes at once, in every open panel', async () => {
  const [one, other] = [await popup(), await world.browser.panel('dashboard/index.html')];
  await hand(one, 'button', '中文');
  await shows(one, /已连接/);
  await shows(other, /已连接/);
  await hand(one, 'button', 'EN');
  await shows(other, /Connected/);
  for (const panel of [one, other]) await panel.close();
});

test('the popup says that workers are not covered, and that a provider holds the history; both go out as they are', async () => {
  const status = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const worker = new Worker('/worker.js');
        worker.onmessage = ({ data }) => resolve(data);
        worker.postMessage('go');
      }),
  );
  expect(status).toBe(200);
  expect(wentThroughUs(last())).toBe(false);
  const rawBody = JSON.stringify({ model: 'demo-small', previous_response_id: 'resp_1', input: 'And then?', stream: true });
  await send(page, [], { url: '/v1/responses', rawBody });
  expect(wentThroughUs(last())).toBe(false);
  expect(last().body.toString()).toBe(rawBody);
  const panel = await popup();
  await shows(panel, /worker/i);
  await shows(panel, /The provider keeps this history/);
  await panel.close();
});

test('an export is a file with every message, and what is forgotten is gone on both sides', async () => {
  const [{ session }] = (await world.browser.ask<{ session: string }[]>({
    verb: 'sessions',
    query: 'museum',
    site: null,
    limit: 1,
  })) as [{ session: string }];
  const dashboard = await world.browser.panel(`dashboard/index.html#/session/${session}`);
  for (const [label, end] of [
    ['Export JSON', '.json'],
    ['Export Markdown', '.md'],
  ] as const) {
    await hand(dashboard, 'button', label);
    const file = await until(`a file ${end}`, () => readdirSync(downloads.path).find((name) => name.endsWith(end)));
    await until('it holds everything', () => readFileSync(join(downloads.path, file), 'utf8').includes(PLANTED));
    if (end === '.json') JSON.parse(readFileSync(join(downloads.path, file), 'utf8'));
  }
  await hand(dashboard, 'button', 'Forget…');
  await hand(dashboard, 'dialog button', 'Forget');
  await shows(dashboard, /Forgotten/);
  const query = { verb: 'sessions', query: 'museum', site: null, limit: 5 };
  await until('the browser forgot it', async () => (await world.browser.ask<unknown[]>(query)).length === 0);
  await until('the companion forgot it', async () => (await world.companion.cli('search', 'whale')).startsWith('Nothing'));
  await dashboard.close();
});
