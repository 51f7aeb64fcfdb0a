/**
 * Background folding: after an answer was delivered, maybe ask the same provider for a summary, and propose it to the owner.
 *
 * The request path never waits for it. One fold per session at a time; a result for a session that was forgotten or moved past it is
 * dropped; a ready block waits here for an extension that is away. Nothing changes until the extension has committed, and a summary
 * that did not become a block is a failure that was paid for: the next one waits longer each time.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { backoffTurns } from '@throughline/shared/fold/budget';
import type { FoldPlan, Planned } from '@throughline/shared/fold/plan';
import { type Proposal, proposalOf } from '@throughline/shared/fold/proposal';
import type { Commit } from '@throughline/shared/session/store';
import { planAfter } from '@throughline/shared/session/turn';
import type { Dispatcher } from 'undici';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Replica } from '../replica.ts';
import type { Counters } from '../turn/counters.ts';
import type { Asked, Prepared } from '../turn/prepare.ts';
import { askSummary } from './ask.ts';
import { type HeldKey, holdKey } from './key.ts';
import type { FoldState, Owner } from './owner.ts';

/** A block that the extension did not answer is offered this often. */
const MAX_OFFERS = 3;

export interface FoldContext {
  readonly scope: ScopeId;
  readonly open: Asked;
  readonly prepared: Prepared;
  readonly commit: Commit;
  readonly dispatcher: Dispatcher;
  readonly headers: string[];
}

export interface Folder {
  /** A turn was completed and written; plans, and folds in the background. */
  afterTurn(context: FoldContext): void;
  /** Fold now, whatever the trigger says. */
  foldNow(scope: ScopeId, session: SessionId): void;
  /** Blocks that waited for this scope's extension are offered. */
  connected(scope: ScopeId): void;
  /** The session is now this: an offered block is taken, or overtaken; folding may be off. */
  committed(now: Pick<Commit, 'record' | 'blocks'>): void;
  /** The extension does not take this block: it is not offered again, and the next attempt waits as after any failure. */
  dropped(scope: ScopeId, session: SessionId, block: string, code: string): void;
  /** Nothing of these sessions may come any more. */
  forgotten(scope: ScopeId, sessions: readonly string[]): void;
  close(): void;
}

interface Thread {
  /** What came over the http lane is owned by this companion. */
  readonly here: boolean;
  held: HeldKey | null;
  running: { abort(): void } | null;
  ready: { readonly proposal: Proposal; offers: number } | null;
  /** Turns to sit out after failures, beside what the record says. Only a block that was taken ends them. */
  wait: number;
  failures: number;
}

export interface FolderDeps {
  readonly config: Config;
  readonly replica: Replica;
  readonly log: Log;
  readonly counters: Counters;
  readonly now: () => number;
  /** Who owns this scope's sessions (`here`: those of the http lane); null when the extension is away. */
  readonly ownerOf: (scope: ScopeId, here: boolean) => Owner | null;
}

export function createFolder(deps: FolderDeps): Folder {
  const threads = new Map<string, Thread>();
  const keyOf = (scope: string, session: string): string => `${scope} ${session}`;

  const threadOf = (key: string, here: boolean): Thread => {
    const known = threads.get(key);
    if (known !== undefined) return known;
    const made: Thread = { here, held: null, running: null, ready: null, wait: 0, failures: 0 };
    threads.set(key, made);
    return made;
  };
  const hold = (key: string, thread: Thread, context: FoldContext): HeldKey => {
    const before = thread.held;
    const held = holdKey(context, deps.now, () => {
      if (thread.held === held) thread.held = null;
      const idle = thread.held === null && thread.running === null && thread.ready === null;
      if (idle && thread.failures === 0 && threads.get(key) === thread) threads.delete(key);
    });
    thread.held = held;
    // Only now: the release of the last key of an idle thread forgets the thread.
    before?.release();
    return held;
  };
  const tell = (scope: ScopeId, session: string, state: FoldState, reason: string | null, cost = 0): void => {
    const here = threads.get(keyOf(scope, session))?.here ?? false;
    deps.ownerOf(scope, here)?.tell(session as SessionId, state, reason, cost);
  };

  const failed = (scope: ScopeId, session: string, thread: Thread, reason: string, cost: number): void => {
    thread.failures += 1;
    thread.wait = backoffTurns(thread.failures);
    deps.counters.count('foldsFailed');
    deps.log.info('fold-failed', { code: reason });
    tell(scope, session, 'failed', reason, cost);
  };
  /** The block that was ready will not be one; it was paid for all the same. */
  const discard = (scope: ScopeId, session: string, thread: Thread, reason: string): void => {
    const cost = thread.ready?.proposal.cost ?? 0;
    thread.ready = null;
    failed(scope, session, thread, reason, cost);
  };

  const offer = (scope: ScopeId, session: string, thread: Thread): void => {
    const owner = deps.ownerOf(scope, thread.here);
    if (owner === null || thread.ready === null) return;
    thread.ready.offers += 1;
    if (thread.ready.offers > MAX_OFFERS) discard(scope, session, thread, 'not-taken');
    else owner.offer(session as SessionId, thread.ready.proposal);
  };

  /** Asks for the summary and makes it ready; the key is let go when that has ended, however it ended. */
  const fold = async (held: HeldKey, thread: Thread, plan: FoldPlan): Promise<void> => {
    const { scope, open, commit } = held.context;
    const session = open.session as SessionId;
    const asking = askSummary(held.context, plan, deps.config, held.left());
    thread.running = asking;
    tell(scope, session, 'started', null);
    const outcome = await asking.outcome;
    thread.running = null;
    if (!outcome.ok) {
      if (outcome.code !== 'stopped') failed(scope, session, thread, outcome.code, outcome.cost);
      return;
    }
    const { cost, text } = outcome;
    const now = await deps.replica.now(scope, session);
    if (now === null || threads.get(keyOf(scope, session)) !== thread) return;
    if (now.record.nextBlock !== commit.record.nextBlock) return failed(scope, session, thread, 'moved-on', cost);
    thread.ready = { proposal: proposalOf(plan, text, { author: 'model', cost, at: deps.now() }), offers: 0 };
    deps.counters.count('folds');
    offer(scope, session, thread);
  };

  const consider = async (held: HeldKey, thread: Thread, when: 'due' | 'now' | 'later'): Promise<void> => {
    const { scope, open, prepared } = held.context;
    const copy = await deps.replica.now(scope, open.session as SessionId);
    if (thread.running !== null) return;
    if (copy === null) return held.release();
    const planned = (force: boolean): Planned => planAfter(prepared.opened, copy, deps.config.fold, force);
    const plan = when === 'later' ? null : planned(when === 'now');
    if (plan !== null && !('nothing' in plan)) return fold(held, thread, plan).finally(held.release);
    if (when === 'now') tell(scope, open.session, 'nothing', plan?.nothing ?? null);
    // Not yet: the key stays for a fold that the person may ask for, if there is anything to fold at all.
    if (when === 'now' || 'nothing' in planned(true)) held.release();
  };

  const begin = (held: HeldKey, thread: Thread, when: 'due' | 'now' | 'later'): void => {
    consider(held, thread, when).catch((error: unknown) => {
      thread.running = null;
      const { scope, open } = held.context;
      failed(scope, open.session, thread, error instanceof RangeError ? 'too-deep' : 'internal', 0);
      held.release();
    });
  };

  return {
    afterTurn(context) {
      const { scope, open, commit } = context;
      const key = keyOf(scope, open.session);
      const known = threads.get(key);
      if (known?.ready != null) return offer(scope, open.session, known);
      const off = deps.config.fold.mode === 'off' || open.fold === 'off' || commit.record.mode === 'off';
      if (off || known?.running != null) return;
      const thread = threadOf(key, open.signal === null);
      const waits = thread.wait > 0;
      if (waits) thread.wait -= 1;
      begin(hold(key, thread, context), thread, waits ? 'later' : 'due');
    },
    foldNow(scope, session) {
      const thread = threads.get(keyOf(scope, session));
      if (thread?.ready != null) return offer(scope, session, thread);
      if (thread?.running != null) return tell(scope, session, 'started', null);
      if (thread?.held == null) return tell(scope, session, 'nothing', 'no-recent-request');
      begin(thread.held, thread, 'now');
    },
    connected(scope) {
      for (const [key, thread] of threads) {
        const [owner, session] = key.split(' ');
        if (owner === scope && session !== undefined) offer(scope, session, thread);
      }
    },
    committed({ record, blocks }) {
      const { scope, session } = record;
      const thread = threads.get(keyOf(scope, session));
      if (thread === undefined) return;
      if (record.mode === 'off') {
        thread.running?.abort();
        thread.held?.release();
      }
      if (thread.ready === null) return;
      const { proposal, offers } = thread.ready;
      const { blockId, summary } = proposal.block;
      if (blocks.some((block) => block.blockId === blockId && block.summary === summary)) {
        thread.ready = null;
        thread.failures = 0;
        thread.wait = 0;
      } else if (blockId !== `b${record.nextBlock}` && offers === 0) discard(scope, session, thread, 'moved-on');
      // Offered and overtaken: the owner answers that it does not take it.
    },
    dropped(scope, session, block, code) {
      const thread = threads.get(keyOf(scope, session));
      if (thread?.ready?.proposal.block.blockId === block) discard(scope, session, thread, code);
    },
    forgotten(scope, sessions) {
      for (const session of sessions) {
        const key = keyOf(scope, session);
        const thread = threads.get(key);
        threads.delete(key);
        thread?.running?.abort();
        thread?.held?.release();
      }
    },
    close() {
      for (const thread of [...threads.values()]) {
        thread.running?.abort();
        thread.held?.release();
      }
      threads.clear();
    },
  };
}
