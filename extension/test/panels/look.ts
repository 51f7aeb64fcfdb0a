/**
 * Looks at the panels: serves them, gives them a made-up browser, takes pictures in both themes and languages, and runs axe.
 *
 *   npx tsx extension/test/panels/look.ts OUT_DIR [name filter]
 *
 * A development tool: the browser tests of the project load the real build.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright';
import { createServer } from 'vite';
import type { PanelSnapshot } from '../../src/panel-messages.ts';
import { blockDetail, manySessions, NOW, SITE, session, states } from './fixtures.ts';

const out = process.argv[2] ?? '/tmp/panels';
const only = process.argv[3] ?? '';
mkdirSync(out, { recursive: true });
const root = new URL('../..', import.meta.url).pathname;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly state: string;
  readonly width: number;
  readonly height: number;
  readonly keys?: readonly string[];
  readonly click?: string;
}

const popup = (state: string, extra = '', more: Partial<Shot> = {}): Shot => ({
  name: `popup-${state}${extra === '' ? '' : `-${extra.replace(/\W/g, '')}`}`,
  path: `src/popup/index.html?site=${encodeURIComponent(SITE)}${extra}`,
  state,
  width: 380,
  height: 600,
  ...more,
});
const board = (name: string, route: string, more: Partial<Shot> = {}): Shot => ({
  name: `dashboard-${name}`,
  path: `src/dashboard/index.html#/${route}`,
  state: 'folded',
  width: 1280,
  height: 800,
  ...more,
});

const shots: readonly Shot[] = [
  ...Object.keys(states).map((state) => popup(state)),
  popup('folded', '&open=b2'),
  popup('folded', '&open=b2', { name: 'popup-folded-wide', width: 760 }),
  popup('folded', '&why=1', { height: 900 }),
  board('messages', 'session/s1'),
  board('blocks', 'session/s1/blocks/b2'),
  board('lineage', 'session/s1/lineage'),
  board('events', 'session/s1/events'),
  board('sessions', 'sessions'),
  board('narrow', 'session/s1', { width: 760 }),
  ...['flow', 'sites', 'health', 'settings', 'help'].map((route) => board(route, route)),
  board('trouble', 'sites', { state: 'storage-memory' }),
  board('waiting', 'session/s1', { state: 'waiting' }),
  board('forget', 'session/s1', { name: 'dashboard-forget', click: 'button.danger' }),
  { name: 'onboarding-new', path: 'src/onboarding/index.html', state: 'never-paired', width: 900, height: 860 },
  { name: 'onboarding-done', path: 'src/onboarding/index.html', state: 'folded', width: 900, height: 860 },
];

/** Runs in the page before anything else: a browser API that answers from the data given. */
function fakeBrowser(data: {
  snapshot: PanelSnapshot;
  detail: unknown;
  session: unknown;
  sessions: unknown;
  now: number;
}): void {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...given: [] | [number]) {
      super(...((given.length === 0 ? [data.now] : given) as [number]));
    }
    static override now() {
      return data.now;
    }
  } as DateConstructor;
  const nothing = () => undefined;
  const never = { addListener: nothing, removeListener: nothing };
  const answers: Record<string, unknown> = {
    snapshot: data.snapshot,
    sessions: data.sessions,
    session: data.session,
    block: data.detail,
    message: { raw: '{"role":"user","content":"My consumers keep rebalancing."}' },
    'settings.get': data.snapshot.settings,
  };
  (globalThis as Record<string, unknown>).browser = {
    runtime: {
      id: 'fake',
      sendMessage: async (request: { verb: string }) => ({ ok: true, data: answers[request.verb] ?? null }),
      connect: () => ({ onMessage: never, onDisconnect: never, disconnect: nothing }),
      getURL: (path: string) => `/${path}`,
      getManifest: () => ({ version: '0.1.0' }),
    },
    permissions: {
      request: async () => true,
      contains: async () => true,
      getAll: async () => ({
        origins: data.snapshot.companion === 'never-paired' ? [] : ['https://chat.example.com/*', 'http://127.0.0.1/*'],
      }),
      onAdded: never,
      onRemoved: never,
    },
    tabs: { query: async () => [{ id: 7, url: 'https://chat.example.com/c/1' }], reload: nothing },
  };
}

async function take(page: Page, shot: Shot, base: string, theme: 'light' | 'dark', language: 'en' | 'zh-CN'): Promise<number> {
  const given = states[shot.state] as PanelSnapshot;
  const snapshot = { ...given, settings: { ...given.settings, theme, language } };
  const sessions = shot.state === 'never-paired' ? [] : manySessions(shot.name === 'dashboard-sessions' ? 10_000 : 40);
  const data = { snapshot, detail: blockDetail('b2'), session: given.session ?? session, sessions, now: NOW };
  await page.addInitScript('globalThis.__name = (f) => f;');
  await page.addInitScript(fakeBrowser, data);
  await page.setViewportSize({ width: shot.width, height: shot.height });
  await page.goto(`${base}/${shot.path}`);
  await page.waitForSelector('main');
  await page.waitForTimeout(250);
  if (shot.click !== undefined) await page.click(shot.click);
  const label = `${shot.name}-${theme}-${language}`;
  await page.screenshot({ path: join(out, `${label}.png`) });
  await page.addScriptTag({ content: axe });
  const found = (await page.evaluate('axe.run(document)')) as { violations: AxeViolation[] };
  for (const { id, nodes } of found.violations) {
    console.log(`${label}: ${id} ×${nodes.length}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary?.slice(0, 200)}`);
  }
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  if (Number(overflow) > 0) console.log(`${label}: ${overflow} px too wide`);
  return found.violations.length;
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const server = await createServer({
  configFile: false,
  root,
  logLevel: 'error',
  server: { port: 0, host: '127.0.0.1', watch: null, hmr: false },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
await server.listen();
const base = server.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? '';
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
let violations = 0;
for (const theme of ['light', 'dark'] as const) {
  for (const language of ['en', 'zh-CN'] as const) {
    for (const shot of shots.filter(
      ({ name }) => `${name}-${theme}-${language}`.includes(only) || new RegExp(only).test(`${name}-${theme}-${language}`),
    )) {
      const context = await browser.newContext({ locale: language });
      const page = await context.newPage();
      page.on('pageerror', (error) => console.log(`${shot.name}: ${error.message}`));
      page.on('console', (message) => message.type() === 'error' && console.log(`${shot.name}: ${message.text()}`));
      violations += await take(page, shot, base, theme, language).catch((error) => {
        console.log(`${shot.name}: ${String(error).slice(0, 300)}`);
        return 1;
      });
      await context.close();
    }
  }
}
await browser.close();
await server.close();
console.log(`${violations} violations`);
process.exit(violations === 0 ? 0 : 1);
