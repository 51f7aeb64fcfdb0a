/**
 * The companion stopped, killed or frozen, between turns and during them: the page gets one answer or an honest error, the next turn
 * works, and what was folded stays folded.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Conversation } from '../../fixtures/chat.ts';
import type { Recorded } from '../../fixtures/front.ts';
import { type Life, slowAnswer, soon, startLife, wentThroughUs } from '../../fixtures/life.ts';
import { gate, pause, until } from '../../fixtures/process.ts';

const FOLDED = '[Earlier conversation, folded: ';

let life: Life;
let chat: Conversation;
const snapshot = () =>
  life.browser.ask<{ companion: string; session: { session: string } }>({ verb: 'snapshot', site: life.site, tab: null });
const newest = () => life.front.recorded.at(-1) as Recorded;
const turns = () => life.front.recorded.filter(({ body }) => !body.includes('Throughline fold request'));
const connected = () => until('the companion is found', async () => (await snapshot()).companion === 'connected', 30);

const note = (n: number) =>
  `Part ${n} of my notes. ${`The warehouse keeps ladders in row ${n}; deliveries come at noon. `.repeat(8)}`;

/** Talks until the history is folded in what reaches the provider. */
beforeAll(async () => {
  life = await startLife({ window: 4_000 });
  chat = new Conversation(await life.open());
  for (let n = 0; !(turns().at(-1)?.body.includes(FOLDED) ?? false); n++) {
    if (n === 40) throw new Error('nothing was folded');
    expect(await chat.say(note(n))).toMatchObject({ ok: true, error: null });
    await pause(100);
  }
});
afterAll(() => life?.dispose());

beforeEach(async () => {
  const { child } = life.companion.running;
  if (child.exitCode !== null || child.signalCode !== null) life.companion = await life.companion.restart();
  await connected();
});

/** The next turn goes through us, folded, in the same session. */
async function carriesOn(session: string): Promise<void> {
  life.companion = await life.companion.restart();
  await connected();
  expect(await chat.say('And how many ladders are there?')).toMatchObject({ ok: true, error: null });
  expect(wentThroughUs(newest())).toBe(true);
  expect(newest().body.toString()).toContain(FOLDED);
  expect((await snapshot()).session.session).toBe(session);
}

describe.each(['SIGTERM', 'SIGKILL'] as const)('%s', (signal) => {
  const end = () => (signal === 'SIGTERM' ? life.companion.running.stop() : life.companion.running.kill());

  test('between two turns: the turn without it is answered natively, the next one is folded as before', async () => {
    const { session } = await snapshot();
    await end();
    const sent = turns().length;
    expect(await chat.say('Is the warehouse dry?')).toMatchObject({ ok: true, error: null });
    expect(turns().length).toBe(sent + 1);
    expect(wentThroughUs(turns().at(-1) as Recorded)).toBe(false);
    await carriesOn(session.session);
  });

  test('before the first byte of an answer: one answer or an honest error, and on', async () => {
    const { session } = await snapshot();
    const sent = turns().length;
    const hold = gate();
    life.front.fault({ kind: 'hold', until: hold.opened });
    const asking = chat.say('And is it warm?');
    await until('the request arrives', () => turns().length > sent);
    await end();
    const reply = await soon(asking);
    hold.open();
    expect(reply).toMatchObject({ ok: true, error: null });
    expect(turns().length).toBe(sent + 2);
    await carriesOn(session.session);
  });

  test('in the middle of an answer: true bytes and an honest error, nothing sent twice, and on', async () => {
    const { session } = await snapshot();
    const sent = turns().length;
    life.front.fault({ kind: 'live', pieces: slowAnswer(Array.from({ length: 60 }, () => 100)) });
    const asking = chat.say('And is it far?');
    await until('the answer begins', () => (turns()[sent]?.pieces.length ?? 0) > 3);
    await end();
    const reply = await soon(asking);
    expect(reply?.error).toMatch(/^TypeError/);
    const whole = Buffer.concat(turns()[sent]?.pieces ?? []).toString('latin1');
    expect(whole.startsWith(reply?.reads.join('') ?? 'nothing')).toBe(true);
    expect(turns().length).toBe(sent + 1);
    chat.messages.pop();
    await carriesOn(session.session);
  });
});

test('frozen in the middle of an answer and thawed: the answer arrives whole', async () => {
  const sent = turns().length;
  life.front.fault({ kind: 'live', pieces: slowAnswer(Array.from({ length: 20 }, () => 100)) });
  const asking = chat.say('And is it old?');
  await until('the answer begins', () => (turns()[sent]?.pieces.length ?? 0) > 3);
  life.companion.running.child.kill('SIGSTOP');
  await pause(4_000);
  life.companion.running.child.kill('SIGCONT');
  expect(await asking).toMatchObject({ ok: true, error: null });
  expect(turns().length).toBe(sent + 1);
});
