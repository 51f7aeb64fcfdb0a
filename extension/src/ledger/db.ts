/**
 * The extension's database: tables, keys, versions. Shapes only; what they mean is in dexie-store.ts.
 *
 * Durability: every commit is strict. Dexie sets durability per connection, and one strict connection is simpler than two whose
 * upgrades must be coordinated; commits run after an answer ended, never before a request leaves, so the flush costs nobody time.
 *
 * Versions are only ever added, each with its own upgrade in one transaction. A database newer than `SCHEMA` is left untouched.
 */
import type { Digest, ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Block } from '@throughline/shared/fold/block';
import type { TranscriptRow } from '@throughline/shared/fold/ledger';
import type { Domain } from '@throughline/shared/neutral/turn';
import type { LinkRow, SessionEvent, SessionRecord, Tombstone } from '@throughline/shared/session/records';
import { Dexie, type EntityTable, type Table } from 'dexie';

/** Highest schema this build understands. */
export const SCHEMA = 1;

interface Owned {
  readonly scope: ScopeId;
  readonly session: SessionId;
}

/** `site` is '' for no site, because null is no key. */
export interface StoredSession extends Owned {
  readonly site: string;
  readonly usedAt: number;
  readonly record: SessionRecord;
}

/** One row per head link; byte-identical requests may share one. */
export interface StoredHead {
  readonly scope: ScopeId;
  readonly domain: Domain;
  readonly link: Digest;
  readonly sessions: readonly SessionId[];
}

/** One row per link; `owners` in order of observation, each `ownerKey(scope, session)`. */
export interface StoredLink extends LinkRow {
  readonly scope: ScopeId;
  readonly owners: readonly string[];
}

export type StoredRow = Owned & TranscriptRow;
export type StoredBlock = Owned & Block;
export type StoredEvent = Owned & { readonly id?: number; readonly event: SessionEvent };
export type StoredTombstone = Tombstone & { readonly key: string };

export interface MetaRow {
  readonly key: string;
  readonly value: string | number;
}

/** The two ids of a link's owner as one key (neither id may hold a NUL). */
export function ownerKey(scope: ScopeId, session: SessionId): string {
  return `${scope}\u0000${session}`;
}

/** The session of an owner key. */
export function ownerSession(key: string): SessionId {
  return key.slice(key.indexOf('\u0000') + 1) as SessionId;
}

export class LedgerDatabase extends Dexie {
  declare sessions: Table<StoredSession, [string, string]>;
  declare heads: Table<StoredHead, [string, number, string]>;
  declare links: Table<StoredLink, [string, number, string]>;
  declare rows: Table<StoredRow, [string, string, number]>;
  declare blocks: Table<StoredBlock, [string, string, string]>;
  declare events: Table<StoredEvent, number>;
  declare tombstones: Table<StoredTombstone, string>;
  declare meta: EntityTable<MetaRow, 'key'>;

  constructor(name: string) {
    super(name, { chromeTransactionDurability: 'strict' });
    this.version(1).stores({
      sessions: '[scope+session], [scope+usedAt], [scope+site+usedAt]',
      heads: '[scope+domain+link]',
      links: '[scope+domain+link], *owners',
      rows: '[scope+session+seq]',
      blocks: '[scope+session+blockId]',
      events: '++id, [scope+session]',
      tombstones: 'key, scope',
      meta: 'key',
    });
    // Another context wants to upgrade or delete: let go at once, the next operation reopens.
    this.on('versionchange', () => {
      this.close({ disableAutoOpen: false });
    });
  }
}
