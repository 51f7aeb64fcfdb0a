/**
 * Which session to name as the parent of a fork. The known path is the first observer's; but where the request's own page has a
 * session with the same turns (a fork of a fork), a person means that one.
 *
 * Only lineage is made from this, so it may read lineage: a fork shares with its parent what it was born with, for good.
 */
import type { KnownPath } from '#chain/lineage';
import type { ClientSignal } from '#chain/resolution';
import type { SessionRecord } from './records.ts';
import type { SessionStore } from './store.ts';

/** Sessions of the page that are looked at, the most recently used ones. */
const RECENT = 16;
/** Forks of forks that are followed. */
const LONGEST_LINE = 8;

/** The session of the request's page that holds the whole path, else the first observer. */
export async function parentOf(
  store: SessionStore,
  first: SessionRecord,
  path: KnownPath,
  signal: ClientSignal | null,
): Promise<SessionRecord> {
  if (signal === null) return first;
  const recent = await store.list({ scope: first.scope, site: signal.site, limit: RECENT });
  const [here, near] = [
    recent.filter((one) => isSameConversation(one, signal)),
    recent.filter((one) => isTogether(one, signal)),
  ];
  for (const record of [...here, ...near]) if (await holds(store, record, path)) return record;
  return first;
}

/** True when the session was last used in the request's page instance, or is the same page conversation. */
export function isTogether(record: SessionRecord, signal: ClientSignal | null): boolean {
  if (signal === null || record.site !== signal.site) return false;
  return record.document === signal.document || isSameConversation(record, signal);
}

function isSameConversation(record: SessionRecord, signal: ClientSignal): boolean {
  return record.site === signal.site && signal.conversation !== undefined && record.conversation === signal.conversation;
}

/** True when the session is the path's own, or descends from it by forks that all shared at least the path. */
async function holds(store: SessionStore, record: SessionRecord, path: KnownPath): Promise<boolean> {
  let at: SessionRecord | null = record;
  for (let step = 0; at !== null && step < LONGEST_LINE; step += 1) {
    if (at.session === path.session) return true;
    const { lineage }: SessionRecord = at;
    const parent = lineage?.parents[0];
    if (lineage?.kind !== 'forked' || parent === undefined || lineage.shared < path.depth) return false;
    at = await store.load(record.scope, parent);
  }
  return false;
}
