/**
 * The SQLite schema, as numbered steps. Step n brings a database from version n to n + 1; a released step never changes.
 */
import type { Database } from 'better-sqlite3';
import { Fault } from '../fault.ts';
import { enterAll, SEARCH_SCHEMA } from './search-index.ts';

const MIGRATIONS: readonly (string | ((database: Database) => void))[] = [
  `
  CREATE TABLE sessions (
    scope TEXT NOT NULL, session TEXT NOT NULL, rev INTEGER NOT NULL, site TEXT, created_at REAL NOT NULL, used_at REAL NOT NULL,
    head2 TEXT NOT NULL, head3 TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (scope, session)
  ) WITHOUT ROWID;
  CREATE INDEX sessions_head2 ON sessions (scope, head2);
  CREATE INDEX sessions_head3 ON sessions (scope, head3);
  CREATE INDEX sessions_used ON sessions (scope, used_at);

  CREATE TABLE links (
    id INTEGER PRIMARY KEY, scope TEXT NOT NULL, session TEXT NOT NULL, domain INTEGER NOT NULL, link TEXT NOT NULL,
    parent TEXT, item TEXT NOT NULL, depth INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX links_own ON links (scope, session, domain, link);
  CREATE INDEX links_known ON links (scope, domain, link, id);

  CREATE TABLE rows (
    scope TEXT NOT NULL, session TEXT NOT NULL, seq INTEGER NOT NULL, pinned INTEGER NOT NULL, row TEXT NOT NULL,
    PRIMARY KEY (scope, session, seq)
  ) WITHOUT ROWID;

  CREATE TABLE blocks (
    scope TEXT NOT NULL, session TEXT NOT NULL, number INTEGER NOT NULL, block TEXT NOT NULL, PRIMARY KEY (scope, session, number)
  ) WITHOUT ROWID;

  CREATE TABLE events (id INTEGER PRIMARY KEY, scope TEXT NOT NULL, session TEXT NOT NULL, event TEXT NOT NULL);
  CREATE INDEX events_own ON events (scope, session, id);

  CREATE TABLE tombstones (key TEXT PRIMARY KEY, scope TEXT NOT NULL, session TEXT, site TEXT, at REAL NOT NULL) WITHOUT ROWID;
  CREATE INDEX tombstones_scope ON tombstones (scope, session);
  `,
  (database) => {
    database.exec(SEARCH_SCHEMA);
    enterAll(database);
  },
];

/** Refuses a schema this build does not know, before anything is written. */
export function refuseNewer(version: number): void {
  if (version <= MIGRATIONS.length) return;
  throw new Fault(
    'store-newer',
    `The database was written by a newer Throughline (schema ${version}, this one knows ${MIGRATIONS.length}); it was left untouched.`,
    'Start the newer version, or name another data directory with --data.',
  );
}

/** Brings the database to the newest schema: all steps or none. */
export function migrate(database: Database): void {
  const version = database.pragma('user_version', { simple: true }) as number;
  refuseNewer(version);
  if (version === MIGRATIONS.length) return;
  database.transaction(() => {
    for (const step of MIGRATIONS.slice(version)) {
      if (typeof step === 'string') database.exec(step);
      else step(database);
    }
    database.pragma(`user_version = ${MIGRATIONS.length}`);
  })();
}
