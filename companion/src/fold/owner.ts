/**
 * Whoever decides what becomes of a summary: the extension for what pages said, this companion for what came over the http lane.
 *
 * Nothing is folded before its owner has committed it.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Proposal } from '@throughline/shared/fold/proposal';
import { acceptBlock, type Dropped, foldFailed } from '@throughline/shared/session/operations';
import type { Commit } from '@throughline/shared/session/store';
import { errorCode, type Log } from '../log.ts';
import type { Replica } from '../replica.ts';
import type { Line } from '../socket/gate.ts';

export type FoldState = 'started' | 'failed' | 'nothing';

export interface Owner {
  /** Offers a block that is ready. */
  offer(session: SessionId, proposal: Proposal): void;
  /** Says how folding goes; `cost` is what a failure cost in tokens. */
  tell(session: SessionId, state: FoldState, reason: string | null, cost: number): void;
}

/** The extension at the other end of this line: it answers with a commit, or that it does not take the block. */
export function extensionOwner(line: Line): Owner {
  return {
    offer(session, { block, consumes, cost }) {
      line.send({ t: 'fold.proposed', session, block: { ...block }, consumes: [...consumes], cost });
    },
    tell(session, state, reason, cost) {
      line.send({ t: 'fold.status', session, state, reason, ...(cost === 0 ? {} : { cost: Math.round(cost) }) });
    },
  };
}

export interface OwnHands {
  readonly scope: ScopeId;
  readonly replica: Replica;
  readonly now: () => number;
  readonly log: Log;
  /** The block is in. */
  readonly committed: (commit: Commit) => void;
  /** It fits no more. */
  readonly dropped: (session: SessionId, block: string, code: string) => void;
}

/** This companion itself: it takes the block at once, by the same rules. */
export function ownHands({ scope, replica, now, log, committed, dropped }: OwnHands): Owner {
  const change = async (session: SessionId, make: (copy: CopyOf) => Commit | Dropped | null): Promise<string | null> => {
    let problem = 'forgotten';
    const done = await replica.change(scope, session, (copy) => {
      const made = copy === null ? null : make(copy);
      if (made === null || !('dropped' in made)) return made;
      problem = made.dropped;
      return null;
    });
    if (done === null) return problem;
    if (done.result !== 'committed' && done.result !== 'failed') return done.result;
    committed(done.change);
    return null;
  };
  const quietly = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => log.error('fold-not-recorded', { code: errorCode(error) }));
  };
  return {
    offer(session, proposal) {
      const accept = ({ record, rows, blocks }: CopyOf): Commit | Dropped => {
        const pinned = new Set(rows.filter((row) => row.pinned).map((row) => row.seq));
        return acceptBlock(record, blocks, proposal, now(), pinned);
      };
      quietly(
        change(session, accept).then((problem) => {
          if (problem !== null) dropped(session, proposal.block.blockId, problem);
        }),
      );
    },
    tell(session, state, reason, cost) {
      if (state === 'failed') quietly(change(session, ({ record }) => foldFailed(record, reason ?? 'failed', now(), cost)));
    },
  };
}

type CopyOf = NonNullable<Awaited<ReturnType<Replica['now']>>>;
