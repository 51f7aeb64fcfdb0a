/**
 * Conversations that nobody used for long leave this disk: at the start and once a day.
 *
 * On the page lane the extension owns them, so what goes here is a copy, and it goes without a tombstone: the next turn of such a
 * conversation asks its owner for it. Never anything used within the last 7 days, whatever is configured.
 */
import { errorCode, type Log } from './log.ts';
import type { Replica } from './replica.ts';
import type { SqliteStore } from './store/sqlite.ts';

const DAY = 24 * 60 * 60 * 1000;
const KEPT_DAYS = 7;

export interface RetentionDeps {
  readonly store: Pick<SqliteStore, 'expire'>;
  readonly replica: Pick<Replica, 'dropped'>;
  readonly days: number;
  readonly log: Log;
  readonly now: () => number;
}

/** What was last used before this time leaves the disk. */
export function keptSince(now: number, days: number): number {
  return now - Math.max(KEPT_DAYS, days) * DAY;
}

/** Starts it; the result stops it. */
export async function startRetention({ store, replica, days, log, now }: RetentionDeps): Promise<() => void> {
  const tidy = async (): Promise<void> => {
    try {
      const gone = await store.expire(keptSince(now(), days));
      replica.dropped(gone);
      if (gone.length > 0) log.info('sessions-expired', { count: gone.length });
    } catch (error) {
      // A disk that is full or busy: old conversations stay a day longer.
      log.error('retention-failed', { code: errorCode(error) });
    }
  };
  await tidy();
  const timer = setInterval(() => void tidy(), DAY);
  timer.unref();
  return () => clearInterval(timer);
}
