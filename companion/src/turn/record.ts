/**
 * What a complete turn leaves behind: written over what the session is by now, then folded in the background.
 *
 * A fold may have been committed while the answer streamed, and another turn may have ended first: the change is made from the
 * current copy, so a slow turn never undoes a quick one. Only the owner's push replaces a copy.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { TurnEnd } from '@throughline/shared/protocol/frames';
import type { CommitResult } from '@throughline/shared/session/store';
import type { Dispatcher } from 'undici';
import type { Folder } from '../fold/folder.ts';
import type { Copy, Replica } from '../replica.ts';
import { commitOf } from './finish.ts';
import { type Asked, type Prepared, type PrepareWorld, prepare } from './prepare.ts';

/** A turn as it went out. */
export interface Sent {
  readonly open: Asked;
  readonly prepared: Prepared;
  /** The copy it was prepared from; null at a birth. */
  readonly copy: Copy | null;
  readonly dispatcher: Dispatcher;
  readonly headers: string[];
}

export interface RecordWorld extends PrepareWorld {
  readonly replica: Replica;
  readonly folder: Folder;
}

/** Commits the turn and lets the folder look at it. */
export async function record(scope: ScopeId, sent: Sent, end: TurnEnd, deps: RecordWorld): Promise<CommitResult | 'failed'> {
  const { open, prepared, dispatcher, headers } = sent;
  const session = open.session as SessionId;
  let current = prepared;
  const made = await deps.replica.change(scope, session, (copy) => {
    if (copy !== null && copy !== sent.copy) current = prepare(open, scope, prepared, copy, deps);
    return commitOf(open, current, end);
  });
  if (made === null) return 'stale';
  const { change: commit, result: outcome } = made;
  if (outcome !== 'committed' && outcome !== 'failed') return outcome;
  const { exchange, cores, observation } = current.opened;
  deps.warm.put(scope, session, { rev: commit.record.rev, ledger: observation.ledger, previous: { exchange, cores } });
  deps.folder.committed(commit);
  deps.folder.afterTurn({ scope, open, prepared: current, commit, dispatcher, headers });
  return outcome;
}
