/**
 * The search index: one entry per stored message and per summary, in SQLite's FTS5, written and removed in the same transaction
 * as what it stands for. It holds terms and positions, never the text: what is shown is read from the rows.
 *
 * Terms are made here (pairs of characters for Chinese, Japanese and Korean), so FTS5 only has to split at spaces.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Block } from '@throughline/shared/fold/block';
import type { TranscriptRow } from '@throughline/shared/fold/ledger';
import { type Phrase, termsOf } from '@throughline/shared/fold/terms';
import { textOfRow } from '@throughline/shared/session/words';
import type { Database } from 'better-sqlite3';
import { nodeSha256 } from '../hash.ts';

export const SEARCH_SCHEMA = `
  CREATE TABLE search_entries (
    id INTEGER PRIMARY KEY, scope TEXT NOT NULL, session TEXT NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL,
    UNIQUE (scope, session, kind, number)
  );
  CREATE VIRTUAL TABLE search_terms USING fts5(terms, content = '', contentless_delete = 1, tokenize = 'ascii');
`;

type Kind = 'message' | 'block';

/** Where something was found. `number` is the row's seq or the block's number. */
export interface Found {
  readonly scope: ScopeId;
  readonly session: SessionId;
  readonly kind: Kind;
  readonly number: number;
  /** Higher is better; comparable within one answer. */
  readonly score: number;
}

/** Where to look: all of these scopes, or only these sessions in them. */
export interface Within {
  readonly scopes: readonly string[];
  readonly sessions: readonly string[] | null;
  readonly limit: number;
}

export interface SearchIndex {
  add(scope: ScopeId, session: SessionId, rows: readonly TranscriptRow[], blocks: readonly Block[]): void;
  remove(scope: ScopeId, session: SessionId): void;
  /** Drops what removed entries left in the index's own pages. */
  tidy(): void;
  find(phrases: readonly Phrase[], within: Within): readonly Found[];
}

/** What is searched of a block. */
export function textOfBlock(block: Block): string {
  return `${block.topic}\n${block.summary}`;
}

/** FTS5's own words for the phrases. Terms hold letters, digits and marks only, so quoting them is enough. */
function matchOf(phrases: readonly Phrase[]): string {
  return phrases.map(({ terms, open }) => `"${terms.join(' ')}"${open ? '*' : ''}`).join(' AND ');
}

export function createSearchIndex(database: Database): SearchIndex {
  const entry = database.prepare('INSERT OR IGNORE INTO search_entries (scope, session, kind, number) VALUES (?, ?, ?, ?)');
  const terms = database.prepare('INSERT INTO search_terms (rowid, terms) VALUES (?, ?)');
  const ids = database.prepare('SELECT id FROM search_entries WHERE scope = ? AND session = ?').pluck();
  const idOf = database
    .prepare('SELECT id FROM search_entries WHERE scope = ? AND session = ? AND kind = ? AND number = ?')
    .pluck();
  const dropTerms = database.prepare('DELETE FROM search_terms WHERE rowid = ?');
  const dropEntry = database.prepare('DELETE FROM search_entries WHERE id = ?');
  const find = database.prepare(`
    SELECT e.scope, e.session, e.kind, e.number, -bm25(search_terms) AS score
    FROM search_terms JOIN search_entries e ON e.id = search_terms.rowid
    WHERE search_terms MATCH @match AND e.scope IN (SELECT value FROM json_each(@scopes))
      AND (@sessions IS NULL OR e.session IN (SELECT value FROM json_each(@sessions)))
    ORDER BY score DESC, e.id DESC LIMIT @limit`);

  const drop = (id: number | bigint): void => {
    dropTerms.run(id);
    dropEntry.run(id);
  };
  const put = (scope: ScopeId, session: SessionId, kind: Kind, number: number, text: string): void => {
    const made = entry.run(scope, session, kind, number);
    if (made.changes > 0) terms.run(made.lastInsertRowid, termsOf(text).join(' '));
  };
  return {
    add(scope, session, rows, blocks) {
      // A row never changes its words once it is stored.
      for (const row of rows) if (row.raw !== '') put(scope, session, 'message', row.seq, textOfRow(row, nodeSha256));
      for (const block of blocks) {
        const number = Number(block.blockId.slice(1));
        const old = idOf.get(scope, session, 'block', number) as number | undefined;
        if (old !== undefined) drop(old);
        put(scope, session, 'block', number, textOfBlock(block));
      }
    },
    remove(scope, session) {
      for (const id of ids.all(scope, session) as number[]) drop(id);
    },
    tidy: () => void database.exec("INSERT INTO search_terms (search_terms) VALUES ('optimize')"),
    find(phrases, { scopes, sessions, limit }) {
      if (phrases.length === 0) return [];
      return find.all({
        match: matchOf(phrases),
        scopes: JSON.stringify(scopes),
        sessions: sessions === null ? null : JSON.stringify(sessions),
        limit,
      }) as Found[];
    },
  };
}

/** Enters everything that is stored already: for a database from before the index. */
export function enterAll(database: Database): void {
  const index = createSearchIndex(database);
  const sessions = database.prepare('SELECT scope, session FROM sessions').all() as { scope: ScopeId; session: SessionId }[];
  const rows = database.prepare('SELECT row FROM rows WHERE scope = ? AND session = ? ORDER BY seq').pluck();
  const blocks = database.prepare('SELECT block FROM blocks WHERE scope = ? AND session = ? ORDER BY number').pluck();
  const read = <T>(texts: unknown[]): T[] => texts.map((text) => JSON.parse(text as string) as T);
  for (const { scope, session } of sessions) {
    index.add(scope, session, read<TranscriptRow>(rows.all(scope, session)), read<Block>(blocks.all(scope, session)));
  }
}
