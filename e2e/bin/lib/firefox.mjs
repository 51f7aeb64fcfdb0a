/**
 * Opens Firefox with a profile of its own and the extension as a temporary add-on, over the WebDriver BiDi that Firefox brings along.
 * Only one such session can exist, and it is ours for as long as the browser is open; it has no access to the browser itself.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { keep } from './children.mjs';

const READY = 60_000;

/** The person's own browser: nothing but the questions of a first start is switched off. */
const PREFERENCES = {
  // Firefox would loosen itself for tests: no Safe Browsing, pop-ups allowed and more.
  'remote.prefs.recommended': false,
  // A temporary add-on goes when the browser closes. Its conversations stay for the next start.
  'extensions.webextensions.keepStorageOnUninstall': true,
  'extensions.webextensions.keepUuidOnUninstall': true,
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  // Ctrl-C is no crash: what was open then would come back before the add-on is there.
  'browser.sessionstore.resume_from_crash': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'termsofuse.bypassNotification': true,
};

/** For what cannot be done any more once the browser is gone, or while a page is changing. */
const orNothing = (promise) => promise.catch(() => undefined);

/** Firefox with its BiDi connection, or null when it does not come up with this profile. */
async function startFirefox(path, profile) {
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  const headless = process.env.THROUGHLINE_HEADLESS === '1' ? ['--headless'] : [];
  const args = [...headless, '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
  const ready = /WebDriver BiDi listening on ws:\/\/127\.0\.0\.1:(\d+)/;
  const firefox = await orNothing(keep(path, args, ready, { patience: READY }));
  if (firefox === undefined) return null;
  // The fixtures' TypeScript is read when all packages are there.
  const { tsImport } = await import('tsx/esm/api');
  const { openBidi } = await tsImport('../../fixtures/bidi.ts', import.meta.url);
  return { ...firefox, bidi: await openBidi(Number(firefox.match[1]), {}) };
}

/** Starts it; `open(url)` opens a tab, `close(tab)` closes it, `ended` resolves when the person closes the browser. */
export async function openFirefox(path, { extension, profile }) {
  const firefox = await startFirefox(path, profile);
  if (firefox === null) return { loaded: false, ended: Promise.resolve(), running: () => false };
  const { bidi, child, ended } = firefox;
  const installed = bidi.send('webExtension.install', { extensionData: { type: 'path', path: extension } });
  const loaded = await Promise.race([installed, setTimeout(READY, undefined, { ref: false })]).catch(() => undefined);
  return {
    loaded: loaded !== undefined,
    ended,
    running: () => child.exitCode === null && child.signalCode === null,
    open: async (url) => {
      const tab = await orNothing(bidi.send('browsingContext.create', { type: 'tab' }));
      await orNothing(bidi.send('browsingContext.navigate', { context: tab?.context, url, wait: 'none' }));
      return tab?.context;
    },
    close: (context) => orNothing(bidi.send('browsingContext.close', { context })),
    /** What an expression is worth in this tab. */
    evaluate: (context, expression) => orNothing(bidi.evaluate(context, expression)),
  };
}
