/**
 * The store port on IndexedDB: the truth about every session of the page lane.
 *
 * Each change is one transaction, guarded by the revision. A full disk loses originals, then blocks, never identity; half a fold never.
 */
import type { Digest, ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Domain } from '@throughline/shared/neutral/turn';
import type { SessionRecord, SessionSnapshot, Tombstone } from '@throughline/shared/session/records';
import type { Commit, CommitResult, HeadHit, SessionFilter, SessionStore } from '@throughline/shared/session/store';
import { covers, isForgotten, tombstoneKey, tombstonesOf } from '@throughline/shared/session/tombstones';
import { LedgerDatabase, ownerKey, ownerSession, SCHEMA, type StoredBlock, type StoredRow } from './db.ts';
import { isQuota, NewerSchemaError } from './faults.ts';
import { addLinks, dropLinks, eraseSession, LEVELS, type Level, moveHeads, putBlocks, putRows } from './write.ts';

/** Events kept per session. */
const EVENTS_KEPT = 500;

export interface LedgerStore extends SessionStore {
  /** Made with the database; a new one means that the old store is lost. */
  readonly storeId: string;
  /** What the last write had to leave out. */
  readonly level: () => Level;
  /** Sessions in all scopes. */
  count(): Promise<number>;
}

function withoutOwner<T extends object>(stored: T & { scope: ScopeId; session: SessionId }): T {
  const { scope: _scope, session: _session, ...rest } = stored;
  return rest as unknown as T;
}

const birth = (block: { readonly blockId: string }): number => Number(block.blockId.slice(1));

/** Opens (or creates) the database of that name. Throws what IndexedDB throws. */
export async function openDexieStore(name: string, newStoreId: () => string): Promise<LedgerStore> {
  const db = new LedgerDatabase(name);
  await db.open();
  // Dexie opens a newer database silently (IndexedDB versions are Dexie's times ten); writing into it would damage it.
  if (db.backendDB().version / 10 > SCHEMA) {
    db.close();
    throw new NewerSchemaError(`database ${name} was written by a newer version`);
  }
  const storeId = await db.transaction('rw', db.meta, async () => {
    const known = await db.meta.get('store');
    if (known) return String(known.value);
    const made = newStoreId();
    await db.meta.bulkPut([
      { key: 'store', value: made },
      { key: 'schema', value: db.verno },
    ]);
    return made;
  });
  return dexieStore(db, storeId);
}

function dexieStore(db: LedgerDatabase, storeId: string): LedgerStore {
  let level: Level = 'full';
  const everything = [db.sessions, db.heads, db.links, db.rows, db.blocks, db.events, db.tombstones];

  const find = async (scope: ScopeId, session: SessionId): Promise<SessionRecord | null> =>
    (await db.sessions.get([scope, session]))?.record ?? null;

  const forgotten = async (record: SessionRecord): Promise<boolean> =>
    isForgotten(await db.tombstones.where('scope').equals(record.scope).toArray(), record);

  const rowsOf = async (scope: ScopeId, session: SessionId, fromSeq = 0) => {
    const found: StoredRow[] = await db.rows
      .where('[scope+session+seq]')
      .between([scope, session, fromSeq], [scope, session, Infinity])
      .toArray();
    return found.map(withoutOwner);
  };

  const blocksOf = async (scope: ScopeId, session: SessionId) => {
    const found: StoredBlock[] = await db.blocks
      .where('[scope+session+blockId]')
      .between([scope, session, ''], [scope, session, '\uffff'])
      .toArray();
    return found.map(withoutOwner).sort((one, other) => birth(one) - birth(other));
  };

  const putRecord = (record: SessionRecord) =>
    db.sessions.put({
      scope: record.scope,
      session: record.session,
      site: record.site ?? '',
      usedAt: record.usedAt,
      record,
    });

  const write = (change: Commit, at: Level): Promise<CommitResult> =>
    db.transaction('rw', everything, async (): Promise<CommitResult> => {
      const { record } = change;
      const { scope, session } = record;
      if (await forgotten(record)) return 'forgotten';
      const old = await find(scope, session);
      if (record.rev !== (old?.rev ?? 0) + 1) return 'stale';
      await putRecord(record);
      await moveHeads(db, old, record);
      await addLinks(db, scope, session, change.links);
      await putRows(db, scope, session, change.rows, at);
      await putBlocks(db, scope, session, change.blocks, at);
      if (change.event && at !== 'no-blocks') {
        const id = await db.events.add({ scope, session, event: change.event });
        if (record.rev % 100 === 0) await pruneEvents(scope, session, id);
      }
      return 'committed';
    });

  const pruneEvents = async (scope: ScopeId, session: SessionId, newest: number) => {
    const keys = await db.events.where('[scope+session]').equals([scope, session]).primaryKeys();
    await db.events.bulkDelete(keys.filter((key) => key <= newest).slice(0, -EVENTS_KEPT));
  };

  const put = (snapshot: SessionSnapshot, at: Level): Promise<CommitResult> =>
    db.transaction('rw', everything, async (): Promise<CommitResult> => {
      const { record } = snapshot;
      const { scope, session } = record;
      if (await forgotten(record)) return 'forgotten';
      const old = await find(scope, session);
      if (old) await moveHeads(db, old, null);
      await dropLinks(db, scope, session);
      await db.rows.where('[scope+session+seq]').between([scope, session, 0], [scope, session, Infinity]).delete();
      await db.blocks.where('[scope+session+blockId]').between([scope, session, ''], [scope, session, '\uffff']).delete();
      await putRecord(record);
      await moveHeads(db, null, record);
      await addLinks(db, scope, session, snapshot.links);
      await putRows(db, scope, session, snapshot.rows, at);
      await putBlocks(db, scope, session, snapshot.blocks, at);
      return 'committed';
    });

  /** Tries with everything; when the disk is full, with less. A fold is all or nothing. */
  const withRoom = async (whole: boolean, attempt: (at: Level) => Promise<CommitResult>): Promise<CommitResult> => {
    for (const at of LEVELS) {
      try {
        const result = await attempt(at);
        level = at;
        return result;
      } catch (error) {
        if (!isQuota(error)) throw error;
        level = at === 'full' ? 'no-originals' : 'no-blocks';
        if (whole || at === 'no-blocks') throw error;
      }
    }
    throw new Error('unreachable: the last level either returns or throws');
  };

  return {
    storeId,
    level: () => level,
    count: () => db.sessions.count(),

    async heads(scope: ScopeId, domain: Domain, links: readonly Digest[]): Promise<readonly HeadHit[]> {
      if (links.length === 0) return [];
      return db.transaction('r', [db.heads, db.sessions], async () => {
        const hits = await db.heads.bulkGet(links.map((link) => [scope, domain, link] as [string, number, string]));
        const wanted = hits.flatMap((hit) => (hit ? hit.sessions.map((session) => ({ link: hit.link, session })) : []));
        const records = await db.sessions.bulkGet(wanted.map(({ session }) => [scope, session] as [string, string]));
        return wanted.flatMap(({ link }, at) => {
          const stored = records[at];
          return stored ? [{ domain, link, record: stored.record }] : [];
        });
      });
    },

    async deepest(scope, domain, links) {
      let known = 0;
      let unknown = links.length + 1;
      let session: SessionId | null = null;
      while (unknown - known > 1) {
        const middle = (known + unknown) >> 1;
        const link = links[middle - 1] as Digest;
        const hit = await db.links.get([scope, domain, link]);
        if (hit) {
          known = middle;
          session = hit.owners[0] === undefined ? null : ownerSession(hit.owners[0]);
        } else unknown = middle;
      }
      return { depth: known, session };
    },

    load: find,
    rows: rowsOf,
    async rowsAt(scope, session, seqs) {
      const sorted = [...new Set(seqs)].sort((one, other) => one - other);
      const found = await db.rows.bulkGet(sorted.map((seq) => [scope, session, seq] as [string, string, number]));
      return found.flatMap((row) => (row ? [withoutOwner(row)] : []));
    },
    blocks: blocksOf,
    async events(scope, session, limit) {
      const newest = await db.events
        .where('[scope+session]')
        .equals([scope, session])
        .reverse()
        .limit(Math.min(limit, 0xffff))
        .toArray();
      return newest.reverse().map((row) => row.event);
    },
    async list(filter: SessionFilter) {
      const query =
        filter.site === undefined
          ? db.sessions.where('[scope+usedAt]').between([filter.scope, -Infinity], [filter.scope, Infinity])
          : db.sessions
              .where('[scope+site+usedAt]')
              .between([filter.scope, filter.site, -Infinity], [filter.scope, filter.site, Infinity]);
      const newest = query.reverse();
      const found = await (filter.limit === undefined ? newest : newest.limit(filter.limit)).toArray();
      return found.map((row) => row.record);
    },

    commit: (change) => withRoom(change.event?.kind === 'fold', (at) => write(change, at)),
    restore: (snapshot) => withRoom(false, (at) => put(snapshot, at)),

    snapshot: (scope, session) =>
      db.transaction('r', [db.sessions, db.rows, db.links, db.blocks], async () => {
        const record = await find(scope, session);
        if (!record) return null;
        const links = await db.links.where('owners').equals(ownerKey(scope, session)).toArray();
        return {
          record,
          rows: await rowsOf(scope, session),
          links: links
            .map(({ domain, link, parent, item, depth }) => ({ domain, link, parent, item, depth }))
            .sort((one, other) => one.domain - other.domain || one.depth - other.depth),
          blocks: await blocksOf(scope, session),
        };
      }),

    forget: (tombstone: Tombstone) =>
      db.transaction('rw', everything, async () => {
        const all = await db.sessions
          .where('[scope+usedAt]')
          .between([tombstone.scope, -Infinity], [tombstone.scope, Infinity])
          .toArray();
        const gone = all.map((row) => row.record).filter((record) => covers(tombstone, record));
        for (const record of gone) await eraseSession(db, record);
        await db.tombstones.bulkPut(tombstonesOf(tombstone, gone).map((stone) => ({ ...stone, key: tombstoneKey(stone) })));
        return gone.map((record) => record.session);
      }),
    async tombstones(scope) {
      const stones = await db.tombstones.where('scope').equals(scope).toArray();
      return stones.map(({ scope: of, session, site, at }) => ({ scope: of, session, site, at }));
    },

    async close() {
      db.close();
    },
  };
}
