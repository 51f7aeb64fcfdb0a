/**
 * Opens the database file: a newer schema is refused and left untouched, a file that is no database (or a broken one) is renamed
 * and kept, and the companion starts with an empty one, because its copy can be made again from the extension's.
 */
import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { Fault } from '../fault.ts';
import { errorCode } from '../log.ts';
import { migrate, refuseNewer } from './migrations.ts';

const MAGIC = 'SQLite format 3\u0000';
const HEADER = 100;
/** Checking costs about a millisecond per megabyte; larger files are checked by use. */
const MAX_CHECKED = 256 * 1024 * 1024;

export interface Opened {
  readonly database: Database;
  /** Where the file that could not be read was put, or null. */
  readonly setAside: string | null;
}

/** Schema version in the file's header; null when it is no database. */
function versionInHeader(path: string): number | null {
  if (!existsSync(path) || statSync(path).size === 0) return 0;
  const header = Buffer.alloc(HEADER);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, HEADER, 0) < HEADER) return null;
  } finally {
    closeSync(file);
  }
  return header.toString('latin1', 0, 16) === MAGIC ? header.readUInt32BE(60) : null;
}

function openChecked(path: string): Database {
  const database = new Sqlite(path, { timeout: 2_000 });
  try {
    migrateAfterChecks(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function migrateAfterChecks(database: Database, path: string): void {
  refuseNewer(database.pragma('user_version', { simple: true }) as number);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('secure_delete = ON');
  database.pragma('foreign_keys = OFF');
  const small = !existsSync(path) || statSync(path).size <= MAX_CHECKED;
  if (small && database.pragma('quick_check(1)', { simple: true }) !== 'ok') {
    throw Object.assign(new Error('quick_check'), { code: 'SQLITE_CORRUPT' });
  }
  migrate(database);
}

/** The file and its companions, renamed; the new name of the file. */
function setFileAside(path: string, at: number): string {
  const stamp = new Date(at).toISOString().replace(/[:.]/g, '-');
  const aside = `${path}.corrupt-${stamp}`;
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}

export function openDatabase(path: string, now: () => number): Opened {
  const version = versionInHeader(path);
  if (version !== null) {
    refuseNewer(version);
    try {
      return { database: openChecked(path), setAside: null };
    } catch (error) {
      if (error instanceof Fault) throw error;
      const code = errorCode(error);
      if (!code.startsWith('SQLITE_CORRUPT') && code !== 'SQLITE_NOTADB') {
        throw new Fault(
          'store-unusable',
          `The database cannot be opened (${code}).`,
          'Check the disk and the permissions of the data directory.',
        );
      }
    }
  }
  const setAside = setFileAside(path, now());
  return { database: openChecked(path), setAside };
}
