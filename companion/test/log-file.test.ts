/** The log file: private, turned by size, bounded in number, and never a reason to stop. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFiles, makePrivateDirectory } from '../src/files.ts';
import { createLog } from '../src/log.ts';
import { LOGS_KEPT, openLogFile } from '../src/log-file.ts';
import { temporaryDirectory } from './support/world.ts';

const fresh = () => {
  const files = dataFiles(join(temporaryDirectory(), 'data'));
  makePrivateDirectory(files.directory);
  return files;
};

describe('the log file', () => {
  it('is turned by size, keeps a few old ones, all private, newest lines last', async () => {
    const files = fresh();
    for (let round = 0; round < 2 * LOGS_KEPT; round += 1) {
      const file = openLogFile(files, '1K');
      const log = createLog('info', (line) => file.write(line));
      for (let i = 0; i < 20; i += 1) log.info('event', { round, i });
      await file.close();
    }
    const names = readdirSync(files.directory).sort();
    expect(names).toContain('throughline.log');
    expect(names).toContain(`throughline.log.${LOGS_KEPT}`);
    expect(names).not.toContain(`throughline.log.${LOGS_KEPT + 1}`);
    for (const name of names) {
      const path = join(files.directory, name);
      expect(statSync(path).mode & 0o777, name).toBe(0o600);
      for (const line of readFileSync(path, 'utf8').trim().split('\n').filter(Boolean)) {
        expect(JSON.parse(line).event, name).toBe('event');
      }
    }
    rmSync(files.directory, { recursive: true });
  });

  it('goes on where an earlier run stopped', async () => {
    const files = fresh();
    for (const word of ['first', 'second']) {
      const file = openLogFile(files);
      file.write(`${word}\n`);
      await file.close();
    }
    expect(readFileSync(files.log, 'utf8')).toBe('first\nsecond\n');
    rmSync(files.directory, { recursive: true });
  });

  it('that cannot be written costs the log only', async () => {
    const files = fresh();
    mkdirSync(files.log);
    const file = openLogFile(files);
    for (let i = 0; i < 5; i += 1) {
      file.write('line\n');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await file.close();
    rmSync(files.directory, { recursive: true });
  });
});
