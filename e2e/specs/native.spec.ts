/**
 * What the page gets through us has the properties of what it gets without us; what cannot be reproduced is not taken.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../fixtures/chat.ts';
import { startBrowser } from '../fixtures/chromium.ts';
import type { PageFile, Recorded } from '../fixtures/front.ts';
import { gate, until } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

const EARLY: PageFile = {
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><script>
window.early = fetch('/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' },
  body: JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Asked by the very first script of the page.' }] }) }).then((r) => r.status);
</script>`,
};

let world: World;
let bare: Awaited<ReturnType<typeof startBrowser>>;
let ours: Page;
let theirs: Page;
beforeAll(async () => {
  world = await startWorld({ pages: new Map([['/early', EARLY]]) });
  bare = await startBrowser({ build: null, hosts: ['chat.test', 'other.test'] });
  ours = await world.open();
  theirs = await bare.context.newPage();
  await theirs.goto(world.site);
});
afterAll(async () => {
  await bare?.close();
  await world?.dispose();
});

/** Runs the same code in both browsers; what it returns must be equal. */
async function both<T>(
  code: (argument: string) => Promise<T>,
  argument = '',
): Promise<{ ours: T; theirs: T; requests: Recorded[][] }> {
  const run = async (page: Page) => {
    const from = world.front.recorded.length;
    const result = (await page.evaluate(code as never, argument as never)) as T;
    return { result, requests: world.front.recorded.slice(from) };
  };
  const one = await run(ours);
  const two = await run(theirs);
  return { ours: one.result, theirs: two.result, requests: [one.requests, two.requests] };
}

const bypassed = async () =>
  (await world.browser.ask<{ lastBypass: { code: string } | null }>({ verb: 'snapshot', site: world.site, tab: null }))
    .lastBypass?.code;

test('the first script of the page is already heard', async () => {
  const page = await world.open('/early');
  expect(await page.evaluate(() => (window as unknown as { early: Promise<number> }).early)).toBe(200);
  const list = await world.browser.ask<{ title: string }[]>({
    verb: 'sessions',
    query: 'very first script',
    site: null,
    limit: 5,
  });
  expect(list).toHaveLength(1);
  await page.close();
});

test('response properties are those of the native response', async () => {
  const result = await both(async () => {
    const body = JSON.stringify({
      model: 'demo-small',
      messages: [{ role: 'user', content: 'Tell me of the properties of things.' }],
    });
    const response = await fetch('/v1/chat/completions?x=1', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' },
      body,
    });
    const clone = response.clone();
    const text = await response.text();
    return {
      url: new URL(response.url).pathname + new URL(response.url).search,
      type: response.type,
      status: response.status,
      statusText: response.statusText,
      ok: response.ok,
      redirected: response.redirected,
      bodyUsed: response.bodyUsed,
      instance: response instanceof Response,
      contentType: response.headers.get('content-type'),
      same: (await clone.text()) === text,
      hasText: text.length > 10,
      // A Proxy prints without the name; that is the one trace, and no check for native code sees it.
      fetchText: String(fetch).replace('function fetch', 'function '),
      name: fetch.name,
      length: fetch.length,
    };
  });
  expect(result.ours).toEqual(result.theirs);
});

test("each piece of a stream is its own read, with the provider's bytes", async () => {
  const from = world.front.recorded.length;
  const reply = await send(ours, [{ role: 'user', content: 'Please stream me a long answer about rivers.' }]);
  const pieces = (world.front.recorded[from] as Recorded).pieces.map((piece) => piece.toString('latin1'));
  expect(reply.reads.join('')).toBe(pieces.join(''));
  expect(reply.reads).toEqual(pieces);
});

test('an abort rejects with its reason and reaches the provider', async () => {
  const from = world.front.recorded.length;
  const hold = gate();
  world.front.fault({ kind: 'hold', until: hold.opened });
  const outcome = await ours.evaluate(async () => {
    const controller = new AbortController();
    const body = JSON.stringify({
      model: 'demo-small',
      stream: true,
      messages: [{ role: 'user', content: 'I shall change my mind.' }],
    });
    const pending = fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' },
      body,
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(new RangeError('my own reason')), 500);
    return pending.then(
      () => 'answered',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  });
  expect(outcome).toBe('RangeError: my own reason');
  await until('the provider sees the abort', () => (world.front.recorded[from] as Recorded).aborted);
  hold.open();
});

test('a status other than success passes with its body, unchanged and once', async () => {
  const answer = {
    status: 429,
    headers: { 'content-type': 'application/json', 'retry-after': '7' },
    body: '{"error":{"message":"Slow down."}}',
  };
  const from = world.front.recorded.length;
  world.front.fault({ kind: 'answer', ...answer });
  const got = await ours.evaluate(async () => {
    const response = await fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' },
      body: JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Am I too fast for you today?' }] }),
    });
    return { status: response.status, retry: response.headers.get('retry-after'), body: await response.text() };
  });
  expect(got).toEqual({ status: 429, retry: '7', body: answer.body });
  expect(world.front.recorded.length).toBe(from + 1);
});

test.each([
  ['a body that is no JSON', '/v1/chat/completions', 'not json at all', 'not-json'],
  ['a URL that is no known wire', '/v1/embeddings', '{"input":"x","model":"demo-small"}', null],
  ['a history that the server holds', '/v1/chat/completions', '{"model":"demo-small","messages":[]}', 'no-user-turn'],
  ['broken JSON', '/v1/messages', '{"messages":[{"role":"user","content":"hello there, how are you?"}', 'not-json'],
])('%s leaves natively, byte for byte', async (_what, path, body, code) => {
  const from = world.front.recorded.length;
  const reply = await send(ours, [], { url: path, rawBody: body });
  expect(reply.error).toBe(null);
  expect(world.front.recorded.length).toBe(from + 1);
  expect((world.front.recorded[from] as Recorded).body.toString()).toBe(body);
  if (code) expect(await bypassed()).toBe(code);
});

test('a request with cookies leaves natively, with its cookies', async () => {
  const page = await world.open();
  const from = world.front.recorded.length;
  await page.evaluate(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the test is about this very cookie
    document.cookie = 'who=me; path=/';
  });
  await send(page, [{ role: 'user', content: 'I carry a cookie with me, see?' }]);
  const request = world.front.recorded[from] as Recorded;
  expect(request.rawHeaders.join('\n')).toContain('who=me');
  expect(await bypassed()).toBe('cookies');
  await page.close();
});

test('a very large body is answered, folded or not', async () => {
  const from = world.front.recorded.length;
  const big = 'x'.repeat(3 * 1024 * 1024);
  const reply = await send(ours, [{ role: 'user', content: big }]);
  expect(reply.error).toBe(null);
  expect((world.front.recorded[from] as Recorded).body.length).toBeGreaterThan(big.length);
});
