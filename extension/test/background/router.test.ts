/** Who may ask what; what a page may make us call; what is shown of a URL. */
import { describe, expect, it } from 'vitest';
import { parsePageMessage } from '../../src/background/page-message.ts';
import { senderOrigin } from '../../src/background/pages.ts';
import type { Handlers } from '../../src/background/panel/verbs.ts';
import { shownUrl } from '../../src/background/recall.ts';
import { createRouter } from '../../src/background/router.ts';
import { isLocalHost, judgeUpstream } from '../../src/background/upstream.ts';

const ID = 'abc';
const OURS = 'chrome-extension://abc';
const handlers = new Proxy({} as Handlers, {
  get: () => async () => ({ ok: true, data: 'done' }),
  has: () => true,
  getOwnPropertyDescriptor: (_target, name) =>
    ['snapshot', 'export', 'forget', 'pair', 'unpair', 'settings.set', 'message'].includes(String(name))
      ? { value: null, configurable: true, enumerable: true, writable: true }
      : undefined,
});
const router = createRouter(handlers, ID, OURS);
const ask = async (message: unknown, sender: object) => router.handle(message, sender as chrome.runtime.MessageSender);

describe('panel verbs', () => {
  const verbs = ['snapshot', 'export', 'forget', 'unpair', 'settings.set', 'message'];
  it.each(verbs)('%s is for our own pages', async (verb) => {
    expect(await ask({ verb }, { id: ID, url: `${OURS}/src/popup/index.html` })).toEqual({ ok: true, data: 'done' });
    for (const sender of [
      { id: ID, url: 'https://chat.example/', tab: { id: 1 } },
      { id: 'other', url: `${OURS}/src/popup/index.html` },
      { id: ID, url: 'chrome-extension://abcd/index.html' },
      { id: ID, url: 'http://127.0.0.1:4747/pair' },
      { id: ID },
    ]) {
      expect(await ask({ verb }, sender)).toMatchObject({ ok: false, code: 'refused' });
    }
  });

  it('a pairing page may pair with its own link only', async () => {
    const link = 'http://127.0.0.1:4747/pair#k=00';
    const here = { id: ID, url: 'http://127.0.0.1:4747/pair', frameId: 0, tab: { id: 1 } };
    expect(await ask({ verb: 'pair', link }, here)).toEqual({ ok: true, data: 'done' });
    for (const [message, sender] of [
      [{ verb: 'pair', link: 'http://127.0.0.1:4748/pair#k=00' }, here],
      [
        { verb: 'pair', link },
        { ...here, url: 'http://127.0.0.1:4747/pairing' },
      ],
      [
        { verb: 'pair', link },
        { ...here, url: 'http://127.0.0.1.evil.example:4747/pair' },
      ],
      [
        { verb: 'pair', link },
        { ...here, frameId: 3 },
      ],
      [{ verb: 'pair' }, here],
    ] as const) {
      expect(await ask(message, sender)).toMatchObject({ ok: false, code: 'refused' });
    }
  });

  it('anything else is not for us', async () => {
    for (const message of [
      null,
      'snapshot',
      {},
      { verb: 7 },
      { verb: 'constructor' },
      { verb: '__proto__' },
      { t: 'detach' },
    ]) {
      expect(await ask(message, { id: ID, url: `${OURS}/` })).toBeNull();
    }
  });
});

describe('upstreams', () => {
  it.each([
    ['https://api.openai.com/v1/chat/completions', true],
    ['http://api.openai.com/v1/chat/completions', false],
    ['https://user:pass@api.openai.com/v1', false],
    ['https://10.0.0.8/v1', false],
    ['https://router.local/v1', false],
    ['http://127.0.0.1:11434/v1', false],
    ['http://[::1]:11434/v1', false],
    ['http://2130706433/v1', false],
    ['ftp://api.openai.com/', false],
    ['not a url', false],
  ])('%s is %s for a public site', (url, ok) => {
    expect(judgeUpstream('https://chat.example', url, []).ok).toBe(ok);
  });

  it('a local page may call its own origin, by either of its names, and what the person approved', () => {
    expect(judgeUpstream('http://localhost:8080', 'http://127.0.0.1:8080/v1', []).ok).toBe(true);
    expect(judgeUpstream('http://localhost:8080', 'http://127.0.0.1:8081/v1', []).ok).toBe(false);
    expect(judgeUpstream('https://chat.example', 'http://127.0.0.1:11434/v1', ['http://localhost:11434']).ok).toBe(true);
  });

  it('knows this machine and network by name and number', () => {
    for (const host of [
      'localhost',
      'a.localhost',
      '127.1.2.3',
      '10.1.1.1',
      '192.168.0.9',
      '172.20.0.1',
      '169.254.169.254',
      '[fd00::1]',
      '[::ffff:7f00:1]',
      'nas',
      'nas.local',
    ])
      expect([host, isLocalHost(host)]).toEqual([host, true]);
    for (const host of ['api.openai.com', '172.32.0.1', '8.8.8.8', '[2606:4700::1]'])
      expect([host, isLocalHost(host)]).toEqual([host, false]);
  });
});

describe('pages', () => {
  it('are who the browser says, never who they claim to be', () => {
    const from = (sender: object) => senderOrigin(sender as chrome.runtime.MessageSender);
    expect(from({ origin: 'https://chat.example', url: 'https://chat.example/a' })).toBe('https://chat.example');
    expect(from({ origin: 'null', url: 'https://chat.example/sandboxed' })).toBe('https://chat.example');
    expect(from({ url: 'about:blank' })).toBeNull();
    expect(from({ url: 'file:///etc/passwd' })).toBeNull();
    expect(senderOrigin(undefined)).toBeNull();
  });

  it('say only what is understood', () => {
    expect(parsePageMessage({ t: 'abort', id: 3 })).toEqual({ t: 'abort', id: 3 });
    for (const forged of [
      { t: 'sessions' },
      { t: 'credit', id: 1, bytes: -5 },
      { t: 'abort', id: 'x' },
      null,
      7,
      { verb: 'export' },
    ]) {
      expect(parsePageMessage(forged)).toBeNull();
    }
    expect(parsePageMessage({ t: 'open', id: 4, request: {} })).toEqual({ t: 'broken', id: 4 });
  });

  it('have keys in their URLs that nobody keeps', () => {
    expect(shownUrl('https://api.example/v1/models/x:generate?key=SECRET#frag')).toBe(
      'https://api.example/v1/models/x:generate',
    );
  });
});
