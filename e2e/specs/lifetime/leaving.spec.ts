/** The person pauses, switches the site off, goes elsewhere and comes back, or closes the tab, while an answer is on its way. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Conversation } from '../../fixtures/chat.ts';
import type { Recorded } from '../../fixtures/front.ts';
import { askAndLeave, type Life, slowAnswer, soon, startLife, wentThroughUs } from '../../fixtures/life.ts';
import { gate, pause, until } from '../../fixtures/process.ts';
import type { Tab } from '../../fixtures/tab.ts';

const ANSWER = Array.from({ length: 20 }, () => 100);

let life: Life;
let tab: Tab;
let chat: Conversation;
let complaints: Awaited<ReturnType<Tab['complaints']>>;
beforeAll(async () => {
  life = await startLife();
});
afterAll(() => life?.dispose());
beforeEach(async () => {
  tab = await life.open();
  complaints = await tab.complaints();
  chat = new Conversation(tab);
  expect(await chat.say('Please describe a lighter to me.')).toMatchObject({ ok: true, error: null });
  expect(wentThroughUs(newest())).toBe(true);
});
afterEach(async () => {
  expect(complaints.seen).toEqual([]);
  complaints.stop();
  await tab.close();
});

const newest = () => life.front.recorded.at(-1) as Recorded;

/** Begins an answer of two seconds; resolves when its first words are on their way. */
async function begun(question: string) {
  const sent = life.front.recorded.length;
  life.front.fault({ kind: 'live', pieces: slowAnswer(ANSWER) });
  const asking = chat.say(question);
  await until('the answer begins', () => (life.front.recorded[sent]?.pieces.length ?? 0) > 2);
  return { asking, request: life.front.recorded[sent] as Recorded };
}

const SWITCHES = {
  pause: {
    off: () => life.browser.ask({ verb: 'pause', until: null, tab: null }),
    on: () => life.browser.ask({ verb: 'resume' }),
  },
  'the site switched off': {
    off: () => life.browser.ask({ verb: 'site.set', site: life.site, on: false }),
    on: () => life.browser.ask({ verb: 'site.set', site: life.site, on: true }),
  },
};

describe.each(Object.entries(SWITCHES))('%s', (_name, { off, on }) => {
  afterEach(on);

  test('while an answer arrives: it arrives whole, the next request is native, and after the switch back one is ours again', async () => {
    const { asking } = await begun('And a barge?');
    await off();
    const reply = await asking;
    expect(reply).toMatchObject({ ok: true, error: null });
    expect(reply.text).toBe(ANSWER.map((_, n) => `word ${n} `).join(''));
    const sent = life.front.recorded.length;
    expect(await chat.say('And a pram?')).toMatchObject({ ok: true, error: null });
    expect(wentThroughUs(newest())).toBe(false);
    expect(life.front.recorded.length).toBe(sent + 1);
    await on();
    expect(await chat.say('And a scow?')).toMatchObject({ ok: true, error: null });
    expect(wentThroughUs(newest())).toBe(true);
  });

  test('before the answer begins: it is waited for, and nothing is sent twice', async () => {
    const sent = life.front.recorded.length;
    const hold = gate();
    life.front.fault({ kind: 'hold', until: hold.opened });
    const asking = chat.say('And a raft?');
    await until('the request arrives', () => life.front.recorded.length > sent);
    await off();
    await pause(500);
    hold.open();
    expect(await soon(asking)).toMatchObject({ ok: true, error: null });
    expect(life.front.recorded.length).toBe(sent + 1);
  });
});

test('the tab closed while an answer arrives: the provider sees that nobody listens', async () => {
  const other = await life.open();
  const sent = life.front.recorded.length;
  life.front.fault({ kind: 'live', pieces: slowAnswer(ANSWER) });
  await askAndLeave(other, [{ role: 'user', content: 'Please describe a float to me.' }]);
  await until('the answer begins', () => (life.front.recorded[sent]?.pieces.length ?? 0) > 2);
  await other.close();
  await until('the provider is left', () => life.front.recorded[sent]?.aborted, 2);
});

test('gone to another page while an answer arrives: the provider is left; back again, requests are ours', async () => {
  const sent = life.front.recorded.length;
  life.front.fault({ kind: 'live', pieces: slowAnswer(ANSWER) });
  await askAndLeave(tab, [{ role: 'user', content: 'Please describe a coracle to me.' }]);
  await until('the answer begins', () => (life.front.recorded[sent]?.pieces.length ?? 0) > 2);
  await tab.goto(`${life.site}/?elsewhere`);
  await until('the provider is left', () => life.front.recorded[sent]?.aborted, 2);
  await tab.goto(`${life.site}/`);
  expect(await chat.say('And a canoe?')).toMatchObject({ ok: true, error: null });
  expect(wentThroughUs(newest())).toBe(true);
});

describe('gone and back in a page that the browser kept frozen', () => {
  const goAndComeBack = async () => {
    await tab.evaluate(() => {
      Object.assign(globalThis, { same: true });
      addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { persisted }));
    });
    await tab.goto(`${life.site}/?elsewhere`);
    // Later, so that the call ends in the page it began in.
    await tab.evaluate(() => void setTimeout(() => history.back(), 0));
    await tab.shows(() => (globalThis as { same?: boolean }).same === true);
    expect(await tab.evaluate(() => (globalThis as { persisted?: boolean }).persisted)).toBe(true);
  };
  const worksAgain = async () => {
    for (const question of ['And a kayak?', 'And a dinghy?']) {
      const sent = life.front.recorded.length;
      expect(await soon(chat.say(question))).toMatchObject({ ok: true, error: null });
      expect(life.front.recorded.length).toBe(sent + 1);
      expect(wentThroughUs(newest())).toBe(true);
    }
  };

  test('its next requests work and are ours', async () => {
    await goAndComeBack();
    await worksAgain();
  });

  test('the answer that was on its way ends in an honest error, the provider was left, and the next requests work', async () => {
    const sent = life.front.recorded.length;
    life.front.fault({ kind: 'live', pieces: slowAnswer(ANSWER) });
    const left = await askAndLeave(tab, [{ role: 'user', content: 'Please describe an umiak to me.' }]);
    await until('the answer begins', () => (life.front.recorded[sent]?.pieces.length ?? 0) > 2);
    await goAndComeBack();
    expect((await until('the request settles', left.outcome, 5)).error).toMatch(/^TypeError/);
    expect(life.front.recorded[sent]?.aborted).toBe(true);
    await worksAgain();
  });
});
