/**
 * One process per data directory. The lock is an exclusive transaction on a small SQLite file: the operating system drops it when
 * its owner dies, so there is no stale lock to judge and no process id to guess.
 */
import Sqlite from 'better-sqlite3';

export interface DirectoryLock {
  release(): void;
}

/** The lock, or null when another process holds it. */
export function lockDirectory(path: string): DirectoryLock | null {
  const database = new Sqlite(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
  return { release: () => void database.close() };
}
