/**
 * The store in memory: for tests, for `throughline replay` and for `--ephemeral`.
 *
 * It is also the plain reading of the port: each call is one synchronous step, so a commit is atomic and calls that overlap happen
 * one after the other. Nothing survives the process.
 */
import type { BlockId, Digest, ScopeId, SessionId } from '#base/brand';
import type { Block } from '#fold/block';
import type { TranscriptRow } from '#fold/ledger';
import { DOMAINS, type Domain } from '#neutral/turn';
import { createLinkIndex } from './link-index.ts';
import type { LinkRow, SessionEvent, SessionRecord, SessionSnapshot, Tombstone } from './records.ts';
import type { Commit, CommitResult, SessionStore } from './store.ts';
import { covers, isForgotten, tombstoneKey, tombstonesOf } from './tombstones.ts';

interface Entry {
  record: SessionRecord;
  readonly rows: Map<number, TranscriptRow>;
  readonly links: Map<string, LinkRow>;
  readonly blocks: Map<BlockId, Block>;
  readonly events: SessionEvent[];
}

/** An empty store. */
export function createMemoryStore(): SessionStore {
  const sessions = new Map<string, Entry>();
  const tombstones = new Map<string, Tombstone>();
  const heads = createLinkIndex();
  const observed = createLinkIndex();
  let closed = false;

  const key = (scope: ScopeId, session: SessionId): string => JSON.stringify([scope, session]);
  const find = (scope: ScopeId, session: SessionId): Entry | undefined => {
    if (closed) throw new Error('the store is closed');
    return sessions.get(key(scope, session));
  };
  const ofScope = (scope: ScopeId): SessionRecord[] =>
    [...sessions.values()].map((entry) => entry.record).filter((record) => record.scope === scope);

  /** Takes the session out of every index and drops it. */
  const remove = (entry: Entry): void => {
    const { scope, session } = entry.record;
    for (const domain of DOMAINS) heads.remove(scope, domain, entry.record.heads[domain].link, session);
    for (const row of entry.links.values()) observed.remove(scope, row.domain, row.link, session);
    sessions.delete(key(scope, session));
  };

  /** Writes the change over the entry and into the indexes. Everything was checked before. */
  const write = (change: Omit<Commit, 'event'>, events: readonly SessionEvent[]): void => {
    const { scope, session } = change.record;
    const old = sessions.get(key(scope, session));
    const entry: Entry = old ?? { record: change.record, rows: new Map(), links: new Map(), blocks: new Map(), events: [] };
    for (const domain of DOMAINS) {
      heads.remove(scope, domain, entry.record.heads[domain].link, session);
      heads.add(scope, domain, change.record.heads[domain].link, session);
    }
    entry.record = change.record;
    for (const row of change.links) {
      entry.links.set(`${row.domain} ${row.link}`, row);
      observed.add(scope, row.domain, row.link, session);
    }
    for (const row of change.rows) {
      const known = entry.rows.get(row.seq);
      // A row is appended once; only its pin may change afterwards.
      entry.rows.set(row.seq, known === undefined ? row : { ...known, pinned: row.pinned });
    }
    for (const block of change.blocks) entry.blocks.set(block.blockId, block);
    entry.events.push(...events);
    sessions.set(key(scope, session), entry);
  };

  const sortedRows = (entry: Entry | undefined): TranscriptRow[] =>
    [...(entry?.rows.values() ?? [])].sort((a, b) => a.seq - b.seq);
  const sortedBlocks = (entry: Entry | undefined): Block[] =>
    [...(entry?.blocks.values() ?? [])].sort((a, b) => Number(a.blockId.slice(1)) - Number(b.blockId.slice(1)));
  const sortedLinks = (entry: Entry): LinkRow[] =>
    [...entry.links.values()].sort((a, b) => a.domain - b.domain || a.depth - b.depth);

  return {
    async heads(scope, domain, links) {
      return links.flatMap((link) =>
        heads.owners(scope, domain, link).flatMap((session) => {
          const entry = find(scope, session);
          return entry === undefined ? [] : [{ domain, link, record: entry.record }];
        }),
      );
    },
    async deepest(scope: ScopeId, domain: Domain, links: readonly Digest[]) {
      for (let depth = links.length; depth > 0; depth -= 1) {
        const [first] = observed.owners(scope, domain, links[depth - 1] as Digest);
        if (first !== undefined) return { depth, session: first };
      }
      return { depth: 0, session: null };
    },
    async load(scope, session) {
      return find(scope, session)?.record ?? null;
    },
    async rows(scope, session, fromSeq = 0) {
      return sortedRows(find(scope, session)).filter((row) => row.seq >= fromSeq);
    },
    async rowsAt(scope, session, seqs) {
      const wanted = new Set(seqs);
      return sortedRows(find(scope, session)).filter((row) => wanted.has(row.seq));
    },
    async blocks(scope, session) {
      return sortedBlocks(find(scope, session));
    },
    async events(scope, session, limit) {
      const events = find(scope, session)?.events ?? [];
      return events.slice(Math.max(0, events.length - limit));
    },
    async list(filter) {
      const found = ofScope(filter.scope)
        .filter((record) => filter.site === undefined || record.site === filter.site)
        .sort((a, b) => b.usedAt - a.usedAt || (a.session < b.session ? -1 : 1));
      return filter.limit === undefined ? found : found.slice(0, filter.limit);
    },
    async commit(change): Promise<CommitResult> {
      const stored = find(change.record.scope, change.record.session)?.record;
      if (isForgotten(tombstones.values(), change.record)) return 'forgotten';
      if (change.record.rev !== (stored?.rev ?? 0) + 1) return 'stale';
      write(change, change.event === null ? [] : [change.event]);
      return 'committed';
    },
    async snapshot(scope, session): Promise<SessionSnapshot | null> {
      const entry = find(scope, session);
      if (entry === undefined) return null;
      return { record: entry.record, rows: sortedRows(entry), links: sortedLinks(entry), blocks: sortedBlocks(entry) };
    },
    async restore(snapshot): Promise<CommitResult> {
      const entry = find(snapshot.record.scope, snapshot.record.session);
      if (isForgotten(tombstones.values(), snapshot.record)) return 'forgotten';
      if (entry !== undefined) remove(entry);
      write(snapshot, entry?.events ?? []);
      return 'committed';
    },
    async forget(tombstone) {
      const gone = ofScope(tombstone.scope).filter((record) => covers(tombstone, record));
      for (const one of tombstonesOf(tombstone, gone)) tombstones.set(tombstoneKey(one), one);
      for (const record of gone) {
        const entry = find(record.scope, record.session);
        if (entry !== undefined) remove(entry);
      }
      return gone.map((record) => record.session);
    },
    async tombstones(scope) {
      return [...tombstones.values()].filter((tombstone) => tombstone.scope === scope);
    },
    async close() {
      closed = true;
    },
  };
}
