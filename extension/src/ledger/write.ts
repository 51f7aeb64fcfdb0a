/**
 * The writes of one change, inside a transaction that the caller opened.
 *
 * `level` says what is left out when the disk is full: originals first, then blocks and events; record, heads and links always.
 */
import type { Digest, ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Block } from '@throughline/shared/fold/block';
import type { TranscriptRow } from '@throughline/shared/fold/ledger';
import { DOMAINS, type Domain } from '@throughline/shared/neutral/turn';
import type { LinkRow, SessionRecord } from '@throughline/shared/session/records';
import type { LedgerDatabase, StoredLink } from './db.ts';
import { ownerKey } from './db.ts';

export type Level = 'full' | 'no-originals' | 'no-blocks';
export const LEVELS: readonly Level[] = ['full', 'no-originals', 'no-blocks'];

/** Moves the session's heads from where the old record had them to where the new one says. */
export async function moveHeads(db: LedgerDatabase, old: SessionRecord | null, next: SessionRecord | null): Promise<void> {
  for (const domain of DOMAINS) {
    const from = old?.heads[domain].link ?? null;
    const to = next?.heads[domain].link ?? null;
    if (from === to) continue;
    if (from && old) await dropHead(db, old.scope, domain, from, old.session);
    if (to && next) await addHead(db, next.scope, domain, to, next.session);
  }
}

async function dropHead(db: LedgerDatabase, scope: ScopeId, domain: Domain, link: Digest, session: SessionId): Promise<void> {
  const row = await db.heads.get([scope, domain, link]);
  if (!row) return;
  const sessions = row.sessions.filter((other) => other !== session);
  if (sessions.length === 0) await db.heads.delete([scope, domain, link]);
  else await db.heads.put({ ...row, sessions });
}

async function addHead(db: LedgerDatabase, scope: ScopeId, domain: Domain, link: Digest, session: SessionId): Promise<void> {
  const row = await db.heads.get([scope, domain, link]);
  const sessions = row ? row.sessions.filter((other) => other !== session) : [];
  await db.heads.put({ scope, domain, link, sessions: [...sessions, session] });
}

/** Adds links, and the session as an owner of each. */
export async function addLinks(
  db: LedgerDatabase,
  scope: ScopeId,
  session: SessionId,
  links: readonly LinkRow[],
): Promise<void> {
  if (links.length === 0) return;
  const owner = ownerKey(scope, session);
  const known = await db.links.bulkGet(links.map((row) => [scope, row.domain, row.link] as [string, number, string]));
  const puts: StoredLink[] = [];
  for (const [at, row] of links.entries()) {
    const old = known[at];
    if (old?.owners.includes(owner)) continue;
    puts.push(old ? { ...old, owners: [...old.owners, owner] } : { ...row, scope, owners: [owner] });
  }
  if (puts.length > 0) await db.links.bulkPut(puts);
}

/** Takes the session off its links; links that nobody else observed go. */
export async function dropLinks(db: LedgerDatabase, scope: ScopeId, session: SessionId): Promise<void> {
  const owner = ownerKey(scope, session);
  const mine = await db.links.where('owners').equals(owner).toArray();
  const gone = mine
    .filter((row) => row.owners.length === 1)
    .map((row) => [scope, row.domain, row.link] as [string, number, string]);
  const kept = mine
    .filter((row) => row.owners.length > 1)
    .map((row) => ({ ...row, owners: row.owners.filter((other) => other !== owner) }));
  await db.links.bulkDelete(gone);
  await db.links.bulkPut(kept);
}

/** Appends rows. A row is written once: only its pin changes later, and an original that found no room may still arrive. */
export async function putRows(
  db: LedgerDatabase,
  scope: ScopeId,
  session: SessionId,
  rows: readonly TranscriptRow[],
  level: Level,
): Promise<void> {
  if (rows.length === 0) return;
  const known = await db.rows.bulkGet(rows.map((row) => [scope, session, row.seq] as [string, string, number]));
  await db.rows.bulkPut(
    rows.map((row, at) => {
      const old = known[at];
      const raw = level === 'full' ? row.raw : '';
      return old ? { ...old, raw: old.raw === '' ? raw : old.raw, pinned: row.pinned } : { ...row, raw, scope, session };
    }),
  );
}

/** Writes blocks, or nothing when there is no room for them. */
export async function putBlocks(
  db: LedgerDatabase,
  scope: ScopeId,
  session: SessionId,
  blocks: readonly Block[],
  level: Level,
): Promise<void> {
  if (level === 'no-blocks' || blocks.length === 0) return;
  await db.blocks.bulkPut(blocks.map((block) => ({ ...block, scope, session })));
}

/** Removes everything stored about a session except tombstones. */
export async function eraseSession(db: LedgerDatabase, record: SessionRecord): Promise<void> {
  const { scope, session } = record;
  await moveHeads(db, record, null);
  await dropLinks(db, scope, session);
  await db.rows.where('[scope+session+seq]').between([scope, session, -Infinity], [scope, session, Infinity]).delete();
  await db.blocks.where('[scope+session+blockId]').between([scope, session, ''], [scope, session, '\uffff']).delete();
  await db.events.where('[scope+session]').equals([scope, session]).delete();
  await db.sessions.delete([scope, session]);
}
