/**
 * Background folding: after an answer was delivered, maybe ask the same provider for a summary, and propose it to the owner.
 *
 * The request path never waits for it. One fold per session at a time; a result for a session that was forgotten or moved past it is
 * dropped; a ready block waits here for an extension that is away. Nothing changes until the extension has committed.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { type Proposal, proposalOf } from '@throughline/shared/fold/proposal';
import type { TurnOpen } from '@throughline/shared/protocol/frames';
import type { Commit } from '@throughline/shared/session/store';
import { planAfter } from '@throughline/shared/session/turn';
import type { Dispatcher } from 'undici';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Replica } from '../replica.ts';
import type { Line } from '../socket/gate.ts';
import type { Counters } from '../turn/counters.ts';
import type { Prepared } from '../turn/prepare.ts';
import { askSummary } from './ask.ts';

/** Longest time a request's headers (its key) stay in memory after the answer. */
const KEY_MILLISECONDS = 120_000;
/** A block the extension did not take is offered again this often. */
const MAX_OFFERS = 3;

export interface FoldContext {
  readonly scope: ScopeId;
  readonly open: TurnOpen;
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
  /** The extension committed something: an offered block is taken, or overtaken. */
  committed(commit: Commit): void;
  /** Nothing of these sessions may come any more. */
  forgotten(scope: ScopeId, sessions: readonly string[]): void;
  close(): void;
}

interface Thread {
  /** Present for at most `KEY_MILLISECONDS`. */
  context: FoldContext | null;
  expiry: NodeJS.Timeout | null;
  running: { abort(): void } | null;
  ready: { readonly proposal: Proposal; offers: number } | null;
  /** Turns to sit out after failures, beside what the record says. */
  wait: number;
  failures: number;
}

export interface FolderDeps {
  readonly config: Config;
  readonly replica: Replica;
  readonly log: Log;
  readonly counters: Counters;
  readonly now: () => number;
  /** The newest connection of the scope, or null. */
  readonly lineOf: (scope: ScopeId) => Line | null;
}

export function createFolder(deps: FolderDeps): Folder {
  const threads = new Map<string, Thread>();
  const keyOf = (scope: string, session: string): string => `${scope} ${session}`;

  const threadOf = (key: string): Thread => {
    const known = threads.get(key);
    if (known !== undefined) return known;
    const made: Thread = { context: null, expiry: null, running: null, ready: null, wait: 0, failures: 0 };
    threads.set(key, made);
    return made;
  };
  const forgetKey = (key: string, thread: Thread): void => {
    if (thread.expiry !== null) clearTimeout(thread.expiry);
    thread.expiry = null;
    thread.context = null;
    if (thread.running === null && thread.ready === null && thread.failures === 0) threads.delete(key);
  };
  const holdKey = (key: string, thread: Thread, context: FoldContext): void => {
    if (thread.expiry !== null) clearTimeout(thread.expiry);
    thread.context = context;
    thread.expiry = setTimeout(() => forgetKey(key, thread), KEY_MILLISECONDS);
    thread.expiry.unref();
  };
  const tell = (
    scope: ScopeId,
    session: string,
    state: 'started' | 'failed' | 'dropped' | 'nothing',
    reason: string | null,
  ): void => deps.lineOf(scope)?.send({ t: 'fold.status', session, state, reason });

  const offer = (scope: ScopeId, session: string, thread: Thread): void => {
    const line = deps.lineOf(scope);
    if (line === null || thread.ready === null) return;
    const { proposal } = thread.ready;
    thread.ready.offers += 1;
    if (thread.ready.offers > MAX_OFFERS) {
      thread.ready = null;
      return;
    }
    const { block, consumes, cost } = proposal;
    line.send({ t: 'fold.proposed', session, block: { ...block }, consumes: [...consumes], cost });
  };

  const failed = (context: FoldContext, thread: Thread, reason: string): void => {
    thread.failures += 1;
    thread.wait = Math.min(64, 2 ** (thread.failures - 1));
    deps.counters.count('foldsFailed');
    deps.log.info('fold-failed', { code: reason });
    tell(context.scope, context.open.session, 'failed', reason);
  };

  const start = async (context: FoldContext, thread: Thread, force: boolean): Promise<void> => {
    const { scope, open, prepared, commit } = context;
    const session = open.session as SessionId;
    const copy = await deps.replica.now(scope, session);
    if (copy === null || thread.running !== null) return;
    const plan = planAfter(prepared.opened, copy, deps.config.fold, force);
    if ('nothing' in plan) {
      if (force) tell(scope, session, 'nothing', plan.nothing);
      return;
    }
    const asking = askSummary(context, plan, deps.config, KEY_MILLISECONDS);
    thread.running = asking;
    tell(scope, session, 'started', null);
    const outcome = await asking.outcome;
    thread.running = null;
    if (!outcome.ok) return outcome.code === 'stopped' ? undefined : failed(context, thread, outcome.code);
    const now = await deps.replica.now(scope, session);
    if (now === null || now.record.nextBlock !== commit.record.nextBlock) return tell(scope, session, 'dropped', 'moved-on');
    const { cost, text } = outcome;
    thread.failures = 0;
    thread.ready = { proposal: proposalOf(plan, text, { author: 'model', cost, at: deps.now() }), offers: 0 };
    deps.counters.count('folds');
    offer(scope, session, thread);
  };

  const begin = (context: FoldContext, thread: Thread, force: boolean): void => {
    start(context, thread, force).catch((error: unknown) => {
      thread.running = null;
      failed(context, thread, error instanceof RangeError ? 'too-deep' : 'internal');
    });
  };

  return {
    afterTurn(context) {
      const { scope, open } = context;
      const key = keyOf(scope, open.session);
      const thread = threadOf(key);
      holdKey(key, thread, context);
      if (thread.running !== null) return;
      if (thread.ready !== null) return offer(scope, open.session, thread);
      if (thread.wait > 0) {
        thread.wait -= 1;
        return;
      }
      begin(context, thread, false);
    },
    foldNow(scope, session) {
      const thread = threads.get(keyOf(scope, session));
      if (thread?.ready != null) return offer(scope, session, thread);
      if (thread?.running != null) return tell(scope, session, 'started', null);
      if (thread?.context == null) return tell(scope, session, 'nothing', 'no-recent-request');
      begin(thread.context, thread, true);
    },
    connected(scope) {
      for (const [key, thread] of threads) {
        const [owner, session] = key.split(' ');
        if (owner === scope && session !== undefined) offer(scope, session, thread);
      }
    },
    committed({ record, blocks }) {
      const thread = threads.get(keyOf(record.scope, record.session));
      const offered = thread?.ready?.proposal.block.blockId;
      if (thread === undefined || offered === undefined) return;
      if (blocks.some((block) => block.blockId === offered) || offered !== `b${record.nextBlock}`) thread.ready = null;
    },
    forgotten(scope, sessions) {
      for (const session of sessions) {
        const key = keyOf(scope, session);
        const thread = threads.get(key);
        if (thread === undefined) continue;
        thread.running?.abort();
        if (thread.expiry !== null) clearTimeout(thread.expiry);
        threads.delete(key);
      }
    },
    close() {
      for (const thread of threads.values()) {
        thread.running?.abort();
        if (thread.expiry !== null) clearTimeout(thread.expiry);
      }
      threads.clear();
    },
  };
}
