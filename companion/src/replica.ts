/**
 * The companion's copy of the page lane: each session's record, transcript and blocks as the extension last had them; and, by the same
 * machinery, the sessions of the http lane, which are its own.
 *
 * The extension owns those of its pages. A copy is used only at exactly the revision the extension names, and only when it looks the same; any doubt
 * is resolved by asking for the whole session, and only the owner's whole session ever replaces a copy. A hot copy in memory serves traffic, the store makes it last: when the disk fails, traffic goes on.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Block } from '@throughline/shared/fold/block';
import type { TranscriptRow } from '@throughline/shared/fold/ledger';
import { fingerprint } from '@throughline/shared/session/fingerprint';
import type { SessionRecord, SessionSnapshot, Tombstone } from '@throughline/shared/session/records';
import type { Commit, CommitResult, SessionStore } from '@throughline/shared/session/store';
import { nodeSha256 } from './hash.ts';
import { errorCode, type Log } from './log.ts';

export interface Copy {
  readonly record: SessionRecord;
  readonly rows: readonly TranscriptRow[];
  readonly blocks: readonly Block[];
}

export interface Replica {
  /**
   * The copy at exactly `rev` that looks as the owner's does (`print`); `null` at rev 0 (a birth); `'behind'` when we hold anything
   * else, or when the owner did not say how its copy looks.
   */
  at(scope: ScopeId, session: SessionId, rev: number, print: string | undefined): Promise<Copy | null | 'behind'>;
  /** The copy as it is now, whatever its revision. */
  now(scope: ScopeId, session: SessionId): Promise<Copy | null>;
  /**
   * Applies the change that `make` builds from the copy as it is now, with no other change in between; null changes nothing.
   */
  change(
    scope: ScopeId,
    session: SessionId,
    make: (copy: Copy | null) => Commit | null,
  ): Promise<{ readonly change: Commit; readonly result: CommitResult | 'failed' } | null>;
  /** Applies one change, after those before it. */
  commit(change: Commit): Promise<CommitResult | 'failed'>;
  /** Replaces the session by the owner's version. */
  restore(snapshot: SessionSnapshot): Promise<CommitResult | 'failed'>;
  /** These sessions left the store by age: their hot copies go too, and their owner brings them back when it uses them. */
  dropped(gone: readonly { readonly scope: ScopeId; readonly session: SessionId }[]): void;
  forget(tombstone: Tombstone): Promise<readonly SessionId[]>;
  /** Resolves when every change accepted so far has been written. */
  settled(): Promise<void>;
}

const MAX_HOT_SESSIONS = 64;

export function createReplica(store: SessionStore, log: Log, mayLog: (name: string) => boolean): Replica {
  const hot = new Map<string, Copy>();
  const queues = new Map<string, Promise<unknown>>();
  const keyOf = (scope: string, session: string): string => `${scope} ${session}`;

  const remember = (key: string, copy: Copy): void => {
    hot.delete(key);
    hot.set(key, copy);
    const oldest = hot.keys().next();
    if (hot.size > MAX_HOT_SESSIONS && !oldest.done) hot.delete(oldest.value);
  };
  const failed = (error: unknown): 'failed' => {
    if (mayLog('store-failed')) log.error('store-failed', { code: errorCode(error) });
    return 'failed';
  };
  /** One change of a session after the other, so that revisions meet their predecessor. */
  const inOrder = <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const next = (queues.get(key) ?? Promise.resolve()).then(work, work);
    queues.set(key, next);
    const clear = (): void => {
      if (queues.get(key) === next) queues.delete(key);
    };
    next.then(clear, clear);
    return next;
  };

  const load = async (scope: ScopeId, session: SessionId): Promise<Copy | null> => {
    const key = keyOf(scope, session);
    const known = hot.get(key);
    if (known !== undefined) return known;
    try {
      const record = await store.load(scope, session);
      if (record === null) return null;
      const copy = { record, rows: await store.rows(scope, session), blocks: await store.blocks(scope, session) };
      remember(key, copy);
      return copy;
    } catch (error) {
      failed(error);
      return null;
    }
  };

  const apply = async (change: Commit): Promise<CommitResult | 'failed'> => {
    const { scope, session, rev } = change.record;
    const key = keyOf(scope, session);
    const before = await load(scope, session);
    if ((before?.record.rev ?? 0) !== rev - 1) return 'stale';
    let result: CommitResult | 'failed';
    try {
      result = await store.commit(change);
    } catch (error) {
      result = failed(error);
    }
    if (result === 'forgotten') hot.delete(key);
    else if (result !== 'stale') remember(key, changed(before, change));
    else hot.delete(key);
    return result;
  };

  return {
    now: (scope, session) => inOrder(keyOf(scope, session), () => load(scope, session)),
    at: (scope, session, rev, print) =>
      inOrder(keyOf(scope, session), async () => {
        if (rev === 0) return null;
        const copy = await load(scope, session);
        if (copy?.record.rev !== rev) return 'behind';
        return fingerprint(copy.record, copy.blocks, nodeSha256) === print ? copy : 'behind';
      }),
    change: (scope, session, make) =>
      inOrder(keyOf(scope, session), async () => {
        const change = make(await load(scope, session));
        return change === null ? null : { change, result: await apply(change) };
      }),
    commit: (change) => inOrder(keyOf(change.record.scope, change.record.session), () => apply(change)),
    restore: (snapshot) => {
      const key = keyOf(snapshot.record.scope, snapshot.record.session);
      return inOrder(key, async () => {
        try {
          const result = await store.restore(snapshot);
          if (result === 'committed') remember(key, snapshot);
          else hot.delete(key);
          return result;
        } catch (error) {
          remember(key, snapshot);
          return failed(error);
        }
      });
    },
    dropped(gone) {
      for (const { scope, session } of gone) hot.delete(keyOf(scope, session));
    },
    async forget(tombstone) {
      for (const [key, copy] of [...hot]) {
        const { scope, session, site } = copy.record;
        const hit =
          tombstone.session === null ? tombstone.site === null || tombstone.site === site : tombstone.session === session;
        if (scope === tombstone.scope && hit) hot.delete(key);
      }
      await Promise.allSettled(queues.values());
      const removed = await store.forget(tombstone);
      for (const session of removed) hot.delete(keyOf(tombstone.scope, session));
      return removed;
    },
    async settled() {
      while (queues.size > 0) await Promise.allSettled([...queues.values()]);
    },
  };
}

/** The copy with one change applied. */
function changed(before: Copy | null, change: Commit): Copy {
  return {
    record: change.record,
    rows: merged(before?.rows ?? [], change.rows, (row) => row.seq),
    blocks: merged(before?.blocks ?? [], change.blocks, (block) => block.blockId),
  };
}

/** The old entries with the new ones over them; entries that are only added cost no lookup. */
function merged<T>(old: readonly T[], added: readonly T[], key: (entry: T) => number | string): readonly T[] {
  if (added.length === 0) return old;
  const fresh = new Map(added.map((entry) => [key(entry), entry]));
  const kept = old.map((entry) => {
    const over = fresh.get(key(entry));
    fresh.delete(key(entry));
    return over ?? entry;
  });
  return [...kept, ...fresh.values()];
}
