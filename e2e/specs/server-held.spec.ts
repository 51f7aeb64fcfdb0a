/**
 * Clients that leave the history with the provider are left alone: their requests are the page's own, byte for byte, and the popup says
 * why.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../fixtures/bundle.ts';
import { startBrowser } from '../fixtures/chromium.ts';
import { HELD } from '../fixtures/clients/held.ts';
import { RECORDER } from '../fixtures/clients/record.ts';
import type { PageFile, Recorded } from '../fixtures/front.ts';
import { until } from '../fixtures/process.ts';
import { PROVIDERS, startWorld, type World } from '../fixtures/world.ts';

const DEEP_CHAT = createRequire(import.meta.url)
  .resolve('deep-chat')
  .replace(/deepChat\.js$/, 'deepChat.bundle.js');
const SENTENCE = 'The provider keeps this history and the page sends only what is new, so there is nothing to fold.';
const QUESTIONS = [
  'Good morning! The oldest bridge is Ponte Vecchio. Please remember it.',
  'Which towns have many bridges?',
  'What is the oldest bridge?',
];

interface Shown {
  readonly lastBypass: { readonly at: number; readonly code: string; readonly url: string } | null;
}

let world: World;
let bare: Awaited<ReturnType<typeof startBrowser>>;
beforeAll(async () => {
  const pages = new Map<string, PageFile>([['/deep-chat.js', { type: 'text/javascript', body: readFileSync(DEEP_CHAT) }]]);
  for (const { name, source, deep } of HELD) {
    pages.set(`/${name}.js`, { type: 'text/javascript', body: deep ? source : await bundle(source) });
    const scripts = deep ? '<script type="module" src="/deep-chat.js"></script><script type="module"' : '<script';
    const body = `<!doctype html><meta charset="utf-8"><title>client</title><body><script>${RECORDER}</script>${scripts} src="/${name}.js"></script>`;
    pages.set(`/${name}`, { type: 'text/html; charset=utf-8', body });
  }
  world = await startWorld({ pages });
  bare = await startBrowser({ build: null, hosts: ['chat.test', ...PROVIDERS], tls: world.front.port });
});
afterAll(async () => {
  await bare?.close();
  await world?.dispose();
});

const look = () => world.browser.ask<Shown>({ verb: 'snapshot', site: world.site, tab: null });

async function talk(page: Page, name: string): Promise<{ replies: string[]; requests: Recorded[] }> {
  const from = world.front.recorded.length;
  await page.goto(`${world.site}/${name}`);
  await page.waitForFunction(() => 'say' in window);
  const replies: string[] = [];
  for (const question of QUESTIONS)
    replies.push(
      (
        await page.evaluate(
          (text) => (window as unknown as { say(t: string, stream: boolean): Promise<string[]> }).say(text, false),
          question,
        )
      ).join(''),
    );
  return { replies, requests: world.front.recorded.slice(from) };
}

/** What the page's own browser sends: the ids that the provider gives anew are told apart by their place only. */
const sent = (request: Recorded) => ({
  url: request.url,
  host: request.host,
  headers: request.rawHeaders,
  body: request.body.toString().replace(/conv_[0-9a-f]+/g, 'conv_'),
});

test.each(HELD)('$name: left alone, byte for byte, and the popup says why', async ({ name, whole, says }) => {
  const before = (await look()).lastBypass?.at ?? 0;
  const ours = await world.browser.context.newPage();
  const through = await talk(ours, name);
  expect(through.replies.at(-1)).toContain('Ponte Vecchio');
  await until('the popup has heard of it', async () => ((await look()).lastBypass?.at ?? 0) > before);
  expect((await look()).lastBypass).toMatchObject({ code: 'server-held', url: expect.stringMatching(/\/v1\/responses$/) });

  const popup = await world.browser.panel(`popup/index.html?site=${encodeURIComponent(world.site)}`);
  await popup.waitForFunction((sentence) => document.body.innerText.includes(sentence), SENTENCE);
  await popup.close();
  await ours.close();

  const theirs = await bare.context.newPage();
  const native = await talk(theirs, name);
  await theirs.close();
  expect(through.replies).toEqual(native.replies);
  const isAnswer = ({ url }: Recorded) => url.endsWith('/responses');
  const [mine, plain] = [through, native].map(({ requests }) => requests.filter(isAnswer)) as [Recorded[], Recorded[]];
  expect(mine).toHaveLength(QUESTIONS.length);
  for (const request of mine.slice(whole)) expect(request.body.toString()).toMatch(says);
  expect(mine.slice(whole).map(sent)).toEqual(plain.slice(whole).map(sent));
  // An opening that holds the whole history is taken, and what the companion sends is seen to be no browser's own.
  for (const place of mine.slice(0, whole).keys())
    expect(sent(mine[place] as Recorded)).not.toEqual(sent(plain[place] as Recorded));
  // What is no question is nobody's business: opening a conversation is the page's own request, too.
  const besides = [through, native].map(({ requests }) => requests.filter((request) => !isAnswer(request)).map(sent));
  expect(besides[0]).toEqual(besides[1]);
  expect(besides[0]?.map(({ url }) => url)).toEqual(name === 'deep-conversation' ? ['/v1/conversations'] : []);
});
