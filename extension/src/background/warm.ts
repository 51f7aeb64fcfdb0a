/**
 * The ledgers of the sessions used last, so that storing a turn does not read every message of its conversation again while others
 * wait for the lane. Only memory: a ledger of another revision or another store is not used, and reading the rows costs time only.
 */
import type { SessionId } from '@throughline/shared/base/brand';
import type { Ledger } from '@throughline/shared/fold/ledger';
import type { LedgerStore } from '../ledger/dexie-store.ts';

interface Kept {
  readonly store: LedgerStore;
  readonly rev: number;
  readonly ledger: Ledger;
}

export interface Warm {
  /** The session's ledger at exactly this revision, or null. */
  get(store: LedgerStore, session: SessionId, rev: number): Ledger | null;
  put(store: LedgerStore, session: SessionId, rev: number, ledger: Ledger): void;
}

/** Keeps the last `limit` sessions. */
export function createWarm(limit = 8): Warm {
  const kept = new Map<SessionId, Kept>();
  return {
    get(store, session, rev) {
      const entry = kept.get(session);
      return entry?.store === store && entry.rev === rev ? entry.ledger : null;
    },
    put(store, session, rev, ledger) {
      kept.delete(session);
      kept.set(session, { store, rev, ledger });
      for (const oldest of kept.keys()) {
        if (kept.size <= limit) break;
        kept.delete(oldest);
      }
    },
  };
}
