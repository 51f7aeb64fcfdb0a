/**
 * Never worse than not installed, in real Firefox: what the page gets when something of ours is missing, dies or is slow. Errors
 * read as Firefox words them.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Conversation, type Reply } from '../../fixtures/chat.ts';
import type { FirefoxBrowser, FirefoxTab } from '../../fixtures/firefox.ts';
import { type FirefoxWorld, startBareFirefox, startFirefoxWorld } from '../../fixtures/firefox-world.ts';
import type { Recorded } from '../../fixtures/front.ts';
import { wentThroughUs } from '../../fixtures/life.ts';
import { gate, pause, until } from '../../fixtures/process.ts';

interface Look {
  readonly companion: string;
  readonly session: { readonly session: string; readonly stats: { readonly possibleDoubleBills: number } };
}

let world: FirefoxWorld;
let page: FirefoxTab;
let bare: FirefoxBrowser;
/** A reply that breaks off, as a Firefox without us tells it. */
let broken: Reply;
beforeAll(async () => {
  world = await startFirefoxWorld();
  page = await world.open();
  bare = await startBareFirefox(world);
  const native = await bare.open(world.site);
  world.front.fault({ kind: 'cut-after', bytes: 300 });
  broken = await new Conversation(native).say('Please describe a tug to me, in detail.');
});
afterAll(async () => {
  await bare?.close();
  await world?.dispose();
});

const look = () => world.browser.ask<Look>({ verb: 'snapshot', site: world.site, tab: null });
const connected = () => until('the extension is connected', async () => (await look()).companion === 'connected', 60);
const at = (index: number) => world.front.recorded[index] as Recorded;

beforeEach(async () => {
  const { child } = world.companion.running;
  if (child.exitCode !== null || child.signalCode !== null) world.companion = await world.companion.restart();
  await connected();
});

/** A conversation with one turn, and how many requests the provider has had by then. */
async function begun(about: string): Promise<{ chat: Conversation; from: number }> {
  const chat = new Conversation(page);
  expect(await chat.say(`Please describe a ${about} to me.`)).toMatchObject({ ok: true, error: null });
  expect(wentThroughUs(world.front.recorded.at(-1) as Recorded)).toBe(true);
  return { chat, from: world.front.recorded.length };
}

/** Says something whose reply stops after its first bytes until `hold` opens. */
async function halfSaid(chat: Conversation, from: number) {
  const hold = gate();
  world.front.fault({ kind: 'hold-after', bytes: 200, until: hold.opened });
  const pending = chat.say('And another, in detail?');
  await until('the reply begins', () => (world.front.recorded[from]?.pieces.length ?? 0) > 0, 30);
  await pause(500);
  return { pending, hold };
}

test('the companion killed before a request: it goes out natively, once, and the page gets its answer', async () => {
  const { chat, from } = await begun('schooner');
  await world.companion.running.kill();
  expect(await chat.say('And how many masts has it?')).toMatchObject({ ok: true, error: null });
  expect(world.front.recorded.length).toBe(from + 1);
  expect(wentThroughUs(at(from))).toBe(false);
});

test('killed after dispatch and before the first byte: native once, and the possible double bill is counted', async () => {
  const { chat, from } = await begun('ketch');
  const before = (await look()).session.stats.possibleDoubleBills;
  const hold = gate();
  world.front.fault({ kind: 'hold', until: hold.opened });
  const pending = chat.say('And a yawl?');
  await until('the request arrives', () => world.front.recorded.length > from, 30);
  await world.companion.running.kill();
  const reply = await pending;
  hold.open();
  expect(reply).toMatchObject({ ok: true, error: null });
  expect(world.front.recorded.length).toBe(from + 2);
  expect(at(from + 1).body.equals(at(from).body)).toBe(true);
  expect((await look()).session.stats.possibleDoubleBills).toBe(before + 1);
});

test('killed in the middle of a reply: true bytes, then the error of a broken reply, nothing sent twice', async () => {
  const { chat, from } = await begun('barque');
  const { pending, hold } = await halfSaid(chat, from);
  await world.companion.running.kill();
  const reply = await pending;
  hold.open();
  expect(reply.error).toBe(broken.error);
  expect(reply.reads.length).toBeGreaterThan(0);
  expect(Buffer.concat(at(from).pieces).toString('latin1').startsWith(reply.reads.join(''))).toBe(true);
  expect(world.front.recorded.length).toBe(from + 1);
  expect(await chat.say('Once more, please.')).toMatchObject({ ok: true, error: null });
});

test('the provider breaks off: the page sees what it sees without us', async () => {
  const { chat, from } = await begun('tug');
  world.front.fault({ kind: 'cut-after', bytes: 300 });
  const reply = await chat.say('And a pilot boat, in detail?');
  expect(reply).toMatchObject({ error: broken.error, status: broken.status, contentType: broken.contentType });
  expect(world.front.recorded.length).toBe(from + 1);
});

test('the background ended between two turns: the next turn works, through us, in the same session', async () => {
  const { chat, from } = await begun('lugger');
  const { session } = await look();
  await world.browser.killBackground();
  expect(await world.browser.life()).toBe('stopped');
  expect(await chat.say('And its rig?')).toMatchObject({ ok: true, error: null });
  expect(wentThroughUs(at(from))).toBe(true);
  expect(await chat.say('And its crew?')).toMatchObject({ ok: true, error: null });
  expect((await look()).session.session).toBe(session.session);
});

test('the background ended while an answer streams: the page is told, never left waiting; the next request works', async () => {
  const { chat, from } = await begun('cog');
  const { pending, hold } = await halfSaid(chat, from);
  await world.browser.killBackground();
  const reply = await pending;
  expect(reply.error).toBe(broken.error);
  await until('the provider sees that nobody listens', () => at(from).aborted);
  hold.open();
  expect(world.front.recorded.length).toBe(from + 1);
  expect(await chat.say('Once more, please.')).toMatchObject({ ok: true, error: null });
});

test('an abort of the page reaches the provider, with the reason of the page', async () => {
  const { from } = await begun('junk');
  const hold = gate();
  world.front.fault({ kind: 'hold', until: hold.opened });
  const said = page.evaluate(async () => {
    const controller = new AbortController();
    const body = '{"model":"demo-small","stream":true,"messages":[{"role":"user","content":"I shall change my mind."}]}';
    const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' };
    const pending = fetch('/v1/chat/completions', { method: 'POST', headers, body, signal: controller.signal });
    setTimeout(() => controller.abort(new RangeError('my own reason')), 1_000);
    return pending.then(String, String);
  });
  await until('the request arrives', () => world.front.recorded.length > from, 30);
  expect(await said).toBe('RangeError: my own reason');
  await until('the provider sees the abort', () => at(from).aborted);
  hold.open();
});

test('without a companion fifty turns go out natively, each once, byte for byte', async () => {
  await world.companion.running.kill();
  const from = world.front.recorded.length;
  const sent: string[] = [];
  for (let turn = 0; turn < 50; turn++) {
    const body = `{ "model" : "demo-small",\n "messages" : [ {"content": "pretty ${turn}, é 漢字", "role":"user"} ] }`;
    sent.push(body);
    expect(await new Conversation(page, { rawBody: body }).say('')).toMatchObject({ ok: true, error: null });
  }
  const arrived = world.front.recorded.slice(from);
  expect(arrived.map((one) => one.body.toString())).toEqual(sent);
  expect(arrived.some(wentThroughUs)).toBe(false);
});
