/**
 * Which conversation is this? Judged in a real page, by what the popup would show.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation, type Message, send } from '../fixtures/chat.ts';
import { until } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

interface Summary {
  session: string;
  title: string;
  turns: number;
  lineage: { kind: string; parents: string[]; shared: number } | null;
}
interface Detail extends Summary {
  why: { via: string; depth: number; incoming: number; reason: { code: string } };
}

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.dispose());

const sessions = () => world.browser.ask<Summary[]>({ verb: 'sessions', query: '', site: null, limit: 100 });
/** The session the popup shows, once nothing is under way any more: a turn is committed just behind its answer. */
const current = async () => {
  const look = () =>
    world.browser.ask<{ session: Detail | null; live: unknown }>({ verb: 'snapshot', site: world.site, tab: null });
  await until('nothing is under way', async () => (await look()).live === null);
  const { session } = await look();
  if (!session) throw new Error('no session is shown');
  return session;
};

test('a growing conversation is one session, matched by its full prefix at every turn', async () => {
  const page = await world.open();
  const chat = new Conversation(page, {}, 'You are kind.');
  await chat.say('Tell me about the harbour of Bergen, please.');
  const born = await current();
  expect(born.why.via).toBe('new');
  for (let turn = 1; turn <= 4; turn++) {
    await chat.say(`Thank you. Now tell me something else about it, number ${turn}.`);
    const now = await current();
    expect(now.session).toBe(born.session);
    expect(now.why).toMatchObject({ via: 'prefix', depth: turn * 2 - 1, incoming: turn * 2 + 1 });
  }
  await page.close();
});

test('a changed system prompt, model, key and sampling leave the session where it was', async () => {
  const page = await world.open();
  const chat = new Conversation(page, {}, 'It is 10:01.');
  await chat.say('Which tide tables should I use for the fjord?');
  const born = await current();
  chat.messages[0] = { role: 'system', content: 'It is 10:04 and the weather is fine.' };
  await chat.say('And for the open coast?', {
    model: 'demo-32k',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-another-key' },
  });
  expect((await current()).session).toBe(born.session);
  await page.close();
});

test('one conversation over two wires is one session', async () => {
  const page = await world.open();
  const chat = new Conversation(page);
  await chat.say('Which lighthouse stands at the mouth of the river?');
  const born = await current();
  await chat.say('And who kept it?', { wire: 'anthropic-messages' });
  await chat.say('Until when?');
  expect((await current()).session).toBe(born.session);
  await page.close();
});

test('an edited question forks, with its parent and the depth they share; the old line goes on', async () => {
  const page = await world.open();
  const chat = new Conversation(page);
  for (const question of ['How do ropes age in salt water?', 'Which fibre lasts longest?', 'How is it spliced?', 'And stored?'])
    await chat.say(question);
  const parent = await current();
  const edited: Message[] = [...chat.messages.slice(0, 4), { role: 'user', content: 'How is it knotted instead?' }];
  await send(page, edited);
  const fork = await current();
  expect(fork.session).not.toBe(parent.session);
  expect(fork.lineage).toEqual({ kind: 'forked', parents: [parent.session], shared: 4 });
  await chat.say('Thanks, and what does it weigh?');
  expect((await current()).session).toBe(parent.session);
  await page.close();
});

test('asking for the same answer again stays in the session and moves nothing', async () => {
  const page = await world.open();
  const chat = new Conversation(page);
  await chat.say('Name the parts of an anchor for me.');
  await chat.say('Which one holds best in mud?');
  const before = await current();
  await send(page, chat.messages.slice(0, 3));
  const after = await current();
  expect(after.session).toBe(before.session);
  expect(after.why).toMatchObject({ via: 'prefix', depth: 3, incoming: 3, reason: { code: 'head-repeated' } });
  await page.close();
});

test('a second conversation with the words that opened a grown one is its own session', async () => {
  const page = await world.open();
  const grown = new Conversation(page);
  for (const text of ['Hello there, good morning!', 'I have a question about keels.', 'How deep should one be?'])
    await grown.say(text);
  const old = await current();
  const second = new Conversation(page);
  await second.say('Hello there, good morning!');
  const young = await current();
  expect(young.session).not.toBe(old.session);
  await second.say('Something else: how do I caulk a seam?');
  expect((await current()).session).toBe(young.session);
  await grown.say('And how heavy?');
  expect((await current()).session).toBe(old.session);
  await page.close();
});

test('two requests under way that extend one head differently never share a session', async () => {
  const page = await world.open();
  const chat = new Conversation(page);
  await chat.say('What is the difference between a sloop and a cutter?');
  const base = chat.messages;
  await current();
  const before = (await sessions()).length;
  await Promise.all([
    send(page, [...base, { role: 'user', content: 'Which one is faster upwind?' }]),
    send(page, [...base, { role: 'user', content: 'Which one is easier alone?' }]),
  ]);
  await until('both turns are committed', async () => (await sessions()).length > before);
  await current();
  expect((await sessions()).length).toBe(before + 1);
  await page.close();
});

test('the same words opened in another page instance are a new session at once', async () => {
  const first = await world.open();
  await send(first, [{ role: 'user', content: 'Good evening, I would like to talk about sails.' }]);
  const one = await current();
  const second = await world.open();
  await send(second, [{ role: 'user', content: 'Good evening, I would like to talk about sails.' }]);
  expect((await current()).session).not.toBe(one.session);
  await first.close();
  await second.close();
});
