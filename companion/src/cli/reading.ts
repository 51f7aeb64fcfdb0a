/**
 * Reading what is stored: from the running companion, or from its data directory when none runs. Both answer the same paths.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { Fault } from '../fault.ts';
import type { DataFiles } from '../files.ts';
import { apiRoutes } from '../http/api.ts';
import { errorCode } from '../log.ts';
import { type DirectoryLock, lockDirectory } from '../store/lock.ts';
import { openDatabase } from '../store/open.ts';
import { createSqliteStore } from '../store/sqlite.ts';
import { askRunning, lookForRunning } from './running.ts';

export interface Reading {
  /** `GET /api/…`; null for what is unknown. */
  get(path: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Refuses a directory in which no companion ever kept anything: a wrong `--data`, most likely. */
export function refuseForeign(files: DataFiles): void {
  if (existsSync(files.identity) || existsSync(files.database)) return;
  throw new Fault('no-data', 'No companion has kept anything here.', 'Name its data directory with --data.');
}

/** Holds the directory, or null when another process does. */
export function holdDirectory(files: DataFiles): DirectoryLock | null {
  // Whatever SQLite creates there from now on is private too.
  process.umask(0o077);
  try {
    return lockDirectory(files.lock);
  } catch (error) {
    const sentence = `The data directory cannot be used (${errorCode(error)}).`;
    throw new Fault('bad-data-directory', sentence, 'Check who may write there, or name another one with --data.');
  }
}

const PATIENCE_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 100;

/** The companion that runs here, or the directory for ourselves; whoever is just starting or stopping is waited for. */
export async function runningOrHeld(files: DataFiles): Promise<{ port: number } | { lock: DirectoryLock }> {
  for (let waited = 0; ; waited += LOOK_MILLISECONDS) {
    const running = await lookForRunning(files);
    if (running !== null) return { port: running.port };
    refuseForeign(files);
    const lock = holdDirectory(files);
    if (lock !== null) return { lock };
    if (waited >= PATIENCE_MILLISECONDS) {
      throw new Fault('busy', 'Another process holds this data directory and does not answer.', 'Try again in a moment.');
    }
    await sleep(LOOK_MILLISECONDS);
  }
}

async function openReading(files: DataFiles): Promise<Reading> {
  const found = await runningOrHeld(files);
  if ('port' in found) return { get: (path) => askRunning(files, found.port, path), close: async () => undefined };
  const { lock } = found;
  try {
    const store = createSqliteStore(openDatabase(files.database, Date.now).database);
    const app = fastify({ logger: false });
    apiRoutes(app, { store, scopes: store.scopes, stats: async () => null });
    return {
      async get(path) {
        const answer = await app.inject({ method: 'GET', url: path });
        if (answer.statusCode === 404) return null;
        if (answer.statusCode !== 200) throw new Fault('unreadable', 'The data cannot be read.', 'Check the disk.');
        return answer.json();
      },
      async close() {
        await app.close();
        await store.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Reads, and lets go whatever happens. */
export async function reading<T>(files: DataFiles, read: (from: Reading) => Promise<T>): Promise<T> {
  const from = await openReading(files);
  try {
    return await read(from);
  } finally {
    await from.close();
  }
}
