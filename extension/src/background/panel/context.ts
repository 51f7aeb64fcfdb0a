/**
 * What the panel verbs may use. Everything they change about a session goes through `sync.own`, so both stores agree.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Flights } from '@throughline/shared/session/flights';
import type { LedgerStore } from '../../ledger/dexie-store.ts';
import type { LedgerState } from '../../ledger/ledger.ts';
import type { Reply } from '../../panel-messages.ts';
import type { Link } from '../link.ts';
import type { LiveTurns } from '../live.ts';
import type { PairResult } from '../pairing.ts';
import type { Recall } from '../recall.ts';
import type { Sync } from '../sync.ts';
import type { Wanted } from '../wanted.ts';

export interface PanelWorld {
  readonly store: () => Promise<LedgerStore | null>;
  readonly ledgerState: () => Promise<LedgerState>;
  readonly scope: () => Promise<ScopeId | null>;
  readonly link: Link;
  readonly sync: Sync;
  readonly live: LiveTurns;
  readonly flights: Flights;
  readonly recall: Recall;
  readonly pair: (link: string) => Promise<PairResult>;
  readonly unpair: () => Promise<void>;
  readonly wanted: Wanted;
  readonly now: () => number;
  readonly changed: () => void;
}

export interface Held {
  readonly store: LedgerStore;
  readonly scope: ScopeId;
}

export const yes = <T>(data: T): Reply<T> => ({ ok: true, data });
export const no = (code: string, message: string): Reply<never> => ({ ok: false, code, message });
export const UNKNOWN = no('unknown-session', 'This conversation is not stored any more. Reload the list.');

/** Store and scope, or null before the first pairing (or with a database of a newer version). */
export async function held(world: PanelWorld): Promise<Held | null> {
  const [store, scope] = await Promise.all([world.store(), world.scope()]);
  return store && scope ? { store, scope } : null;
}

/** A session id from a panel. */
export const asSession = (session: string): SessionId => session as SessionId;
