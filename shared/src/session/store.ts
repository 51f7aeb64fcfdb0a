/**
 * The store port. Memory, Dexie and SQLite implement it and pass the same laws (`test/laws/store.laws.ts`).
 *
 * Commits are atomic and guarded by the revision: a commit whose `record.rev` is not exactly the stored `rev + 1` (or 1 for a
 * birth) changes nothing and answers `stale`. Nothing here reads a clock: times arrive in the records.
 */
import type { Digest, ScopeId, SessionId } from '#base/brand';
import type { Block } from '#fold/block';
import type { TranscriptRow } from '#fold/ledger';
import type { Domain } from '#neutral/turn';
import type { LinkRow, SessionEvent, SessionRecord, SessionSnapshot, Tombstone } from './records.ts';

/** A session whose head is one of the asked links. */
export interface HeadHit {
  readonly domain: Domain;
  readonly link: Digest;
  readonly record: SessionRecord;
}

/** Everything one completed change adds. Links, rows and blocks may be empty. */
export interface Commit {
  readonly record: SessionRecord;
  readonly links: readonly LinkRow[];
  readonly rows: readonly TranscriptRow[];
  /** Blocks written or rewritten. */
  readonly blocks: readonly Block[];
  readonly event: SessionEvent | null;
}

export type CommitResult = 'committed' | 'stale' | 'forgotten';

export interface SessionFilter {
  readonly scope: ScopeId;
  readonly site?: string;
  readonly limit?: number;
}

export interface SessionStore {
  /** Sessions (not forgotten) of the scope whose head in `domain` is among `links`. No order. */
  heads(scope: ScopeId, domain: Domain, links: readonly Digest[]): Promise<readonly HeadHit[]>;
  /**
   * The deepest of `links` (a chain, shallow to deep) that was ever observed in the scope, and the session that observed it
   * first. Links are prefix-closed, so this is a binary search. Depth 0 and session null when none is known.
   */
  deepest(
    scope: ScopeId,
    domain: Domain,
    links: readonly Digest[],
  ): Promise<{ readonly depth: number; readonly session: SessionId | null }>;
  /** The record, or null when unknown or forgotten. */
  load(scope: ScopeId, session: SessionId): Promise<SessionRecord | null>;
  /** Transcript rows by ascending seq, from `fromSeq` (inclusive, default 0). */
  rows(scope: ScopeId, session: SessionId, fromSeq?: number): Promise<readonly TranscriptRow[]>;
  /** The rows with these seqs, ascending. */
  rowsAt(scope: ScopeId, session: SessionId, seqs: readonly number[]): Promise<readonly TranscriptRow[]>;
  /** Blocks in order of birth, whatever their state. */
  blocks(scope: ScopeId, session: SessionId): Promise<readonly Block[]>;
  /** Newest `limit` events, newest last. */
  events(scope: ScopeId, session: SessionId, limit: number): Promise<readonly SessionEvent[]>;
  /** Sessions by most recent use. */
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>;
  /** Atomic; see `CommitResult`. A forgotten session answers `forgotten`. */
  commit(change: Commit): Promise<CommitResult>;
  /** The whole session, for the other side. Null when unknown or forgotten. */
  snapshot(scope: ScopeId, session: SessionId): Promise<SessionSnapshot | null>;
  /** Replaces the session with the owner's version, unless a tombstone outranks it (`forgotten`). */
  restore(snapshot: SessionSnapshot): Promise<CommitResult>;
  /** Removes rows, links, blocks, events and record and leaves a tombstone; returns the sessions removed. */
  forget(tombstone: Tombstone): Promise<readonly SessionId[]>;
  tombstones(scope: ScopeId): Promise<readonly Tombstone[]>;
  /** Releases handles. The store is unusable afterwards. */
  close(): Promise<void>;
}
