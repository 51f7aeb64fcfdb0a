/**
 * `npm start [-- --browser chromium|chrome|firefox]`: everything that is needed to try it, in one command. Ctrl-C stops all of it.
 */
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { requireNode } from './lib/node-version.mjs';

requireNode();
const { join } = await import('node:path');
const { anyBrowser, BROWSERS, findBrowser } = await import('./lib/browsers.mjs');
const { ensureBuild } = await import('./lib/build.mjs');
const { isStopping, shutDown, stopWithUs } = await import('./lib/children.mjs');
const { openChromium } = await import('./lib/chromium.mjs');
const { openFirefox } = await import('./lib/firefox.mjs');
const { printSteps } = await import('./lib/instructions.mjs');
const { ensureModules } = await import('./lib/modules.mjs');
const { extensionFolder } = await import('./lib/paths.mjs');
const { fail, say } = await import('./lib/say.mjs');
const { dataFolder, pairingLink, startCompanion, startDemoServer } = await import('./lib/services.mjs');

/** A site is an origin, so the demo chat should stay on one port. */
const DEMO_PORT = 4760;

const USAGE = `npm start takes one flag: --browser ${BROWSERS.join('|')}.`;

/** The browser that was asked for, or undefined when none was. */
function wantedBrowser() {
  try {
    const { browser } = parseArgs({ options: { browser: { type: 'string' } } }).values;
    if (browser === undefined || BROWSERS.includes(browser)) return browser;
    return fail('usage', `${JSON.stringify(browser)} is no browser that can be started. ${USAGE}`);
  } catch {
    return fail('usage', USAGE);
  }
}

/** The browser to open, or null with nothing found. */
function chooseBrowser(wanted) {
  if (wanted === undefined) return anyBrowser();
  const path = findBrowser(wanted);
  if (path === null) fail('no-browser', `${wanted} was not found. Install it, or leave --browser away to take what is there.`);
  return { kind: wanted, path };
}

const hasDisplay =
  process.platform !== 'linux' ||
  Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY || process.env.THROUGHLINE_HEADLESS);

/** What the extension says on the pairing page. */
const OUTCOME = "document.querySelector('#throughline-outcome')?.dataset.state";

/** Opens the pairing link and waits until the extension says that it is paired, with the demo chat switched on. */
async function pairBrowser(browser, data, site) {
  const tab = await browser.open(await pairingLink(data, site));
  for (let tries = 0; tries < 300 && browser.running(); tries += 1) {
    await setTimeout(200);
    const outcome = await browser.evaluate(tab, OUTCOME);
    if (outcome === 'failed') return false;
    if (outcome !== 'paired') continue;
    await browser.close(tab);
    return true;
  }
  return false;
}

const chosen = chooseBrowser(wantedBrowser());
/** The build of the extension for it. */
const build = chosen?.kind === 'firefox' ? 'firefox' : 'chrome';
stopWithUs();
await ensureModules();
await ensureBuild({ extensions: [build] });
const data = await dataFolder();
const demo = await startDemoServer(DEMO_PORT, ['--pace', '12']);
const companion = await startCompanion({ data, origin: demo.origin });
const chat = `${demo.origin}/`;
say(`Companion  ${companion.origin}`);
say(`Demo chat  ${chat}`);
say(`Data       ${data}`);
companion.ended.then(() => {
  if (isStopping()) return;
  say('The companion stopped. Start again with npm start.');
  shutDown(1);
});

async function byHand(reason) {
  printSteps({ build, reason, chat, link: await pairingLink(data, demo.origin) });
  say('\nCtrl-C stops the companion and the demo chat.');
}

/** Opens the browser on the demo chat, already paired, and stops with it. */
async function show({ kind, path }) {
  const profile = join(data, `browser-${kind}`);
  const open = kind === 'firefox' ? openFirefox : openChromium;
  const browser = await open(path, { extension: extensionFolder(build), profile });
  if (!browser.running()) {
    say('\nThe browser did not start. If it is open with this profile, close its windows and run npm start again.');
    say(`Profile    ${profile}`);
    await shutDown(1);
  } else if (!browser.loaded) {
    await byHand('The browser did not load the extension by itself. In its window:');
  } else {
    // Each time: it changes nothing for one that is paired, and tells that the extension is ready for the chat.
    const paired = await pairBrowser(browser, data, demo.origin);
    await browser.open(chat);
    if (!paired) say('\nThe browser was not paired. `npm run companion -- pair` prints a link: open it there.');
    say('\nA browser window shows the demo chat. Click the Throughline icon in its toolbar (or behind the puzzle piece there)');
    say('to see what happens.');
    if (kind === 'firefox') say('Firefox stripes its address bar because this command told it to load the extension.');
    say('Closing that window, or Ctrl-C here, stops everything.');
  }
  await browser.ended;
  if (!isStopping()) say('The browser was closed: stopping.');
  await shutDown(0);
}

if (chosen === null) await byHand('No browser was found. In a browser on this machine:');
else if (!hasDisplay)
  await byHand('This session has no display, so no browser was opened. Where you have one on this machine:');
else if (chosen.kind === 'chrome') await byHand('Google Chrome loads extensions only by hand (since version 137):');
else await show(chosen);
