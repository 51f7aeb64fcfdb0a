/**
 * Real SDKs on Node through the http lane: what each receives is what it receives without us, read by read; its turns are one session;
 * old history is folded, and what was said in it is still known.
 */
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fetching, NODE_CLIENTS, type NodeClient } from '../fixtures/clients/node.ts';
import { type Companion, startCompanion } from '../fixtures/companion.ts';
import { pause, type Running, start, until } from '../fixtures/process.ts';

/** Milliseconds between the events of an answer: on a busy machine reads run together, then the conversation is held again, slower. */
const PACES = [20, 60, 200];
const QUESTIONS = [
  'Good morning! Which instruments does a small orchestra need?',
  'And which of them is the oldest?',
  'Who built the first one?',
  'Where is it kept today?',
  'Thank you. Can it still be played?',
];

let model: { origin: string; running: Running };
let companion: Companion;
let lane: string;
beforeAll(async () => {
  const { running, match } = await start(
    process.execPath,
    ['--import', 'tsx', 'e2e/demo/main.ts', '--port', '0'],
    /listening on (http:\/\/127\.0\.0\.1:\d+)/,
  );
  model = { running, origin: match[1] as string };
  companion = await startCompanion({
    args: ['--allow-upstream', model.origin],
    env: { THROUGHLINE_FOLD_WINDOW_TOKENS: '4000', THROUGHLINE_FOLD_KEEP_TOKENS: '250' },
  });
  lane = await laneOf('agent');
});
afterAll(async () => {
  await companion?.dispose();
  await model?.running.stop();
});

/** The base URL of a key, as the command line prints it. */
async function laneOf(name: string): Promise<string> {
  const printed = await companion.cli('lane', '--name', name);
  const url = printed.match(/http:\/\/127\.0\.0\.1:\d+\/lane\/[0-9a-f]+/);
  if (!url) throw new Error('throughline lane printed no base URL');
  return url[0];
}

const control = async (path: string, body: object): Promise<void> => {
  const answer = await fetch(`${model.origin}/demo/${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
};
interface Logged {
  n: number;
  kind: 'turn' | 'summary';
  path: string;
  headers: Record<string, string>;
}
const logged = async (): Promise<Logged[]> => (await fetch(`${model.origin}/demo/requests`)).json() as Promise<Logged[]>;
const bodyOf = async ({ n }: Logged): Promise<string> => (await fetch(`${model.origin}/demo/requests/${n}/body`)).text();

interface Received {
  readonly status: number;
  readonly headers: [string, string][];
  readonly reads: string[];
  readonly ours: Record<string, string>;
}

/** A fetch that takes down what its caller reads, as it is read. */
function recording(): { fetch: Fetching; received: Received[] } {
  const received: Received[] = [];
  const recorded: Fetching = async (...args) => {
    const response = await fetch(...args);
    const all = [...response.headers];
    const ours = Object.fromEntries(all.filter(([name]) => name.startsWith('x-throughline-')));
    const headers = all.filter(
      ([name]) => !/^(x-throughline-.*|date|connection|keep-alive|transfer-encoding|x-request-id)$/.test(name),
    );
    const reads: string[] = [];
    received.push({ status: response.status, headers, reads, ours });
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        reads.push(Buffer.from(bytes).toString('latin1'));
        controller.enqueue(bytes);
      },
    });
    return new Response(response.body?.pipeThrough(tap) ?? null, response);
  };
  return { fetch: recorded, received };
}

const bare = ({ status, headers, reads }: Received) => ({ status, headers, reads });

const runs = [...NODE_CLIENTS].flatMap(([name, client]) => [true, false].map((stream) => ({ name, client, stream })));
async function talk(client: NodeClient, base: string, about: string, pace: number) {
  await control('reset', {});
  await control('options', { pace, sentences: 2 });
  const { fetch: recorded, received } = recording();
  const say = client(base, recorded);
  const replies: string[][] = [];
  for (const [turn, question] of QUESTIONS.entries())
    replies.push(await say(turn === 0 ? `${question} (${about})` : question, pace > 0));
  const turns = (await logged()).filter(({ kind }) => kind === 'turn');
  const headers = turns.map((one) => Object.entries(one.headers).filter(([name]) => name !== 'connection' && name !== 'host'));
  return { replies, received, sent: await Promise.all(turns.map(bodyOf)), headers };
}

test.each(runs)('$name, streaming $stream: the same reads as without us, one session', async ({ name, client, stream }) => {
  for (const pace of stream ? PACES : [0]) {
    const about = `${name}, ${pace}`;
    const native = await talk(client, model.origin, about, pace);
    const through = await talk(client, `${lane}/${model.origin}`, about, pace);
    const same = isDeepStrictEqual(through.received.map(bare), native.received.map(bare));
    if (stream && !same && pace !== PACES.at(-1)) continue;
    expect(through.replies).toEqual(native.replies);
    expect(through.received.map(bare)).toEqual(native.received.map(bare));
    expect(through.sent).toEqual(native.sent);
    expect(through.headers).toEqual(native.headers);
    if (stream) for (const one of through.received) expect(one.reads.length).toBeGreaterThan(2);
    const said = through.received.map(({ ours }) => ours);
    expect(new Set(said.map((one) => one['x-throughline-session'])).size).toBe(1);
    expect(said.map((one) => one['x-throughline-via'])).toEqual(['new', ...QUESTIONS.slice(1).map(() => 'prefix')]);
    return;
  }
});

const folding = [...NODE_CLIENTS].map(([name, client], i) => ({ name, client, stream: i % 2 === 0 }));
test.each(folding)('$name: old history is folded, and what was said in it is still known', async ({ name, client, stream }) => {
  await control('reset', {});
  const { fetch: recorded, received } = recording();
  const say = (client as NodeClient)(`${lane}/${model.origin}`, recorded);
  const value = `${randomInt(1000, 9999)}-${randomInt(1000, 9999)}`;
  const planted = `Please remember this (${name}). The locker code is ${value}. I will ask for it later.`;
  await say(planted, stream);
  const last = async () => bodyOf((await logged()).filter(({ kind }) => kind === 'turn').at(-1) as Logged);
  let stands = false;
  for (let turn = 0; turn < 30 && !stands; turn += 1) {
    const row = `The warehouse keeps pallets, ladders and crates in row ${turn}; deliveries come at noon. `;
    await say(`Part ${turn} of my notes. ${row.repeat(6)}`, stream);
    await pause(60);
    stands = (await last()).includes('[Earlier conversation, folded: ');
  }
  expect(stands).toBe(true);
  expect((await say('What is the locker code?', stream)).join('')).toContain(value);
  expect(await last()).not.toContain(planted);
  const session = received.at(-1)?.ours['x-throughline-session'] as string;
  const [got = 0, sent = 0] = (received.at(-1)?.ours['x-throughline-tokens'] ?? '').split('/').map(Number);
  expect(sent).toBeLessThan(got);
  expect(new Set(received.map(({ ours }) => ours['x-throughline-session']))).toEqual(new Set([session]));
  // The command line shows the conversation like any other.
  expect(await companion.cli('sessions')).toContain(session);
  expect(await companion.cli('show', session)).toMatch(/\bb1\b/);
});

test('a key that is turned or revoked on the command line stops working in the running companion', async () => {
  const first = await laneOf('turned');
  const models = (base: string) => fetch(`${base}/${model.origin}/v1/models`);
  expect((await models(first)).status).not.toBe(403);
  await companion.cli('lane', '--name', 'turned', '--rotate');
  const second = await laneOf('turned');
  expect(second).not.toBe(first);
  expect((await models(first)).status).toBe(403);
  expect((await models(second)).status).not.toBe(403);
  expect(await companion.cli('lane', '--list')).toContain('turned');
  await companion.cli('lane', '--name', 'turned', '--revoke');
  await until('the key is refused', async () => (await models(second)).status === 403);
});
