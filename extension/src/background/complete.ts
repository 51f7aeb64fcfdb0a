/**
 * What is written when a turn completes. Only a complete answer moves the head; the record is rebuilt from what the store holds
 * now, because a fold or a click of the person may have been committed while the answer streamed.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { sha256 } from '@throughline/shared/base/digest';
import type { Block } from '@throughline/shared/fold/block';
import type { TurnEnd } from '@throughline/shared/protocol/frames';
import { possibleDoubleBill } from '@throughline/shared/session/operations';
import { completeTurn, openTurn } from '@throughline/shared/session/turn';
import type { LedgerStore } from '../ledger/dexie-store.ts';
import type { Turn } from './relay.ts';
import type { Warm } from './warm.ts';

/** Commits the turn as `rev + 1`. Runs in the lane. */
export async function commitTurn(turn: Turn, end: TurnEnd, warm: Warm): Promise<void> {
  const { store, scope, session, read } = turn;
  const [record, blocks] = await Promise.all([store.load(scope, session), store.blocks(scope, session)]);
  const rows = warm.get(store, session, record?.rev ?? 0) ?? (await store.rows(scope, session));
  const opened = openTurn({
    scope,
    session,
    record,
    rows,
    blocks,
    exchange: read.exchange,
    chains: read.chains,
    resolution: turn.resolution,
    signal: turn.signal,
    at: turn.at,
    hash: sha256,
    configuredWindow: end.configuredWindow ?? null,
  });
  const change = completeTurn(opened, {
    at: turn.at,
    usage: end.usage,
    tokens: end.tokens,
    resent: end.resent,
    quarantine: end.quarantine,
    window: end.window,
    extract: (end.extract ?? null) as Block | null,
  });
  // `forgotten` and `stale` are answers: the person's word or another writer was first, and the next turn starts from that.
  const result = await store.commit(change);
  if (result === 'committed') warm.put(store, session, change.record.rev, opened.observation.ledger);
}

/** Notes that a request may have been billed twice. A session that was never stored has nowhere to note it. */
export async function countDoubleBill(store: LedgerStore, scope: ScopeId, session: SessionId, at: number): Promise<void> {
  const record = await store.load(scope, session);
  if (!record) return;
  await store.commit(possibleDoubleBill(record, at));
}
