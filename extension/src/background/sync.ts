/**
 * The two copies of a session kept alike. This side owns the page lane: it commits first and tells; the companion's copy is
 * pushed whole when it differs, and comes back whole when our store was lost. A tombstone outranks both directions.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Proposal } from '@throughline/shared/fold/proposal';
import type { CompanionToExtension } from '@throughline/shared/protocol/frames';
import type { Flights } from '@throughline/shared/session/flights';
import { acceptBlock, type Dropped, foldFailed } from '@throughline/shared/session/operations';
import type { SessionRecord, SessionSnapshot, Tombstone } from '@throughline/shared/session/records';
import type { Commit, CommitResult } from '@throughline/shared/session/store';
import type { LedgerStore } from '../ledger/dexie-store.ts';
import type { Bodies } from './bodies.ts';
import type { Lane } from './lane.ts';
import type { Link } from './link.ts';
import type { LiveEntry, LiveTurns } from './live.ts';

const RESTORE_LIMIT_MS = 10_000;

export interface SyncWorld {
  readonly link: () => Link;
  readonly lane: Lane;
  readonly flights: Flights;
  readonly bodies: Bodies;
  readonly live: LiveTurns;
  readonly store: () => Promise<LedgerStore | null>;
  /** Of the pairing; known also while the companion is off. */
  readonly scope: () => Promise<ScopeId | null>;
  readonly now: () => number;
  readonly changed: () => void;
}

export interface Sync {
  onReady(ready: { readonly restore: number }): void;
  onLost(): void;
  onFrame(frame: CompanionToExtension): void;
  restored(ms: number): Promise<boolean>;
  /** True for a session that was asked for and cannot be copied to the companion. */
  tooLarge(session: SessionId): boolean;
  /** Commits what the owner decided and tells the companion. Null: the session is unknown or nothing had to change. */
  own(session: SessionId, decide: (record: SessionRecord, store: LedgerStore) => Promise<Commit | Dropped>): Promise<OwnResult>;
  forget(tombstone: Tombstone): Promise<readonly SessionId[]>;
}

export type OwnResult = CommitResult | 'unknown' | Dropped;

export function createSync(world: SyncWorld): Sync {
  let owed = 0;
  let limit: ReturnType<typeof setTimeout> | null = null;
  let waiting: ((restored: boolean) => void)[] = [];
  const tooLarge = new Set<string>();
  const folding = new Map<string, LiveEntry>();

  /** The waiting is over: everything came back (or enough of it), or nothing more will. */
  const release = (restored: boolean) => {
    owed = 0;
    if (limit !== null) clearTimeout(limit);
    limit = null;
    const told = waiting;
    waiting = [];
    for (const go of told) go(restored);
  };
  const restoredOne = () => {
    owed = Math.max(0, owed - 1);
    if (owed === 0) release(true);
  };

  /** Runs in the lane with the store and scope, if there are any. */
  const withStore = (work: (store: LedgerStore, of: ScopeId) => Promise<void>): void => {
    void world.lane
      .run(async () => {
        const [store, scope] = await Promise.all([world.store(), world.scope()]);
        if (store && scope) await work(store, scope);
      })
      .catch(() => {
        // A frame that could not be acted upon: the next turn finds the copies differing and pushes the session.
      })
      .then(world.changed);
  };

  const own: Sync['own'] = async (session, decide) =>
    world.lane.run(async (): Promise<OwnResult> => {
      const [store, scope] = await Promise.all([world.store(), world.scope()]);
      const record = store && scope ? await store.load(scope, session) : null;
      if (!store || !record) return 'unknown';
      const change = await decide(record, store);
      if ('dropped' in change) return change;
      const result = await store.commit(change);
      if (result === 'committed') world.link().send({ t: 'session.commit', commit: plain(change) });
      return result;
    });

  const acceptProposal = async (session: SessionId, proposal: Proposal): Promise<void> => {
    const { blockId, summary, seqs } = proposal.block;
    let known = false;
    const result = await own(session, async (record, store) => {
      const [blocks, rows] = await Promise.all([
        store.blocks(record.scope, session),
        store.rowsAt(record.scope, session, seqs),
      ]);
      // Proposed again because our word did not arrive: it is a block already. The next turn shows that the copies differ.
      known = blocks.some((block) => block.blockId === blockId && block.summary === summary);
      // An original that found no room here must not be hidden behind a summary.
      if (rows.length !== seqs.length || rows.some((row) => row.raw === '')) return { dropped: 'rows-unknown' };
      const pinned = new Set(rows.filter((row) => row.pinned).map((row) => row.seq));
      return acceptBlock(record, blocks, proposal, world.now(), pinned);
    });
    if (typeof result === 'string' || known) return;
    world.link().send({ t: 'fold.dropped', session, block: blockId, code: result.dropped });
  };

  const stopFolding = (session: string) => {
    const entry = folding.get(session);
    if (entry) world.live.remove(entry);
    folding.delete(session);
  };

  const onFrame = (frame: CompanionToExtension): void => {
    switch (frame.t) {
      case 'session.pull':
        withStore(async (store, of) => {
          if (tooLarge.has(frame.session)) return;
          const snapshot = await store.snapshot(of, frame.session as SessionId);
          if (snapshot) {
            const sent = world.link().send({ t: 'session.push', snapshot: plain(snapshot) });
            // Refused by a link that stands: its requests go out whole until the next connection, and nothing is copied in vain.
            if (!sent && world.link().scope() !== null) tooLarge.add(frame.session);
          } else await tellTombstones(store, of, frame.session);
        });
        return;
      case 'session.push':
        withStore(async (store, of) => {
          try {
            await takeBack(store, of, frame.snapshot as unknown as SessionSnapshot);
          } finally {
            restoredOne();
          }
        });
        return;
      case 'forget':
        withStore(async (store, of) => {
          const tombstone = frame.tombstone as Tombstone;
          if (tombstone.scope !== of) return;
          await store.forget(tombstone);
          world.bodies.drop(tombstone.session);
        });
        return;
      case 'fold.proposed': {
        const session = frame.session as SessionId;
        stopFolding(frame.session);
        const proposal = { block: frame.block, consumes: frame.consumes, cost: frame.cost } as unknown as Proposal;
        // A turn in flight will commit first: both sides then count the same revisions.
        world.flights.whenLanded(session, () => {
          void acceptProposal(session, proposal)
            .catch(() => {
              // No room for the block, or the store broke: it stays with the companion and is proposed again at the next hello.
            })
            .then(world.changed);
        });
        return;
      }
      case 'fold.status': {
        stopFolding(frame.session);
        const session = frame.session as SessionId;
        if (frame.state === 'started')
          folding.set(
            session,
            world.live.add({ session, site: null, tab: null, phase: 'folding', bytes: 0, startedAt: world.now() }),
          );
        if (frame.state === 'failed') {
          void own(session, async (record) => foldFailed(record, frame.reason ?? 'unknown', world.now(), frame.cost ?? 0))
            .catch(() => undefined)
            .then(world.changed);
        }
        world.changed();
        return;
      }
      default:
        return;
    }
  };

  /** A session that we hold is ours: only one that we lost comes back. */
  const takeBack = async (store: LedgerStore, of: ScopeId, snapshot: SessionSnapshot) => {
    const { scope, session } = snapshot.record;
    if (scope !== of || (await store.load(of, session))) return;
    if ((await store.restore(snapshot)) === 'forgotten') await tellTombstones(store, of, session);
  };

  const tellTombstones = async (store: LedgerStore, of: ScopeId, session: string | null) => {
    for (const tombstone of await store.tombstones(of)) {
      if (session === null || tombstone.session === session) world.link().send({ t: 'forget', tombstone: { ...tombstone } });
    }
  };

  return {
    onReady(ready) {
      tooLarge.clear();
      if (limit !== null) clearTimeout(limit);
      owed = ready.restore;
      if (owed === 0) release(true);
      // A session that never comes must not hold up every request.
      else limit = setTimeout(() => release(true), RESTORE_LIMIT_MS);
      withStore((store, of) => tellTombstones(store, of, null));
    },
    onLost() {
      release(false);
      for (const session of [...folding.keys()]) stopFolding(session);
    },
    onFrame,
    restored: (ms) =>
      owed === 0
        ? Promise.resolve(true)
        : new Promise((resolve) => {
            const timer = setTimeout(() => resolve(false), ms);
            waiting.push((restored) => {
              clearTimeout(timer);
              resolve(restored);
            });
          }),
    tooLarge: (session) => tooLarge.has(session),
    own,
    forget: (tombstone) =>
      world.lane.run(async () => {
        const store = await world.store();
        const gone = store ? await store.forget(tombstone) : [];
        for (const session of gone) world.bodies.drop(session);
        world.link().send({ t: 'forget', tombstone: { ...tombstone } });
        return gone;
      }),
  };
}

/** Records travel as plain objects: the frame's schema checks what it needs and carries the rest. */
function plain<T>(value: T): never {
  return value as never;
}
