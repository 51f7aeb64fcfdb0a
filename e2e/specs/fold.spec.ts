/**
 * Folding in a real browser, judged on the bytes that reach the provider.
 */
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../fixtures/chat.ts';
import type { Recorded } from '../fixtures/front.ts';
import { pause, until } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

interface BlockLine {
  blockId: string;
  state: string;
  messages: number;
  refs: [string, string];
}
interface Detail {
  session: string;
  messages: number;
  saved: number;
  blockList: BlockLine[];
}
interface Original {
  seq: number;
  role: string;
  raw: string;
}

let world: World;
beforeAll(async () => {
  world = await startWorld({ window: 4_000 });
});
afterAll(() => world?.dispose());

const detail = async () =>
  (await world.browser.ask<{ session: Detail }>({ verb: 'snapshot', site: world.site, tab: null })).session;
const chats = (requests: readonly Recorded[]) => requests.filter((one) => !one.body.includes('Throughline fold request'));
const last = () => (chats(world.front.recorded).at(-1) as Recorded).body.toString();

/** Talks until the session has a block that stands in the request just sent. */
async function grow(chat: Conversation, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    const reply = await chat.say(
      `Part ${turn} of my notes. ${`The warehouse keeps pallets, ladders and crates in row ${turn}; deliveries come at noon. `.repeat(6)}`,
    );
    expect(reply).toMatchObject({ ok: true, error: null });
    await pause(60);
    if (last().includes('[Earlier conversation, folded: ')) return;
  }
  throw new Error(`no block stood after ${turns} turns`);
}

test.each(['openai-chat', 'anthropic-messages'] as const)(
  'old history is folded, facts in it are still answered, originals stay byte-equal, unfolding sends them again (%s)',
  async (wire) => {
    const page = await world.open();
    const value = `${randomInt(1000, 9999)}-${randomInt(1000, 9999)}`;
    const chat = new Conversation(page, { wire }, 'You are an attentive assistant.');
    const planted = `Please remember this. The locker code is ${value}. I will ask for it later.`;
    await chat.say(planted);
    await grow(chat, 30);

    const sent = last();
    expect(sent).not.toContain(JSON.stringify(planted).slice(1, -1));
    expect(chat.messages.length).toBeGreaterThan((JSON.parse(sent) as { messages: unknown[] }).messages.length);
    const answer = await chat.say('What is the locker code?');
    expect(answer.text).toContain(value);
    expect(last()).not.toContain(JSON.stringify(planted).slice(1, -1));

    const shown = await detail();
    const block = shown.blockList.find((one) => one.state === 'folded') as BlockLine;
    const opened = await world.browser.ask<{ originals: Original[]; verified: boolean }>({
      verb: 'block',
      session: shown.session,
      block: block.blockId,
    });
    expect(opened.verified).toBe(true);
    expect(opened.originals.length).toBe(block.messages);
    const page_ = chat.messages.filter((one) => one.role !== 'system').map((one) => JSON.stringify(one));
    for (const original of opened.originals) expect(page_).toContain(original.raw);

    for (const one of shown.blockList.filter((entry) => entry.state === 'folded'))
      await world.browser.ask({ verb: 'unfold', session: shown.session, block: one.blockId });
    await world.browser.ask({ verb: 'fold.mode', session: shown.session, mode: 'off' });
    await chat.say('Thank you. Is there anything else?');
    const full = (JSON.parse(last()) as { messages: unknown[] }).messages.length;
    expect(full).toBe(chat.messages.length - 1 - (wire === 'anthropic-messages' ? 1 : 0));
    expect(last()).toContain(JSON.stringify(planted).slice(1, -1));
    await page.close();
  },
);

test('the folded prefix is byte-stable from turn to turn, and survives a restart of the companion and the background', async () => {
  const page = await world.open();
  const chat = new Conversation(page);
  await grow(chat, 30);
  const upToBlockEnd = (body: string) =>
    body.slice(0, body.indexOf('"role":"assistant"', body.indexOf('[Earlier conversation, folded: ')));
  const first = upToBlockEnd(last());
  await chat.say('A short one.');
  expect(last().startsWith(first)).toBe(true);
  await world.companion.running.kill();
  world.companion = await world.companion.restart();
  await world.browser.killBackground();
  await until('the extension is connected again', async () => {
    const snapshot = await world.browser.ask<{ companion: string }>({ verb: 'snapshot', site: world.site, tab: null });
    return snapshot.companion === 'connected';
  });
  await chat.say('Another short one.');
  expect(last().startsWith(first)).toBe(true);
  await page.close();
});

test('a folded request that the provider refuses is sent once more as the page wrote it, and its blocks are set aside', async () => {
  const page = await world.open();
  const chat = new Conversation(page);
  await grow(chat, 30);
  const from = world.front.recorded.length;
  world.front.fault({
    kind: 'answer',
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: '{"error":{"message":"Invalid message order.","type":"invalid_request_error"}}',
  });
  const reply = await chat.say('Does this still work?');
  expect(reply).toMatchObject({ ok: true, error: null });
  const two = chats(world.front.recorded.slice(from));
  expect(two).toHaveLength(2);
  expect((two[0] as Recorded).body.toString()).toContain('[Earlier conversation, folded: ');
  expect((JSON.parse((two[1] as Recorded).body.toString()) as { messages: unknown[] }).messages).toEqual(
    chat.messages.slice(0, -1),
  );
  await until('the block is set aside', async () => (await detail()).blockList.some((one) => one.state === 'quarantined'));
  await page.close();
});

test('a conversation that was never enabled for folding reaches the provider byte-identical', async () => {
  const page = await world.open();
  const chat = new Conversation(page, {}, 'Short.');
  const bodies: string[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const before = JSON.stringify({
      model: 'demo-small',
      messages: [...chat.messages, { role: 'user', content: `Hello number ${turn}, how are you?` }],
      stream: true,
    });
    await chat.say(`Hello number ${turn}, how are you?`);
    bodies.push(before);
    expect(last()).toBe(before);
  }
  await page.close();
});
