/**
 * The store on SQLite (WAL). Every call is one synchronous step inside one transaction, so commits are atomic and nothing that was
 * answered `committed` is lost when the process is killed.
 *
 * Records, rows and blocks are kept as JSON text: what JSON can carry comes back exactly, lone surrogates included.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Block } from '@throughline/shared/fold/block';
import type { TranscriptRow } from '@throughline/shared/fold/ledger';
import type { PortableSession } from '@throughline/shared/session/portable';
import type { LinkRow, SessionEvent, SessionRecord, SessionSnapshot, Tombstone } from '@throughline/shared/session/records';
import type { Commit, CommitResult, SessionStore } from '@throughline/shared/session/store';
import { covers, isForgotten, tombstoneKey, tombstonesOf } from '@throughline/shared/session/tombstones';
import type { Database } from 'better-sqlite3';
import { createReader } from './reader.ts';
import { createSearchIndex, type SearchIndex } from './search-index.ts';

const blockNumber = (block: Block): number => Number(block.blockId.slice(1));

export interface SqliteStore extends SessionStore {
  /**
   * Removes every session last used before this time; returns them. No tombstone: a copy that went by age may come back when its
   * owner pushes it.
   */
  expire(before: number): Promise<readonly { readonly scope: ScopeId; readonly session: SessionId }[]>;
  /** Messages and summaries that hold the phrases, best first. */
  readonly find: SearchIndex['find'];
  /** Every scope that holds a session. */
  scopes(): readonly string[];
  /** How the stored requests were attached: evidence and count. */
  vias(): readonly [string | null, number][];
  /** Takes whole sessions in beside those that are here: all of them, or none when one is forgotten or known (`stale`). */
  takeIn(sessions: readonly PortableSession[]): Promise<CommitResult>;
}

/** Ends a transaction without a trace, with an answer. */
class Undone extends Error {
  readonly result: CommitResult;

  constructor(result: CommitResult) {
    super(result);
    this.result = result;
  }
}
const undo = (result: CommitResult): never => {
  throw new Undone(result);
};

/** A store on an opened, migrated database, which it owns from now on. */
export function createSqliteStore(database: Database): SqliteStore {
  const read = createReader(database);
  const index = createSearchIndex(database);
  const put = {
    session: database.prepare(
      `INSERT INTO sessions VALUES (@scope, @session, @rev, @site, @createdAt, @usedAt, @head2, @head3, @record)
       ON CONFLICT DO UPDATE SET rev = excluded.rev, site = excluded.site, created_at = excluded.created_at,
         used_at = excluded.used_at, head2 = excluded.head2, head3 = excluded.head3, record = excluded.record`,
    ),
    link: database.prepare(
      `INSERT INTO links (scope, session, domain, link, parent, item, depth) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (scope, session, domain, link) DO UPDATE SET parent = excluded.parent, item = excluded.item, depth = excluded.depth`,
    ),
    // A row is appended once; only its pin may change afterwards.
    row: database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET pinned = excluded.pinned'),
    block: database.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET block = excluded.block'),
    event: database.prepare('INSERT INTO events (scope, session, event) VALUES (?, ?, ?)'),
    tombstone: database.prepare(
      'INSERT INTO tombstones VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at), site = excluded.site',
    ),
  };
  const scopes = database.prepare('SELECT DISTINCT scope FROM sessions').pluck();
  const vias = database.prepare("SELECT json_extract(event, '$.data.via') AS via, count(*) FROM events GROUP BY via").raw();
  const drop = ['sessions', 'links', 'rows', 'blocks', 'events'].map((table) => ({
    table,
    statement: database.prepare(`DELETE FROM ${table} WHERE scope = ? AND session = ?`),
  }));

  const remove = (scope: ScopeId, session: SessionId, keepEvents: boolean): void => {
    for (const { table, statement } of drop) if (!(keepEvents && table === 'events')) statement.run(scope, session);
    index.remove(scope, session);
  };
  const write = (change: Omit<Commit, 'event'>, event: SessionEvent | null): void => {
    const { record } = change;
    const { scope, session } = record;
    put.session.run({
      scope,
      session,
      rev: record.rev,
      site: record.site,
      createdAt: record.createdAt,
      usedAt: record.usedAt,
      head2: record.heads[2].link,
      head3: record.heads[3].link,
      record: JSON.stringify(record),
    });
    for (const link of change.links) put.link.run(scope, session, link.domain, link.link, link.parent, link.item, link.depth);
    for (const row of change.rows) put.row.run(scope, session, row.seq, row.pinned ? 1 : 0, JSON.stringify(row));
    for (const block of change.blocks) put.block.run(scope, session, blockNumber(block), JSON.stringify(block));
    if (event !== null) put.event.run(scope, session, JSON.stringify(event));
    index.add(scope, session, change.rows, change.blocks);
  };
  const forgotten = (record: SessionRecord): boolean => isForgotten(read.tombstonesAbout(record), record);

  const commit = database.transaction((change: Commit): CommitResult => {
    if (forgotten(change.record)) return 'forgotten';
    const stored = read.record(change.record.scope, change.record.session);
    if (change.record.rev !== (stored?.rev ?? 0) + 1) return 'stale';
    write(change, change.event);
    return 'committed';
  });
  const restore = database.transaction((snapshot: SessionSnapshot): CommitResult => {
    if (forgotten(snapshot.record)) return 'forgotten';
    remove(snapshot.record.scope, snapshot.record.session, true);
    write(snapshot, null);
    return 'committed';
  });
  const forget = database.transaction((tombstone: Tombstone): SessionId[] => {
    const gone = read.list(tombstone.scope, null, null).filter((record) => covers(tombstone, record));
    for (const one of tombstonesOf(tombstone, gone))
      put.tombstone.run(tombstoneKey(one), one.scope, one.session, one.site, one.at);
    for (const record of gone) remove(record.scope, record.session, false);
    return gone.map((record) => record.session);
  });

  const takeIn = database.transaction((sessions: readonly PortableSession[]): CommitResult => {
    for (const { events, ...snapshot } of sessions) {
      const { scope, session } = snapshot.record;
      if (forgotten(snapshot.record)) return undo('forgotten');
      if (read.record(scope, session) !== null) return undo('stale');
      write(snapshot, null);
      for (const event of events) put.event.run(scope, session, JSON.stringify(event));
    }
    return 'committed';
  });

  const old = database.prepare('SELECT scope, session FROM sessions WHERE used_at < ?');
  const expire = database.transaction((before: number) => {
    const gone = old.all(before) as { scope: ScopeId; session: SessionId }[];
    for (const { scope, session } of gone) remove(scope, session, false);
    return gone;
  });
  /** Freed pages are zeroed (secure_delete); the file is rebuilt and the log cut, so that no copy of the text stays behind. */
  const scrub = (): void => {
    index.tidy();
    database.exec('VACUUM');
    database.pragma('wal_checkpoint(TRUNCATE)');
  };

  return {
    heads: async (scope, domain, links) => read.heads(scope, domain, links),
    deepest: async (scope, domain, links) => read.deepest(scope, domain, links),
    load: async (scope, session) => read.record(scope, session),
    rows: async (scope, session, fromSeq = 0): Promise<readonly TranscriptRow[]> => read.rows(scope, session, fromSeq),
    rowsAt: async (scope, session, seqs) => read.rowsAt(scope, session, seqs),
    blocks: async (scope, session): Promise<readonly Block[]> => read.blocks(scope, session),
    events: async (scope, session, limit) => read.events(scope, session, limit),
    list: async (filter) => read.list(filter.scope, filter.site ?? null, filter.limit ?? null),
    commit: async (change) => commit(change),
    async snapshot(scope, session) {
      const record = read.record(scope, session);
      if (record === null) return null;
      const links: readonly LinkRow[] = read.links(scope, session);
      return { record, rows: read.rows(scope, session, 0), links, blocks: read.blocks(scope, session) };
    },
    restore: async (snapshot) => restore(snapshot),
    async forget(tombstone) {
      const gone = forget(tombstone);
      if (gone.length > 0) scrub();
      else database.pragma('wal_checkpoint(TRUNCATE)');
      return gone;
    },
    async expire(before) {
      const gone = expire(before);
      if (gone.length > 0) scrub();
      return gone;
    },
    tombstones: async (scope) => read.tombstones(scope),
    find: index.find,
    scopes: () => scopes.all() as string[],
    vias: () => vias.all() as [string | null, number][],
    async takeIn(sessions) {
      try {
        return takeIn(sessions);
      } catch (error) {
        if (error instanceof Undone) return error.result;
        throw error;
      }
    },
    async close() {
      database.close();
    },
  };
}
