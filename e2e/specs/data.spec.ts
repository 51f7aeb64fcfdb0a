/**
 * The person's data from the command line, with a browser attached: found, taken out, forgotten on both sides, taken in again.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../fixtures/chat.ts';
import { until } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

interface Summary {
  session: string;
  title: string;
  turns: number;
}

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.dispose());

const sessions = () => world.browser.ask<Summary[]>({ verb: 'sessions', query: '', site: null, limit: 100 });
const cli = (...args: string[]) => world.companion.cli(...args);
/** What went wrong, as the person reads it. */
const refusal = (...args: string[]) =>
  cli(...args).then(
    () => 'done',
    (error: { stderr?: string }) => error.stderr ?? '',
  );

test('a conversation is searched, exported, forgotten in the browser too, and taken in again', async () => {
  const page = await world.open();
  const chat = new Conversation(page);
  await chat.say('Where does the 长江 river meet the sea?');
  await chat.say('And how long is it altogether?');
  await until('both turns are stored', async () => (await sessions())[0]?.turns === 3);
  const [born] = await sessions();
  if (!born) throw new Error('nothing was stored');

  await until('the companion finds it', async () => (await cli('search', '长江')).includes(born.session));
  const file = join(world.companion.data, 'export.json');
  await cli('export', '--all', '--out', file);

  expect(await cli('forget', born.session, '--yes')).toContain('Forgotten: 1');
  await until('the browser forgot it', async () => (await sessions()).length === 0);
  expect(await cli('search', '长江')).toBe('Nothing was found.\n');

  expect(await refusal('import', file)).toMatch(/^throughline: forgotten: /);
  expect(await sessions()).toEqual([]);
  expect(await cli('import', file, '--again')).toContain('Taken in: 1');
  await until('the browser has it again', async () => (await sessions()).length === 1);
  const [again] = await sessions();
  expect(again).toMatchObject({ title: born.title, turns: 3 });
  expect(again?.session).not.toBe(born.session);

  await chat.say('Thank you. Which cities lie on it?');
  await until('the conversation goes on in it', async () => (await sessions())[0]?.turns === 5);
  expect(await sessions()).toMatchObject([{ session: again?.session }]);
  await page.close();
});

test('what is forgotten while the browser is away is gone when it is back', async () => {
  const page = await world.open();
  await new Conversation(page).say('A question that only this browser and the companion know.');
  await until('it is stored', async () => (await sessions()).some((one) => one.title.startsWith('A question')));
  await until('the companion has it', async () => (await cli('search', 'companion')).includes('(user)'));
  await world.companion.running.stop();
  expect(await cli('forget', '--all', '--yes')).toMatch(/^Forgotten: \d+ conversations?\./);
  world.companion = await world.companion.restart();
  await until('the browser forgot all', async () => (await sessions()).length === 0, 30);
  await page.close();
});
