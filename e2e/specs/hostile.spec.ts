/**
 * A page may open a request and abort it, nothing else; and nothing of the web reaches the companion.
 */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { send } from '../fixtures/chat.ts';
import { startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.dispose());

function raw(options: {
  method?: string;
  path: string;
  headers: Record<string, string>;
}): Promise<{ status: number; body: string; cors: boolean }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port: world.companion.port, ...options }, (answer) => {
      let body = '';
      answer.on('data', (piece: Buffer) => (body += piece));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body, cors: 'access-control-allow-origin' in answer.headers }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

test.each(['evil.example', 'localhost', '127.0.0.1.evil.example', '127.0.0.1', '127.0.0.1:1'])(
  'a request with Host %s is refused before routing, with nothing in it',
  async (host) => {
    for (const path of ['/health', '/api/sessions', '/pair', '/socket', '/nothing'])
      expect(await raw({ path, headers: { host } })).toEqual({ status: 403, body: '', cors: false });
  },
);

test('no page can open the socket, and a wrong key gets nothing', async () => {
  const attempt = (origin: string | undefined) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${world.companion.port}/socket`, origin === undefined ? {} : { origin });
      socket.on('open', () => resolve('open'));
      socket.on('error', (error) => resolve(error.message));
    });
  for (const origin of [
    undefined,
    'null',
    'https://chat.test',
    `${world.browser.origin}.evil.example`,
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  ])
    expect(await attempt(origin)).toMatch(/403/);
  expect(
    await raw({ path: '/api/sessions', headers: { host: `127.0.0.1:${world.companion.port}`, authorization: 'Bearer wrong' } }),
  ).toEqual({
    status: 403,
    body: '',
    cors: false,
  });
});

test('a page that is not enabled has nothing of ours in it', async () => {
  const page = await world.browser.context.newPage();
  await page.goto(world.front.origin('other.test'));
  expect(await page.evaluate(() => String(fetch))).toMatch(/native code/);
  const before = await world.browser.ask<unknown[]>({ verb: 'sessions', query: '', site: null, limit: 100 });
  await send(page, [{ role: 'user', content: 'Nobody of yours should hear this one.' }]);
  expect(await world.browser.ask<unknown[]>({ verb: 'sessions', query: '', site: null, limit: 100 })).toHaveLength(
    before.length,
  );
  await page.close();
});

test('messages a page forges get nothing, read nothing and break nothing', async () => {
  const page = await world.open();
  const answers = await page.evaluate(async () => {
    const heard: unknown[] = [];
    window.addEventListener('message', (event) => {
      if (event.source === window && (event.data as { forged?: boolean })?.forged) return;
      heard.push(event.data);
    });
    for (const verb of ['snapshot', 'sessions', 'session', 'export', 'forget', 'pair', 'settings.get', 'site.set'])
      for (const shape of [
        { verb },
        { t: verb },
        { t: 'open', id: 1, verb },
        { source: 'throughline', verb },
        { type: 'throughline', t: verb },
      ])
        window.postMessage({ forged: true, ...shape, site: location.origin, session: 'x', on: false, format: 'json' }, '*');
    await new Promise((resolve) => setTimeout(resolve, 500));
    return heard;
  });
  expect(answers).toEqual([]);
  expect(await send(page, [{ role: 'user', content: 'Does the chat still work after that?' }])).toMatchObject({
    ok: true,
    error: null,
  });
  await page.close();
});

test('a page that breaks its own prototypes still gets its answers', async () => {
  const page = await world.open();
  const status = await page.evaluate(async () => {
    const broken = () => {
      throw new Error('broken by the page');
    };
    // Put back at once: the test's own driver lives in this world too.
    const kept = { map: Array.prototype.map, post: window.postMessage, json: JSON.stringify };
    Object.defineProperty(Object.prototype, 'polluted', { value: 'yes', configurable: true });
    Array.prototype.map = broken as never;
    window.postMessage = broken as never;
    JSON.stringify = broken as never;
    try {
      const response = await fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' },
        body: '{"model":"demo-small","messages":[{"role":"user","content":"Are you there, in spite of everything?"}]}',
      });
      return response.status;
    } finally {
      Array.prototype.map = kept.map;
      window.postMessage = kept.post;
      JSON.stringify = kept.json;
      delete (Object.prototype as { polluted?: string }).polluted;
    }
  });
  expect(status).toBe(200);
  await page.close();
});

test('no key of the page is kept anywhere', async () => {
  const page = await world.open();
  await send(page, [{ role: 'user', content: 'Remember me, but never my key, please.' }], {
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-canary-7f3a9c51' },
  });
  const { execFileSync } = await import('node:child_process');
  const found = execFileSync('sh', ['-c', `grep -rl sk-canary-7f3a9c51 "${world.companion.data}" || true`]).toString();
  expect(found).toBe('');
  expect(world.companion.running.output()).not.toContain('sk-canary');
  const exported = await world.browser.ask<{ text: string }>({ verb: 'export', session: null, format: 'json' });
  expect(exported.text).toContain('Remember me, but never my key');
  expect(exported.text).not.toContain('sk-canary');
  await page.close();
});
