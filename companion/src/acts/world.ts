/**
 * What the person may have done to the data from the command line, whether the companion runs or not. The same acts work on a
 * running companion (which performs them between its turns) and on a directory that nobody uses.
 */
import type { SessionId } from '@throughline/shared/base/brand';
import type { SessionSnapshot, Tombstone } from '@throughline/shared/session/records';
import type { SessionStore } from '@throughline/shared/session/store';
import * as v from 'valibot';
import type { DataFiles } from '../files.ts';
import type { SqliteStore } from '../store/sqlite.ts';

export interface ActWorld {
  readonly files: DataFiles;
  readonly store: SessionStore | SqliteStore;
  /** Every scope there is, of browsers and of lane keys, also those that hold nothing. */
  readonly scopes: () => readonly string[];
  /** Forgets here and tells the owner, at once or when it comes back. */
  readonly forget: (tombstone: Tombstone) => Promise<readonly SessionId[]>;
  /** These sessions are new here: their owner gets them, at once or when it comes back. */
  readonly taken: (sessions: readonly SessionSnapshot[]) => Promise<void>;
  readonly retentionDays: number;
  readonly now: () => number;
}

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

/** An act as it is asked for. */
export const act = v.variant('act', [
  v.object({ act: v.literal('forget'), what: v.literal('session'), scope: id, session: id }),
  v.object({ act: v.literal('forget'), what: v.literal('site'), site: v.pipe(v.string(), v.maxLength(512)) }),
  v.object({ act: v.literal('forget'), what: v.literal('all') }),
  v.object({ act: v.literal('import'), path: v.pipe(v.string(), v.minLength(1)), again: v.boolean(), into: v.nullable(id) }),
]);
export type Act = v.InferOutput<typeof act>;
export type ForgetAct = Extract<Act, { act: 'forget' }>;
export type ImportAct = Extract<Act, { act: 'import' }>;
