/** The reading half of the SQLite store: prepared statements and nothing that writes. */
import type { Digest, ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Block } from '@throughline/shared/fold/block';
import type { TranscriptRow } from '@throughline/shared/fold/ledger';
import type { Domain } from '@throughline/shared/neutral/turn';
import type { LinkRow, SessionEvent, SessionRecord, Tombstone } from '@throughline/shared/session/records';
import type { HeadHit } from '@throughline/shared/session/store';
import type { Database } from 'better-sqlite3';

const HEAD_COLUMN: Readonly<Record<Domain, string>> = { 2: 'head2', 3: 'head3' };
/** Links asked for in one statement. */
const BATCH = 256;

const parse = <T>(text: string): T => JSON.parse(text) as T;

export interface Reader {
  record(scope: ScopeId, session: SessionId): SessionRecord | null;
  heads(scope: ScopeId, domain: Domain, links: readonly Digest[]): readonly HeadHit[];
  deepest(scope: ScopeId, domain: Domain, links: readonly Digest[]): { depth: number; session: SessionId | null };
  rows(scope: ScopeId, session: SessionId, fromSeq: number): readonly TranscriptRow[];
  rowsAt(scope: ScopeId, session: SessionId, seqs: readonly number[]): readonly TranscriptRow[];
  blocks(scope: ScopeId, session: SessionId): readonly Block[];
  links(scope: ScopeId, session: SessionId): readonly LinkRow[];
  events(scope: ScopeId, session: SessionId, limit: number): readonly SessionEvent[];
  list(scope: ScopeId, site: string | null, limit: number | null): readonly SessionRecord[];
  tombstones(scope: ScopeId): readonly Tombstone[];
  /** The tombstones that could cover this record. */
  tombstonesAbout(record: SessionRecord): readonly Tombstone[];
}

export function createReader(database: Database): Reader {
  const all = <T>(sql: string): ((...values: unknown[]) => T[]) => {
    const statement = database.prepare(sql);
    return (...values) => statement.all(...values) as T[];
  };
  type Json = { readonly json: string };
  type JsonRow = Json & { readonly pinned: number };
  type LinkLine = LinkRow & { readonly session: SessionId };

  const record = all<Json>('SELECT record AS json FROM sessions WHERE scope = ? AND session = ?');
  const rows = all<JsonRow>('SELECT row AS json, pinned FROM rows WHERE scope = ? AND session = ? AND seq >= ? ORDER BY seq');
  const rowAt = all<JsonRow>('SELECT row AS json, pinned FROM rows WHERE scope = ? AND session = ? AND seq = ?');
  const blocks = all<Json>('SELECT block AS json FROM blocks WHERE scope = ? AND session = ? ORDER BY number');
  const links = all<LinkRow>(
    'SELECT domain, link, parent, item, depth FROM links WHERE scope = ? AND session = ? ORDER BY domain, depth',
  );
  const events = all<Json>('SELECT event AS json FROM events WHERE scope = ? AND session = ? ORDER BY id DESC LIMIT ?');
  const list = all<Json>(
    `SELECT record AS json FROM sessions WHERE scope = ? AND (? IS NULL OR site = ?)
     ORDER BY used_at DESC, session LIMIT ?`,
  );
  const tombstones = all<Tombstone>('SELECT scope, session, site, at FROM tombstones WHERE scope = ?');
  const tombstonesAbout = all<Tombstone>(
    'SELECT scope, session, site, at FROM tombstones WHERE scope = ? AND (session IS NULL OR session = ?)',
  );
  const headSql = (domain: Domain, count: number): string =>
    `SELECT record AS json FROM sessions WHERE scope = ? AND ${HEAD_COLUMN[domain]} IN (${Array(count).fill('?').join(',')})`;
  const knownSql = (count: number): string =>
    `SELECT link, session FROM links WHERE scope = ? AND domain = ? AND link IN (${Array(count).fill('?').join(',')}) ORDER BY id`;
  const withPin = (row: JsonRow): TranscriptRow => ({ ...parse<TranscriptRow>(row.json), pinned: row.pinned === 1 });

  return {
    record: (scope, session) => {
      const [found] = record(scope, session);
      return found === undefined ? null : parse(found.json);
    },
    heads(scope, domain, wanted) {
      const hits: HeadHit[] = [];
      for (let i = 0; i < wanted.length; i += BATCH) {
        const batch = wanted.slice(i, i + BATCH);
        const found = database.prepare(headSql(domain, batch.length)).all(scope, ...batch) as Json[];
        for (const { json } of found) {
          const one = parse<SessionRecord>(json);
          hits.push({ domain, link: one.heads[domain].link, record: one });
        }
      }
      return hits;
    },
    deepest(scope, domain, wanted) {
      for (let end = wanted.length; end > 0; end -= BATCH) {
        const batch = wanted.slice(Math.max(0, end - BATCH), end);
        const found = database.prepare(knownSql(batch.length)).all(scope, domain, ...batch) as Pick<
          LinkLine,
          'link' | 'session'
        >[];
        const first = new Map<Digest, SessionId>();
        for (const { link, session } of found) if (!first.has(link)) first.set(link, session);
        for (let depth = end; depth > end - batch.length; depth -= 1) {
          const session = first.get(wanted[depth - 1] as Digest);
          if (session !== undefined) return { depth, session };
        }
      }
      return { depth: 0, session: null };
    },
    rows: (scope, session, fromSeq) => rows(scope, session, fromSeq).map(withPin),
    rowsAt: (scope, session, seqs) =>
      [...new Set(seqs)].sort((a, b) => a - b).flatMap((seq) => rowAt(scope, session, seq).map(withPin)),
    blocks: (scope, session) => blocks(scope, session).map(({ json }) => parse(json)),
    links,
    events: (scope, session, limit) =>
      events(scope, session, limit)
        .map(({ json }) => parse<SessionEvent>(json))
        .reverse(),
    list: (scope, site, limit) => list(scope, site, site, limit ?? -1).map(({ json }) => parse(json)),
    tombstones,
    tombstonesAbout: (one) => tombstonesAbout(one.scope, one.session),
  };
}
