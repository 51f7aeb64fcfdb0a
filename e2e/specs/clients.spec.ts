/**
 * Real clients from npm in a real page: what each receives with us is what it receives without us, and its turns are one session.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../fixtures/bundle.ts';
import { startBrowser } from '../fixtures/chromium.ts';
import type { PageFile } from '../fixtures/front.ts';
import { until } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

const DEEP_CHAT = createRequire(import.meta.url)
  .resolve('deep-chat')
  .replace(/deepChat\.js$/, 'deepChat.bundle.js');
const CSP = "default-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:";
const QUESTIONS = [
  'Good morning! Which instruments does a small orchestra need?',
  'And which of them is the oldest?',
  'Who built the first one?',
  'Where is it kept today?',
  'Thank you. Can it still be played?',
];

const OPENAI = `
import OpenAI from 'openai';
const client = new OpenAI({ apiKey: 'sk-demo-key', baseURL: location.origin + '/v1', dangerouslyAllowBrowser: true, maxRetries: 0 });
const messages = [{ role: 'system', content: 'You are kind.' }];
window.say = async (text, stream) => {
  messages.push({ role: 'user', content: text });
  if (!stream) {
    const answer = await client.chat.completions.create({ model: 'demo-small', messages });
    messages.push({ role: 'assistant', content: answer.choices[0].message.content });
    return [answer.choices[0].message.content];
  }
  const pieces = [];
  for await (const chunk of await client.chat.completions.create({ model: 'demo-small', messages, stream: true })) {
    const piece = chunk.choices[0]?.delta?.content;
    if (piece) pieces.push(piece);
  }
  messages.push({ role: 'assistant', content: pieces.join('') });
  return pieces;
};`;

const DEEP = `
const make = async (stream) => {
  await customElements.whenDefined('deep-chat');
  const chat = document.createElement('deep-chat');
  chat.directConnection = { claude: { key: 'sk-demo-key', model: 'demo-small', max_tokens: 900, system_prompt: 'You are kind.' } };
  chat.connect = { stream };
  const rendered = new Promise((resolve) => { chat.onComponentRender = resolve; });
  document.body.append(chat);
  await rendered;
  return chat;
};
let chat;
window.say = async (text, stream) => {
  chat ??= await make(stream);
  const before = chat.getMessages().length;
  chat.submitUserMessage({ text });
  let last = '';
  for (let quiet = 0, waited = 0; quiet < 10; waited++) {
    if (waited > 400) throw new Error('no answer after 20 s: ' + JSON.stringify(chat.getMessages()));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const messages = chat.getMessages();
    const now = messages.length > before + 1 ? (messages.at(-1).text ?? '') : '';
    quiet = now !== '' && now === last ? quiet + 1 : 0;
    last = now;
  }
  return [last];
};`;

const page = (script: string, csp: string | undefined = CSP): PageFile => ({
  type: 'text/html; charset=utf-8',
  ...(csp === '' ? {} : { csp }),
  body: `<!doctype html><meta charset="utf-8"><title>client</title><body>${script}</body>`,
});

const DEEP_PAGE = '<script type="module" src="/deep-chat.js"></script><script type="module" src="/deep.js"></script>';

async function pages(): Promise<Map<string, PageFile>> {
  const openai = await bundle(OPENAI);
  return new Map<string, PageFile>([
    ['/openai', page('<script src="/openai.js"></script>')],
    ['/openai.js', { type: 'text/javascript', body: openai }],
    ['/deep-chat', page(DEEP_PAGE)],
    // The plain browser cannot reach the client's fixed other origin under the policy: it gets the same page without one.
    ['/deep-chat-free', page(DEEP_PAGE, '')],
    ['/deep-chat.js', { type: 'text/javascript', body: readFileSync(DEEP_CHAT) }],
    ['/deep.js', { type: 'text/javascript', body: DEEP }],
  ]);
}

/** Five turns; what the client made of each reply. */
async function talk(tab: Page, about: string, stream: boolean): Promise<string[][]> {
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
  return replies;
}

interface Shown {
  session: { session: string; stats: { requests: number }; why: { via: string } };
}

describe.each([
  { name: 'under a policy of connect-src self', args: [] as string[] },
  { name: 'on a page marked public (Local Network Access)', args: ['public'] },
])('$name', ({ args }) => {
  let world: World;
  let bare: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    const files = await pages();
    world = await startWorld({ pages: files });
    if (args.length > 0) {
      await world.browser.close();
      const browser = await startBrowser({
        build: 'chrome-test',
        hosts: ['chat.test', 'api.anthropic.com'],
        tls: world.front.port,
        args: [`--ip-address-space-overrides=127.0.0.1:${world.front.port}=public`],
      });
      Object.assign(world, { browser });
      await browser.pair(await world.companion.pairLink());
      await browser.enable(world.site);
    }
    bare = await startBrowser({
      build: null,
      hosts: ['chat.test', 'api.anthropic.com'],
      tls: world.front.port,
    });
  });
  afterAll(async () => {
    await bare?.close();
    await world?.dispose();
  });

  test.each([
    { client: 'openai', stream: true },
    { client: 'openai', stream: false },
    { client: 'deep-chat', stream: true },
    { client: 'deep-chat', stream: false },
  ])('$client, streaming $stream: same replies as without us, one session', async ({ client, stream }) => {
    // Conversations that are equal byte for byte are one: each run opens with words of its own.
    const about = `${client}, ${stream ? 'streaming' : 'whole'}`;
    const ours = await world.browser.context.newPage();
    await ours.goto(`${world.site}/${client}`);
    const from = world.front.recorded.length;
    const received = await talk(ours, about, stream);
    const sent = world.front.recorded.slice(from);
    const look = async () => (await world.browser.ask<Shown>({ verb: 'snapshot', site: world.site, tab: null })).session;
    await until('the last turn is committed', async () => (await look()).stats.requests === QUESTIONS.length);
    expect((await look()).why.via).toBe('prefix');
    await ours.close();
    expect(received.flat().join('').length).toBeGreaterThan(100);

    const theirs = await bare.context.newPage();
    await theirs.goto(`${world.site}/${client === 'deep-chat' ? 'deep-chat-free' : client}`);
    const native = await talk(theirs, about, stream);
    await theirs.close();
    expect(received).toEqual(native);
    const nativeSent = world.front.recorded.slice(from + sent.length);
    expect(sent.map((one) => one.body.toString())).toEqual(nativeSent.map((one) => one.body.toString()));
  });
});
