/** What the person chose for a site holds: through a closed popup, for that site alone, and is shown as it is. */
import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { PanelRequest, PanelSnapshot, Reply } from '../../src/panel-messages.ts';
import { type FakeBrowser, installBrowser } from './browser.ts';

const SITE = 'https://chat.example';
const OURS = 'chrome-extension://abc';
let fake: FakeBrowser;

beforeEach(() => {
  Dexie.dependencies.indexedDB = new IDBFactory();
  Dexie.dependencies.IDBKeyRange = IDBKeyRange;
  vi.resetModules();
  fake = installBrowser();
});

async function start() {
  const { createBackground } = await import('../../src/background/background.ts');
  const { api } = await import('../../src/platform.ts');
  let clock = 1_000_000;
  const background = createBackground({
    extensionId: 'abc',
    origin: OURS,
    version: '1',
    portsCarryBytes: true,
    local: api.storage.local,
    session: api.storage.session,
    fetch: async () => Promise.reject(new Error('nobody there')),
    socket: () => {
      throw new Error('nobody there');
    },
    loopbackAllowed: async () => true,
    keepAwake: () => undefined,
    now: () => clock,
  });
  const ask = async (request: PanelRequest) =>
    (await background.router.handle(request, { id: 'abc', url: `${OURS}/src/popup/index.html` })) as Reply<unknown>;
  const snapshot = async () => {
    const reply = await ask({ verb: 'snapshot', site: SITE, tab: null });
    if (!reply.ok) throw new Error(reply.code);
    return reply.data as PanelSnapshot;
  };
  return {
    background,
    ask,
    snapshot,
    wait: (ms: number) => {
      clock += ms;
    },
  };
}

describe('a site switched on in a popup that the browser closes to ask', () => {
  it('is on once the browser grants it', async () => {
    const { background, ask, snapshot } = await start();
    await ask({ verb: 'site.want', site: SITE });
    fake.granted.add(`${SITE}/*`);
    await background.granted();
    background.refresh();
    expect((await snapshot()).siteState).toBe('waiting');
    expect([...fake.scripts.keys()].sort()).toEqual([`content ${SITE}`, `page ${SITE}`]);
  });

  it('stays off without the permission, without the click, and long after it', async () => {
    const { background, ask, snapshot, wait } = await start();
    await ask({ verb: 'site.want', site: SITE });
    await background.granted();
    expect((await snapshot()).siteState).toBe('not-enabled');
    wait(3 * 60_000);
    fake.granted.add(`${SITE}/*`);
    await background.granted();
    expect((await snapshot()).siteState).toBe('not-enabled');
  });

  it('is on as well when both the popup and the permission say so at once', async () => {
    const { background, ask } = await start();
    await ask({ verb: 'site.want', site: SITE });
    fake.granted.add(`${SITE}/*`);
    const [reply] = await Promise.all([ask({ verb: 'site.set', site: SITE, on: true }), background.granted()]);
    expect(reply).toEqual({ ok: true, data: null });
    expect(fake.scripts.size).toBe(2);
  });
});

describe('what a panel is told of a site', () => {
  async function enabled() {
    const started = await start();
    fake.granted.add(`${SITE}/*`);
    await started.ask({ verb: 'site.set', site: SITE, on: true });
    return started;
  }

  it('names the sites that are on and every upstream that was used, each written once', async () => {
    const { background, snapshot } = await enabled();
    const { noteBypass, noteSuccess, noteUsed } = await import('../../src/background/settings.ts');
    await noteUsed(SITE, 'https://api.b.example');
    await noteSuccess(SITE, 'https://api.b.example');
    await noteUsed(SITE, 'https://api.a.example');
    await noteBypass(SITE, 'https://api.c.example', 'auth-retry', 1);
    background.refresh();
    const shown = await snapshot();
    expect(shown.sites).toEqual([SITE]);
    expect(shown.upstreams).toEqual(['https://api.a.example', 'https://api.b.example', 'https://api.c.example']);
    expect(shown.storage).toBe('ok');
    const before = fake.written.length;
    await noteUsed(SITE, 'https://api.a.example');
    expect(fake.written.length).toBe(before);
  });

  it('follows the general word on resending until the site has its own', async () => {
    const { ask, snapshot } = await enabled();
    expect((await snapshot()).siteResend).toBe(true);
    await ask({ verb: 'settings.set', settings: { resend: false } });
    expect((await snapshot()).siteResend).toBe(false);
    await ask({ verb: 'site.resend', site: SITE, on: true });
    expect((await snapshot()).siteResend).toBe(true);
    await ask({ verb: 'settings.set', settings: { resend: true } });
    await ask({ verb: 'site.resend', site: SITE, on: false });
    expect((await snapshot()).siteResend).toBe(false);
  });
});
