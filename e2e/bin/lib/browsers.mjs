/** Finds browsers, and on Debian as root installs them for the tests. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackages, isDebianRoot } from './apt.mjs';
import { fail, progress } from './say.mjs';

const { env, platform } = process;
const windowsFolders = [env.ProgramFiles, env['ProgramFiles(x86)'], env.LOCALAPPDATA].filter(Boolean);

const PLACES = {
  chromium: {
    names: ['chromium', 'chromium-browser'],
    mac: ['Chromium.app/Contents/MacOS/Chromium'],
    windows: ['Chromium\\Application\\chrome.exe'],
  },
  chrome: {
    names: ['google-chrome', 'google-chrome-stable'],
    mac: ['Google Chrome.app/Contents/MacOS/Google Chrome'],
    windows: ['Google\\Chrome\\Application\\chrome.exe'],
  },
  firefox: {
    names: ['firefox', 'firefox-esr'],
    mac: ['Firefox.app/Contents/MacOS/firefox'],
    windows: ['Mozilla Firefox\\firefox.exe'],
  },
};

export const BROWSERS = Object.keys(PLACES);

/** Path of this browser, or null. */
export function findBrowser(kind) {
  const { names, mac, windows } = PLACES[kind];
  const candidates =
    platform === 'darwin'
      ? mac.map((path) => join('/Applications', path))
      : platform === 'win32'
        ? windows.flatMap((path) => windowsFolders.map((folder) => join(folder, path)))
        : (env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return candidates.find((path) => existsSync(path)) ?? null;
}

/** The first browser found, in order of how much we can do for the person. */
export function anyBrowser() {
  for (const kind of BROWSERS) {
    const path = findBrowser(kind);
    if (path !== null) return { kind, path };
  }
  return null;
}

const PACKAGES = { chromium: 'chromium', firefox: 'firefox-esr' };

/** Makes sure these browsers are there; ends with a sentence when they are not and we may not install them. */
export async function ensureBrowsers(kinds) {
  const missing = kinds.filter((kind) => findBrowser(kind) === null);
  if (missing.length === 0) return;
  const packages = missing.map((kind) => PACKAGES[kind]);
  if (isDebianRoot()) {
    progress(`Installing ${packages.join(' and ')} …`);
    await installPackages(packages);
  }
  const still = missing.filter((kind) => findBrowser(kind) === null);
  if (still.length === 0) return;
  const hint =
    platform === 'linux'
      ? `On Debian: sudo apt-get install ${packages.join(' ')}.`
      : `Install ${still.join(' and ')} and run the command again.`;
  fail('no-browser', `This needs ${still.join(' and ')}, which was not found. ${hint}`);
}
