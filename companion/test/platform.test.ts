/** Linux, macOS and Windows: where the data lies, how a link is opened, what stops the companion, how a file is replaced. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openerOf } from '../src/cli/browser.ts';
import { stopSignals } from '../src/cli/serve.ts';
import { settingsOf } from '../src/cli/settings.ts';
import { renameOver } from '../src/files.ts';

const real = process.platform;
afterEach(() => {
  Object.defineProperty(process, 'platform', { value: real });
  vi.unstubAllEnvs();
});

describe('the data directory', () => {
  const dataOn = (platform: string, environment: Record<string, string>): string => {
    for (const name of ['XDG_DATA_HOME', 'LOCALAPPDATA', 'APPDATA', 'THROUGHLINE_DATA']) vi.stubEnv(name, environment[name]);
    Object.defineProperty(process, 'platform', { value: platform });
    return settingsOf({ verb: 'status', values: {}, words: [] }).data;
  };

  it.each([
    ['linux', {}, join(homedir(), '.local/share/throughline')],
    ['linux', { XDG_DATA_HOME: '/xdg' }, '/xdg/throughline'],
    ['darwin', {}, join(homedir(), 'Library/Application Support/throughline')],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/throughline/Data'],
    ['win32', {}, join(homedir(), 'AppData/Local/throughline/Data')],
    ['darwin', { THROUGHLINE_DATA: '/elsewhere' }, '/elsewhere'],
  ])('on %s with %j is %s', (platform, environment, path) => {
    expect(dataOn(platform, environment as Record<string, string>)).toBe(path);
  });
});

it.each([
  ['linux', ['xdg-open']],
  ['freebsd', ['xdg-open']],
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
])('a link is opened on %s by %j', (platform, command) => expect(openerOf(platform)).toEqual(command));

it('Ctrl+Break stops it where there is such a key', () => {
  expect(stopSignals('win32')).toContain('SIGBREAK');
  expect(stopSignals('linux')).not.toContain('SIGBREAK');
  for (const platform of ['linux', 'darwin', 'win32']) {
    expect(stopSignals(platform)).toEqual(expect.arrayContaining(['SIGINT', 'SIGTERM', 'SIGHUP']));
  }
});

describe('replacing a file', () => {
  const failing = (code: string, times: number) => {
    let left = times;
    let calls = 0;
    const rename = (): void => {
      calls += 1;
      if (left-- > 0) throw Object.assign(new Error(code), { code });
    };
    return { rename, calls: () => calls };
  };

  it('waits on Windows while somebody has it open, and gives up in the end', () => {
    const soon = failing('EPERM', 3);
    renameOver('a', 'b', 'win32', soon.rename);
    expect(soon.calls()).toBe(4);
    const never = failing('EBUSY', 1000);
    expect(() => renameOver('a', 'b', 'win32', never.rename)).toThrow('EBUSY');
  });

  it.each([
    ['win32', 'ENOSPC'],
    ['linux', 'EPERM'],
  ])('fails at once on %s with %s', (platform, code) => {
    const once = failing(code, 1);
    expect(() => renameOver('a', 'b', platform, once.rename)).toThrow(code);
    expect(once.calls()).toBe(1);
  });

  it('puts the new content in place of the old', () => {
    const directory = mkdtempSync(join(tmpdir(), 'throughline-test-'));
    writeFileSync(join(directory, 'a'), 'new');
    writeFileSync(join(directory, 'b'), 'old');
    renameOver(join(directory, 'a'), join(directory, 'b'));
    expect(readFileSync(join(directory, 'b'), 'utf8')).toBe('new');
  });
});
