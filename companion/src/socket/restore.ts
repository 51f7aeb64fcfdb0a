/**
 * The first thing a connection hears after its proof: `ready`, then, when the extension's store was lost, every session of its scope,
 * and always the tombstones (what was forgotten while the extension was away stays forgotten). Sessions of the http lane are not its own,
 * also where they share its scope.
 */
import type { ScopeId } from '@throughline/shared/base/brand';
import type { CompanionToExtension } from '@throughline/shared/protocol/frames';
import type { SessionRecord, SessionSnapshot } from '@throughline/shared/session/records';
import type { SessionStore } from '@throughline/shared/session/store';
import type { Log } from '../log.ts';
import type { Pairings } from '../pairing/pairings.ts';
import { VERSION } from '../version.ts';
import type { Line } from './gate.ts';

export interface RestoreDeps {
  readonly store: SessionStore;
  readonly pairings: Pairings;
  readonly log: Log;
}

/** True for a session that an extension owns. */
export const isOfPage = ({ site }: SessionRecord): boolean => site !== null;

/** A whole session as a frame. */
export function pushOf({ record, rows, links, blocks }: SessionSnapshot): CompanionToExtension {
  return {
    t: 'session.push',
    snapshot: {
      record: { ...record },
      rows: rows.map((row) => ({ ...row })),
      links: links.map((link) => ({ ...link })),
      blocks: blocks.map((block) => ({ ...block })),
    },
  };
}

export async function restoreTo(line: Line, deps: RestoreDeps, ready: () => void): Promise<void> {
  const { pairing, store: storeId, sessions: theirs } = line.proven;
  const scope = pairing.scope as ScopeId;
  // Another store id, or an empty store where we hold sessions: what it had is gone.
  const lost = pairing.store !== storeId || theirs === 0;
  const held = lost ? (await deps.store.list({ scope }).catch(() => [])).filter(isOfPage) : [];
  line.send({ t: 'ready', scope, version: VERSION, restore: held.length });
  ready();
  for (const tombstone of await deps.store.tombstones(scope)) line.send({ t: 'forget', tombstone: { ...tombstone } });
  let whole = true;
  for (const record of held) {
    const snapshot = await deps.store.snapshot(scope, record.session);
    if (snapshot === null) continue;
    const outcome = await line.sendFlushed(pushOf(snapshot));
    if (outcome === 'lost') whole = false;
    // No frame can hold it: it stays here, and the others are restored.
    if (outcome === 'too-large') deps.log.warn('session-too-large');
  }
  if (whole) deps.pairings.sawStore(line.client, storeId);
}
