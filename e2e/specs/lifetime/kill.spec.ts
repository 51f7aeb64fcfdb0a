/**
 * The background killed at any moment of a request: the page's request settles within five seconds, the next one works, and the
 * store has no gap.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Conversation } from '../../fixtures/chat.ts';
import { type Life, slowAnswer, startLife } from '../../fixtures/life.ts';
import { gate, pause, until } from '../../fixtures/process.ts';
import type { Tab } from '../../fixtures/tab.ts';

const SETTLES = 5_000;
const EACH = 16;

let life: Life;
let tab: Tab;
let chat: Conversation;
let complaints: Awaited<ReturnType<Tab['complaints']>>;
beforeAll(async () => {
  life = await startLife();
  tab = await life.open();
  complaints = await tab.complaints();
  chat = new Conversation(tab);
  await chat.say('Please describe a frigate to me.');
  // The first kill of a browser is slow: it opens the page that kills.
  await life.browser.killBackground();
  await chat.say('And its guns?');
});
afterAll(async () => {
  complaints?.stop();
  await life?.dispose();
});

/** The reply, which must come within five seconds of the death; then the same question again, which must be answered. */
async function survives(question: string, kill: () => Promise<void>) {
  const sent = life.front.recorded.length;
  const asking = chat.say(question);
  await kill();
  const killed = await life.browser.life();
  await life.browser.killBackground();
  const reply = await Promise.race([asking, pause(SETTLES).then(() => null)]);
  if (reply === null)
    throw new Error(`"${question}" did not settle; it reached the provider ${life.front.recorded.length - sent} times`);
  expect(killed).not.toBeNull();
  expect(await life.browser.life()).not.toBe(killed);
  expect(life.front.recorded.length - sent, 'sent at most twice').toBeLessThanOrEqual(2);
  if (reply.error !== null) {
    expect(reply.error).toMatch(/^TypeError/);
    chat.messages.pop();
    expect(await chat.say(question)).toMatchObject({ ok: true, error: null });
  }
  return reply;
}

const points = Array.from({ length: EACH }, (_, n) => n);

describe.each(points)('point %i', (n) => {
  test('before the request', async () => {
    await life.browser.killBackground();
    await pause(n * 3);
    expect(await chat.say(`Before, ${n}?`)).toMatchObject({ ok: true, error: null });
  });

  test('on its way to the provider: the page gets its answer', async () => {
    const reply = await survives(`On the way, ${n}?`, () => pause(n * 3));
    expect(reply).toMatchObject({ ok: true, error: null });
  });

  test('handed over, nothing answered yet: the page gets its answer', async () => {
    const sent = life.front.recorded.length;
    const hold = gate();
    life.front.fault({ kind: 'hold', until: hold.opened });
    const reply = await survives(`Handed over, ${n}?`, async () => {
      await until('the request arrives', () => life.front.recorded.length > sent);
      await pause(n * 5);
    });
    hold.open();
    expect(reply).toMatchObject({ ok: true, error: null });
  });

  test('while the answer arrives: true bytes and an honest error, or all of it', async () => {
    const sent = life.front.recorded.length;
    life.front.fault({ kind: 'live', pieces: slowAnswer(Array.from({ length: 12 }, () => 25)) });
    const reply = await survives(`While it arrives, ${n}?`, async () => {
      await until('the answer begins', () => (life.front.recorded[sent]?.pieces.length ?? 0) > 0);
      await pause(n * 20);
    });
    const whole = Buffer.concat(life.front.recorded[sent]?.pieces ?? []).toString('latin1');
    expect(whole.startsWith(reply.reads.join(''))).toBe(true);
  });
});

interface Stored {
  readonly record: { readonly session: string; readonly rev: number; readonly nextSeq: number };
  readonly seqs: readonly number[];
}

/** What the extension's database holds, read past our own code. */
function stored(): Promise<readonly Stored[]> {
  return life.browser.inside(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const [found] = await indexedDB.databases();
    const database = await done(indexedDB.open(found?.name ?? ''));
    const reading = database.transaction(['sessions', 'rows']);
    const sessions = (await done(reading.objectStore('sessions').getAll())) as Stored[];
    const rows = (await done(reading.objectStore('rows').getAll())) as { session: string; seq: number }[];
    database.close();
    return sessions.map(({ record }) => ({
      record: { session: record.session, rev: record.rev, nextSeq: record.nextSeq },
      seqs: rows.filter((row) => row.session === record.session).map((row) => row.seq),
    }));
  }, null);
}

test('afterwards: one session, no row missing, both copies at the same revision, nothing red in the page', async () => {
  expect(await chat.say('And what became of her?')).toMatchObject({ ok: true, error: null });
  const theirs = async () =>
    JSON.parse(await life.companion.cli('sessions', '--json')).sessions as { session: string; rev: number }[];
  const [ours] = await until('the answer is stored', async () => {
    const all = await stored();
    const [record] = await theirs();
    return record?.rev === all[0]?.record.rev ? all : null;
  });
  expect(await stored()).toHaveLength(1);
  expect(await theirs()).toHaveLength(1);
  expect(ours?.seqs).toEqual(Array.from({ length: ours?.record.nextSeq ?? 0 }, (_, seq) => seq));
  expect(complaints.seen).toEqual([]);
});
