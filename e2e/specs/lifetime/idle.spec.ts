/**
 * The background sleeps when nothing is under way, and its next life carries on. The first law is the control of every other file
 * here: nothing of the tests keeps the background awake.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../../fixtures/chat.ts';
import { type Life, startLife } from '../../fixtures/life.ts';
import { until } from '../../fixtures/process.ts';

let life: Life;
beforeAll(async () => {
  life = await startLife();
});
afterAll(() => life?.dispose());

const session = async () => {
  const asked = { verb: 'snapshot', site: life.site, tab: null };
  return (await life.browser.ask<{ session: { session: string } }>(asked)).session.session;
};

test('an open page and an open port keep no background awake; the next request of that page works and is recognised', async () => {
  const tab = await life.open();
  const chat = new Conversation(tab);
  expect(await chat.say('Please describe a dhow to me.')).toMatchObject({ ok: true, error: null });
  const [before, first] = [await session(), await life.browser.life()];
  expect(first).not.toBeNull();
  await until('the background sleeps', async () => (await life.browser.life()) === null, 90);
  const sent = life.front.recorded.length;
  expect(await chat.say('And its sail?')).toMatchObject({ ok: true, error: null });
  expect(life.front.recorded.length).toBe(sent + 1);
  expect(await life.browser.life()).not.toBe(first);
  expect(await session()).toBe(before);
  await tab.close();
});
