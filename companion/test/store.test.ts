/** The SQLite store keeps the laws of the store port, survives reopening and kill -9, and refuses what it must not touch. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { storeLaws } from '@throughline/shared/testing/store.laws';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { Fault } from '../src/fault.ts';
import { lockDirectory } from '../src/store/lock.ts';
import { openDatabase } from '../src/store/open.ts';
import { createSqliteStore } from '../src/store/sqlite.ts';
import { commitFor } from './support/records.ts';
import { temporaryDirectory } from './support/world.ts';

const open = (path: string) => createSqliteStore(openDatabase(path, () => 0).database);

storeLaws('SQLite', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'sessions.sqlite');
  let store = open(path);
  return {
    store,
    async reopen() {
      await store.close();
      store = open(path);
      return store;
    },
    async dispose() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});

describe('a SQLite file', () => {
  it('of a newer schema is refused and stays byte for byte as it was', () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'sessions.sqlite');
    const database = new Sqlite(path);
    database.exec('CREATE TABLE future (x)');
    database.pragma('user_version = 999');
    database.close();
    const before = readFileSync(path);
    expect(() => openDatabase(path, () => 0)).toThrowError(Fault);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(directory)).toEqual(['sessions.sqlite']);
    rmSync(directory, { recursive: true });
  });

  it.each([
    ['text', Buffer.from('{"a":1}garbage'.repeat(50))],
    ['a torn header', Buffer.from('SQLite format 3\u0000 and then')],
    ['a header and noise', Buffer.concat([Buffer.from('SQLite format 3\u0000'), Buffer.alloc(8000, 7)])],
  ])('that holds %s is renamed, kept, and replaced by an empty store', async (_, content) => {
    const directory = temporaryDirectory();
    const path = join(directory, 'sessions.sqlite');
    // The version field of the header must not look like a newer schema.
    const bytes = Buffer.from(content);
    if (bytes.length > 64) bytes.writeUInt32BE(1, 60);
    writeFileSync(path, bytes);
    const { database, setAside } = openDatabase(path, () => 1_700_000_000_000);
    expect(setAside).toContain('.corrupt-2023-11-14');
    expect(readFileSync(setAside as string).equals(bytes)).toBe(true);
    const store = createSqliteStore(database);
    expect(await store.commit(commitFor('s1', 1))).toBe('committed');
    await store.close();
    rmSync(directory, { recursive: true });
  });

  it('forgets so that no 16-byte shingle of the text is left in any file', async () => {
    const directory = temporaryDirectory();
    const store = open(join(directory, 'sessions.sqlite'));
    const secret = Array.from({ length: 400 }, (_, i) => createHash('sha256').update(`s${i}`).digest('hex')).join(' ');
    await store.commit(commitFor('gone', 1, secret));
    await store.commit(commitFor('kept', 1, 'this one stays'));
    const scope = 'scope-a' as ScopeId;
    await store.forget({ scope, session: 'gone' as SessionId, site: null, at: 5 });
    const left = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
    for (let i = 0; i + 16 <= secret.length; i += 8) {
      for (const bytes of left) expect(bytes.includes(secret.slice(i, i + 16))).toBe(false);
    }
    expect(await store.load(scope, 'kept' as SessionId)).not.toBeNull();
    await store.close();
    rmSync(directory, { recursive: true });
  });
});

describe('kill -9', () => {
  it('loses no commit that was acknowledged', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'sessions.sqlite');
    const script = join(import.meta.dirname, 'support/committer.ts');
    for (let round = 0; round < 3; round += 1) {
      const child = spawn(process.execPath, ['--import', 'tsx', script, path, String(round)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const acknowledged: string[] = [];
      let rest = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (part: Buffer) => {
          const lines = (rest + part.toString('utf8')).split('\n');
          rest = lines.pop() ?? '';
          acknowledged.push(...lines);
          if (acknowledged.length >= 40) child.kill('SIGKILL');
        });
        child.on('close', () => resolve());
      });
      expect(acknowledged.length).toBeGreaterThanOrEqual(40);
      const store = open(path);
      for (const session of acknowledged) expect((await store.load('scope-a' as ScopeId, session as SessionId))?.rev).toBe(1);
      await store.close();
    }
    rmSync(directory, { recursive: true });
  });
});

describe('the lock of a data directory', () => {
  it('is held by one, and free again the moment its owner is gone', () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'lock.sqlite');
    const first = lockDirectory(path);
    expect(first).not.toBeNull();
    expect(lockDirectory(path)).toBeNull();
    first?.release();
    const second = lockDirectory(path);
    expect(second).not.toBeNull();
    second?.release();
    rmSync(directory, { recursive: true });
  });
});
