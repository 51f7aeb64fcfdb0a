/**
 * Real clients from npm in a real page: what each receives with us is what it receives without us, read by read, and its turns are
 * one session.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../fixtures/bundle.ts';
import { startBrowser } from '../fixtures/chromium.ts';
import { DEEP_CHATS } from '../fixtures/clients/deep-chat.ts';
import { RECORDER, type Received, received } from '../fixtures/clients/record.ts';
import { SDKS } from '../fixtures/clients/sdk.ts';
import type { PageFile } from '../fixtures/front.ts';
import { until } from '../fixtures/process.ts';
import { PROVIDERS, startWorld, type World } from '../fixtures/world.ts';

const DEEP_CHAT = createRequire(import.meta.url)
  .resolve('deep-chat')
  .replace(/deepChat\.js$/, 'deepChat.bundle.js');
const CSP = "default-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:";
/**
 * Milliseconds between the events of an answer: far enough apart that no read holds two. On a machine so busy that one does, in either
 * browser, there is nothing to compare yet, and the conversation is held again, slower.
 */
const PACES = [25, 70, 200];
const QUESTIONS = [
  'Good morning! Which instruments does a small orchestra need?',
  'And which of them is the oldest?',
  'Who built the first one?',
  'Where is it kept today?',
  'Thank you. Can it still be played?',
];
const ALL = [...SDKS.keys(), ...DEEP_CHATS.keys()];

/** A client's page, its scripts inside; `csp` is left out for the plain browser, which it would keep from another origin. */
const page = (scripts: string, csp: string | null): PageFile => ({
  type: 'text/html; charset=utf-8',
  ...(csp === null ? {} : { csp }),
  body: `<!doctype html><meta charset="utf-8"><title>client</title><body><script>${RECORDER}</script>${scripts}</body>`,
});

async function pages(clients: readonly string[]): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>([['/deep-chat.js', { type: 'text/javascript', body: readFileSync(DEEP_CHAT) }]]);
  for (const client of clients) {
    const deep = DEEP_CHATS.get(client);
    const source = deep ?? (await bundle(SDKS.get(client) ?? ''));
    const kind = deep === undefined ? '' : ' type="module"';
    const scripts = `${deep === undefined ? '' : '<script type="module" src="/deep-chat.js"></script>'}<script${kind} src="/${client}.js"></script>`;
    files.set(`/${client}.js`, { type: 'text/javascript', body: source });
    files.set(`/${client}`, page(scripts, CSP));
    files.set(`/${client}/free`, page(scripts, null));
  }
  return files;
}

interface Talked {
  /** What the client made of each reply. */
  readonly replies: string[][];
  readonly received: Received[];
}

async function talk(tab: Page, about: string, stream: boolean): Promise<Talked> {
  await tab.waitForFunction(() => 'say' in window);
  const replies: string[][] = [];
  for (const question of QUESTIONS.map((one, turn) => (turn === 0 ? `${one} (${about})` : one)))
    replies.push(
      await tab.evaluate(
        ([text, streaming]) =>
          (window as unknown as { say(t: string, s: boolean): Promise<string[]> }).say(text as string, streaming as boolean),
        [question, stream],
      ),
    );
  return { replies, received: await received(tab) };
}

interface Shown {
  session: { session: string; stats: { requests: number }; why: { via: string } };
}

describe.each([
  { name: 'under a policy of connect-src self', clients: ALL, open: false },
  { name: 'on a page marked public (Local Network Access)', clients: ['openai', 'deep-claude'], open: true },
])('$name', ({ clients, open }) => {
  let world: World;
  let bare: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    world = await startWorld({ pages: await pages(clients) });
    const hosts = ['chat.test', ...PROVIDERS];
    const tls = world.front.port;
    if (open) {
      await world.browser.close();
      const args = [`--ip-address-space-overrides=127.0.0.1:${tls}=public`];
      const browser = await startBrowser({ build: 'chrome-test', hosts, tls, args });
      Object.assign(world, { browser });
      await browser.pair(await world.companion.pairLink());
      await browser.enable(world.site);
    }
    bare = await startBrowser({ build: null, hosts, tls });
  });
  afterAll(async () => {
    await bare?.close();
    await world?.dispose();
  });

  /** What the provider's prompt cache holds is told in its answers: both conversations find it empty. Answers are kept short. */
  const forget = async () => {
    await fetch(`${world.model}/demo/reset`, { method: 'POST' });
    await fetch(`${world.model}/demo/options`, { method: 'POST', body: JSON.stringify({ sentences: 2 }) });
  };

  /** One conversation through us and one without; false when reads ran together, so that there is nothing to compare. */
  async function compare(client: string, stream: boolean, pace: number): Promise<boolean> {
    world.front.pace(pace);
    // Conversations that are equal byte for byte are one: each run opens with words of its own.
    const about = `${client}, ${stream ? 'streaming' : 'whole'}, ${pace}`;
    await forget();
    const ours = await world.browser.context.newPage();
    await ours.goto(`${world.site}/${client}`);
    const from = world.front.recorded.length;
    const through = await talk(ours, about, stream);
    const sent = world.front.recorded.slice(from);
    const look = async () => (await world.browser.ask<Shown>({ verb: 'snapshot', site: world.site, tab: null })).session;
    await until('the last turn is committed', async () => (await look())?.stats.requests === QUESTIONS.length);
    expect((await look()).why.via).toBe('prefix');
    await ours.close();
    expect(through.replies.flat().join('').length).toBeGreaterThan(100);

    await forget();
    const theirs = await bare.context.newPage();
    await theirs.goto(`${world.site}/${client}/free`);
    const native = await talk(theirs, about, stream);
    await theirs.close();
    const nativeSent = world.front.recorded.slice(from + sent.length);
    const ranTogether = [
      ...through.received.map((one, turn) => one.reads.length !== sent[turn]?.pieces.length),
      ...native.received.map((one, turn) => one.reads.length !== nativeSent[turn]?.pieces.length),
    ];
    if (stream && ranTogether.includes(true) && pace !== PACES.at(-1)) return false;
    if (stream) for (const one of through.received) expect(one.reads.length).toBeGreaterThan(2);
    expect(through).toEqual(native);
    expect(sent.map((one) => one.body.toString())).toEqual(nativeSent.map((one) => one.body.toString()));
    return true;
  }

  const runs = clients.flatMap((client) => [true, false].map((stream) => [client, stream] as const));
  test.each(runs)('%s, streaming %s: the same reads as without us, one session', async (client, stream) => {
    for (const pace of PACES) if (await compare(client, stream, pace)) return;
  });
});
