/** Everything the unattended demo needs, started together: demo server, companion, browser with the extension, paired. */
import type { Page } from 'playwright';
import { type Browser, startBrowser } from '../../fixtures/chromium.ts';
import { type Companion, startCompanion } from '../../fixtures/companion.ts';
import { until } from '../../fixtures/process.ts';
import { WINDOWS } from '../model/model.ts';
import { type DemoServer, startDemo } from '../model/server.ts';

export interface Stage {
  readonly demo: DemoServer;
  readonly companion: Companion;
  readonly browser: Browser;
  /** The demo chat, open and taken care of by the extension. */
  readonly page: Page;
  dispose(): Promise<void>;
}

/** What the popup shows about a session; only what the demo reads of it. */
export interface SessionView {
  readonly session: string;
  readonly blocks: number;
  readonly stats: {
    readonly requests: number;
    readonly folds: number;
    readonly lastReceived: number;
    readonly lastSent: number;
  };
  readonly why: { readonly via: string; readonly depth: number; readonly incoming: number };
}

export interface Snapshot {
  readonly companion: string;
  readonly siteState: string;
  readonly live: { readonly phase: string } | null;
  readonly session: SessionView | null;
  readonly lastBypass: { readonly code: string } | null;
}

/** The popup's own view of the demo site. */
export const snapshot = ({ browser, demo }: Pick<Stage, 'browser' | 'demo'>): Promise<Snapshot> =>
  browser.ask<Snapshot>({ verb: 'snapshot', site: demo.origin, tab: null });

export async function setStage(): Promise<Stage> {
  const demo = await startDemo();
  const windows = JSON.stringify({ [demo.origin]: Object.fromEntries(WINDOWS) });
  const companion = await startCompanion({ args: ['--allow-upstream', demo.origin], env: { THROUGHLINE_WINDOWS: windows } });
  const browser = await startBrowser({ build: 'chrome' });
  await browser.pair(await companion.pairLink());
  await browser.enable(demo.origin);
  await until('the demo site is switched on', async () =>
    ['waiting', 'active'].includes((await snapshot({ browser, demo })).siteState),
  );
  const page = await browser.context.newPage();
  await page.goto(demo.origin);
  return {
    demo,
    companion,
    browser,
    page,
    dispose: async () => {
      await browser.close();
      await companion.dispose();
      await demo.close();
    },
  };
}
