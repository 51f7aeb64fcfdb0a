/** `npm start` refuses what it cannot do at once: before it installs, builds or starts anything, in one line. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const START = fileURLToPath(new URL('../../bin/start.mjs', import.meta.url));

/** A run on a machine without any browser. */
function start(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [START, ...args], {
    env: { ...process.env, PATH: '', ProgramFiles: '', 'ProgramFiles(x86)': '', LOCALAPPDATA: '' },
    encoding: 'utf8',
  });
  return { status, stdout, lines: stderr.trimEnd().split('\n') };
}

describe('a call that is wrong', () => {
  it.each([
    ['a browser nobody knows', ['--browser', 'opera'], /"opera"/],
    ['no browser after the flag', ['--browser'], /one flag/],
    ['another flag after the flag', ['--browser', '--headless'], /one flag/],
    ['an unknown flag', ['--port', '1'], /one flag/],
    ['a bare word', ['firefox'], /one flag/],
  ])('is a usage error that names the choices: %s', (_name, args, says) => {
    const { status, stdout, lines } = start(...args);
    expect(lines).toEqual([expect.stringMatching(/^throughline: usage: .*--browser chromium\|chrome\|firefox\.$/)]);
    expect(lines[0]).toMatch(says);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });
});

// On macOS browsers are found in /Applications, whatever the environment says.
describe.skipIf(process.platform === 'darwin')('a browser that is not there', () => {
  it.each(['chromium', 'chrome', 'firefox'])('is named, and nothing else is opened instead: %s', (browser) => {
    const { status, stdout, lines } = start('--browser', browser);
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^throughline: no-browser: ${browser} was not found\\.`))]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });
});
