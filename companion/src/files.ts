/**
 * Private files: directory 0700, files 0600, written whole or not at all (temporary file, fsync, rename, fsync of the directory).
 *
 * The mode is set at creation and again after it, so that neither an odd umask nor an older file widens it.
 */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomHex } from './hash.ts';

/** Makes the data directory, readable by its owner only. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32') chmodSync(path, 0o700);
}

/** Replaces the file; after a crash at any point the old or the new content stands. */
export function writePrivateFile(path: string, content: string): void {
  const temporary = `${path}.${randomHex(6)}.tmp`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    renameOver(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
}

const RENAME_TRIES = 10;
const RENAME_WAIT_MILLISECONDS = 20;
/** What Windows says while a virus scanner or an indexer has the file open. */
const IN_USE: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Renames over whatever is there; where a file that somebody reads cannot be replaced, it is tried for a moment. */
export function renameOver(from: string, to: string, platform: string = process.platform, rename = renameSync): void {
  for (let tries = 1; ; tries += 1) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      const wait = platform === 'win32' && tries < RENAME_TRIES && IN_USE.has((error as NodeJS.ErrnoException).code);
      if (!wait) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RENAME_WAIT_MILLISECONDS);
    }
  }
}

function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** The file's text, or null when there is no such file. */
export function readPrivateFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Removes the file if it is there. */
export function removePrivateFile(path: string): void {
  rmSync(path, { force: true });
}

/** Every file the companion keeps, by name, inside one data directory. */
export interface DataFiles {
  readonly directory: string;
  readonly pairings: string;
  readonly pairing: string;
  readonly companion: string;
  readonly identity: string;
  readonly apiKey: string;
  readonly lanes: string;
  readonly lock: string;
  readonly database: string;
  readonly log: string;
}

export function dataFiles(directory: string): DataFiles {
  return {
    directory,
    pairings: join(directory, 'pairings.json'),
    pairing: join(directory, 'pairing.json'),
    companion: join(directory, 'companion.json'),
    identity: join(directory, 'identity.json'),
    apiKey: join(directory, 'api-key'),
    lanes: join(directory, 'lanes.json'),
    lock: join(directory, 'lock.sqlite'),
    database: join(directory, 'sessions.sqlite'),
    log: join(directory, 'throughline.log'),
  };
}
