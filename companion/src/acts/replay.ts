/**
 * Whole sessions with their events, into a store that knows only commits: the events are committed one by one, below the session's
 * revision, and the last commit brings it there. For the store in memory, where nothing can fail half-way.
 */
import type { PortableSession } from '@throughline/shared/session/portable';
import type { CommitResult, SessionStore } from '@throughline/shared/session/store';

export async function replay(store: SessionStore, sessions: readonly PortableSession[]): Promise<CommitResult> {
  for (const { events, ...snapshot } of sessions) {
    const { record } = snapshot;
    let rev = record.rev - events.length;
    if (rev > 0) await store.restore({ ...snapshot, record: { ...record, rev } });
    for (const event of events) {
      const parts = rev === 0 ? snapshot : { links: [], rows: [], blocks: [] };
      rev += 1;
      const result = await store.commit({ ...parts, record: { ...record, rev }, event });
      if (result !== 'committed') return result;
    }
  }
  return 'committed';
}
