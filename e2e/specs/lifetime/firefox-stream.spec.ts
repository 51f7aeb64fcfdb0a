/**
 * Firefox ends an event page after 30 idle seconds, and neither an open port nor traffic on a WebSocket counts as work: only our
 * keepalive carries a stream. The control has none, and loses it; the idle page shows that nothing of the tests keeps it awake.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../../fixtures/chat.ts';
import { type FirefoxBrowser, type FirefoxTab, startFirefox } from '../../fixtures/firefox.ts';
import { firefoxFor } from '../../fixtures/firefox-world.ts';
import { askAndLeave, settled, slowAnswer } from '../../fixtures/life.ts';
import { until } from '../../fixtures/process.ts';
import { BACKGROUND_TIMER_OFF, type Change, PAGE_TIMER_OFF } from '../../fixtures/variant.ts';
import { type Services, startServices } from '../../fixtures/world.ts';

const SILENT = 35_000;
/** Two words, the silence, then a word a second: more than seventy seconds in all. */
const PAUSES = [100, 100, SILENT, ...Array.from({ length: 38 }, () => 1_000)];

interface Running {
  readonly browser: FirefoxBrowser;
  readonly tab: FirefoxTab;
  readonly end: ReturnType<typeof settled>;
}

let services: Services;
let built: Running;
let control: Running;

async function begin(changes: readonly Change[], name: string): Promise<Running> {
  const browser = await startFirefox({ ...firefoxFor(services), changes });
  await browser.pair(await services.companion.pairLink());
  await browser.enable(services.site);
  const tab = await browser.open(services.site);
  const sent = services.front.recorded.length;
  services.front.fault({ kind: 'live', pieces: slowAnswer(PAUSES) });
  const left = await askAndLeave(tab, [{ role: 'user', content: `Please describe a ship to me, slowly: ${name}.` }]);
  await until('the request arrives', () => services.front.recorded.length > sent, 30);
  const end = settled(browser, left, 150);
  // Whoever awaits it later hears of a failure; until then it is nobody's.
  end.catch(() => undefined);
  return { browser, tab, end };
}

beforeAll(async () => {
  services = await startServices();
  built = await begin([], 'as built');
  control = await begin([BACKGROUND_TIMER_OFF, PAGE_TIMER_OFF], 'nothing keeps it awake');
}, 400_000);
afterAll(async () => {
  for (const one of [built, control]) await one?.browser.close();
  await services?.dispose();
}, 60_000);

test('a stream of more than seventy seconds, half a minute of it silent, arrives whole', async () => {
  const { seen, life } = await built.end;
  expect(seen).toMatchObject({ status: 200, error: null });
  expect(seen.body).toContain('[DONE]');
  expect(seen.longest).toBeGreaterThan(SILENT - 1_000);
  expect(seen.took).toBeGreaterThan(70_000);
  expect(life).toBe('running');
});

test('control: without keepalive the event page is ended in the silence, and the page is told in the words of Firefox', async () => {
  const { seen } = await control.end;
  expect(seen.error).toBe('TypeError: Error in input stream');
  expect(seen.body).toContain('word 1');
  expect(seen.took).toBeLessThan(70_000);
});

test('control: the idle event page is suspended; the next request wakes it and is recognised', async () => {
  const { browser, tab } = built;
  const session = async () => {
    const asked = { verb: 'snapshot', site: services.site, tab: null };
    return (await browser.ask<{ session: { session: string } }>(asked)).session.session;
  };
  const chat = new Conversation(tab);
  expect(await chat.say('Please describe a dhow to me.')).toMatchObject({ ok: true, error: null });
  const before = await session();
  await until('the event page is ended', async () => (await browser.life()) !== 'running', 120);
  expect(await chat.say('And its sail?')).toMatchObject({ ok: true, error: null });
  expect(await browser.life()).toBe('running');
  expect(await session()).toBe(before);
});
