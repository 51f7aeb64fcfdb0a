/**
 * What a tombstone covers. Every store asks here, so that all of them forget the same things.
 *
 * A tombstone that names a session covers it for ever (its id is not given again). One that names a site or the whole scope
 * covers what was born at or before its time, also when it comes back later in a restore.
 */
import type { SessionRecord, Tombstone } from './records.ts';

/** True when this session must not be stored again. */
export function isForgotten(tombstones: Iterable<Tombstone>, record: SessionRecord): boolean {
  for (const tombstone of tombstones) if (covers(tombstone, record)) return true;
  return false;
}

/** True when the tombstone covers the session. */
export function covers(tombstone: Tombstone, record: SessionRecord): boolean {
  if (tombstone.scope !== record.scope) return false;
  if (tombstone.session !== null) return tombstone.session === record.session;
  return record.createdAt <= tombstone.at && (tombstone.site === null || tombstone.site === record.site);
}

/**
 * The tombstones to keep for one act of forgetting: the act itself, and one that names each session it removed, so that their ids
 * stay recognisable as taken.
 */
export function tombstonesOf(act: Tombstone, removed: readonly SessionRecord[]): readonly Tombstone[] {
  const named = removed
    .filter((record) => record.session !== act.session)
    .map((record) => ({ scope: act.scope, session: record.session, site: record.site, at: act.at }));
  return [act, ...named];
}

/** Identity of a tombstone, for keeping each once. */
export function tombstoneKey(tombstone: Tombstone): string {
  return JSON.stringify([tombstone.scope, tombstone.session, tombstone.session === null ? tombstone.site : null]);
}
