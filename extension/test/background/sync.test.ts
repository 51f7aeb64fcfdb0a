/** The owner commits first; the other side is pushed, pulled, restored and forgotten in step. */
import type { SessionId } from '@throughline/shared/base/brand';
import type { Proposal } from '@throughline/shared/fold/proposal';
import type { CompanionToExtension, TurnOpen } from '@throughline/shared/protocol/frames';
import type { SessionSnapshot } from '@throughline/shared/session/records';
import { describe, expect, it, vi } from 'vitest';
import { createSync } from '../../src/background/sync.ts';
import { takeTurn } from '../../src/background/turns.ts';
import type { LedgerStore } from '../../src/ledger/dexie-store.ts';
import { memoryLedger } from '../../src/ledger/ledger.ts';
import { type FakeWorld, fakeWorld, frames, listen, pageOpen, QUESTION, SCOPE, settle, talk } from './fakes.ts';

function under(ledger?: LedgerStore) {
  const world = fakeWorld(ledger);
  const sync = createSync({
    link: () => world.link,
    lane: world.lane,
    flights: world.flights,
    bodies: world.bodies,
    live: world.live,
    store: world.store,
    scope: async () => SCOPE,
    now: () => 5_000,
    changed: () => undefined,
  });
  return { world, sync, sent: () => world.link.sent.filter((frame) => !frame.t.startsWith('turn.')) };
}

const lines = [
  QUESTION,
  'Wool, mostly. '.repeat(40),
  'How much of it, then?',
  'Two kilos. '.repeat(40),
  'And which shoes do you suggest?',
];

async function turn(world: FakeWorld, messages = talk(...lines), end = true): Promise<SessionId> {
  await takeTurn(pageOpen(messages), listen().answer, world);
  const open = world.link.sent.filter((frame): frame is TurnOpen => frame.t === 'turn.open').at(-1) as TurnOpen;
  world.streams.frame(frames.dispatched(open.stream));
  if (end) {
    world.streams.frame(frames.head(open.stream));
    world.streams.frame(frames.end(open.stream));
    await settle();
  }
  return open.session as SessionId;
}

/** What a companion would propose for the first two messages. */
async function proposed(world: FakeWorld, session: SessionId): Promise<Extract<CompanionToExtension, { t: 'fold.proposed' }>> {
  const rows = (await world.ledger.rows(SCOPE, session)).slice(0, 2);
  const ids = rows.flatMap((row) => row.cores.map((core) => core.id));
  const refs = rows.flatMap((row) => row.cores.map((core) => core.ref));
  const block: Proposal['block'] = {
    blockId: 'b1' as never,
    runId: 'r1',
    tier: 1,
    topic: 'packing',
    summary: 'They talked about wool and how much of it to pack for Bergen.',
    directIds: ids,
    effectiveIds: ids,
    directBlockIds: [],
    refs: [refs[0], refs.at(-1)] as never,
    seqs: rows.map((row) => row.seq),
    tokensBefore: 200,
    tokensAfter: 20,
    createdAt: 4_000,
    state: 'folded',
    rev: 0,
    author: 'model',
  };
  return { t: 'fold.proposed', session, block: block as never, consumes: [], cost: 30 };
}

describe('folds', () => {
  it('a proposal is committed here first and then told', async () => {
    const { world, sync, sent } = under();
    const session = await turn(world);
    sync.onFrame(await proposed(world, session));
    await settle();
    const [block] = await world.ledger.blocks(SCOPE, session);
    expect(block).toMatchObject({ blockId: 'b1', state: 'folded', rev: 2 });
    expect(sent()).toMatchObject([{ t: 'session.commit', commit: { record: { session, rev: 2 }, event: { kind: 'fold' } } }]);
  });

  it('the same proposal twice is one block', async () => {
    const { world, sync, sent } = under();
    const session = await turn(world);
    const frame = await proposed(world, session);
    sync.onFrame(frame);
    sync.onFrame(frame);
    await settle();
    expect(await world.ledger.blocks(SCOPE, session)).toHaveLength(1);
    expect(sent()).toHaveLength(1);
  });

  it('waits for a turn of that session that is under way', async () => {
    const { world, sync } = under();
    const session = await turn(world);
    const frame = await proposed(world, session);
    const answer = listen();
    await takeTurn(pageOpen(talk(...lines, 'Boots.', 'Thank you, that is all.')), answer.answer, world);
    const open = world.link.sent.filter((sent): sent is TurnOpen => sent.t === 'turn.open').at(-1) as TurnOpen;
    expect(open.session).toBe(session);
    sync.onFrame(frame);
    await settle();
    expect(await world.ledger.blocks(SCOPE, session)).toEqual([]);
    for (const one of [frames.dispatched(open.stream), frames.head(open.stream), frames.end(open.stream)])
      world.streams.frame(one);
    await settle();
    await settle();
    expect((await world.ledger.load(SCOPE, session))?.rev).toBe(3);
    expect(await world.ledger.blocks(SCOPE, session)).toMatchObject([{ blockId: 'b1', rev: 3 }]);
  });

  it('never hides a message whose original is not stored', async () => {
    const ledger = memoryLedger('one');
    const { world, sync, sent } = under({
      ...ledger,
      rowsAt: async (...asked) => (await ledger.rowsAt(...asked)).map((row) => ({ ...row, raw: '' })),
    });
    const session = await turn(world);
    sync.onFrame(await proposed(world, session));
    await settle();
    expect(await ledger.blocks(SCOPE, session)).toEqual([]);
    expect(sent()).toEqual([{ t: 'fold.dropped', session, block: 'b1', code: 'rows-unknown' }]);
  });

  it('a proposal that does not fit any more is refused by name, so that it is not offered for ever', async () => {
    const { world, sync, sent } = under();
    const session = await turn(world);
    const frame = await proposed(world, session);
    sync.onFrame({ ...frame, block: { ...(frame.block as object), blockId: 'b9' } } as never);
    await settle();
    expect(sent()).toEqual([{ t: 'fold.dropped', session, block: 'b9', code: 'block-taken' }]);
    expect((await world.ledger.load(SCOPE, session))?.rev).toBe(1);
  });

  it('what a failed attempt cost is counted', async () => {
    const { world, sync, sent } = under();
    const session = await turn(world);
    sync.onFrame({ t: 'fold.status', session, state: 'failed', reason: 'empty', cost: 700 });
    await settle();
    expect((await world.ledger.load(SCOPE, session))?.stats.foldCost).toBe(700);
    expect(sent()).toMatchObject([{ t: 'session.commit', commit: { event: { kind: 'fold-failed', data: { cost: 700 } } } }]);
  });

  it('a block that could not be stored is not told', async () => {
    const ledger = memoryLedger('one');
    const { world, sync, sent } = under({
      ...ledger,
      commit: (change) =>
        change.event?.kind === 'fold' ? Promise.reject(new DOMException('full', 'QuotaExceededError')) : ledger.commit(change),
    });
    const session = await turn(world);
    sync.onFrame(await proposed(world, session));
    await settle();
    expect(sent()).toEqual([]);
    expect((await ledger.load(SCOPE, session))?.rev).toBe(1);
  });

  it('a late proposal for a forgotten session resurrects nothing', async () => {
    const { world, sync, sent } = under();
    const session = await turn(world);
    const frame = await proposed(world, session);
    await sync.forget({ scope: SCOPE, session, site: null, at: 5_000 });
    sync.onFrame(frame);
    await settle();
    expect(await world.ledger.load(SCOPE, session)).toBeNull();
    expect(sent().map((one) => one.t)).toEqual(['forget']);
  });
});

describe('restoring and forgetting', () => {
  const snapshotOf = async (): Promise<{ session: SessionId; snapshot: SessionSnapshot }> => {
    const { world, sync } = under();
    const session = await turn(world);
    sync.onFrame(await proposed(world, session));
    await settle();
    return { session, snapshot: (await world.ledger.snapshot(SCOPE, session)) as SessionSnapshot };
  };
  const push = (snapshot: SessionSnapshot) => ({ t: 'session.push', snapshot }) as unknown as CompanionToExtension;

  it('a lost store comes back whole, and requests wait for it', async () => {
    const { session, snapshot } = await snapshotOf();
    const { world, sync } = under();
    sync.onReady({ restore: 1 });
    const waited = vi.fn();
    const waiting = sync.restored(1_000).then(waited);
    await settle();
    expect(waited).not.toHaveBeenCalled();
    sync.onFrame(push(snapshot));
    await waiting;
    expect(waited).toHaveBeenCalledWith(true);
    expect(await world.ledger.snapshot(SCOPE, session)).toEqual(snapshot);
    expect(await turn(world, talk(...lines, 'Boots.', 'Thank you, that is all.'))).toBe(session);
  });

  it('a companion that leaves meanwhile ends the wait, and its deadline is not the next one’s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { sync } = under();
      sync.onReady({ restore: 1 });
      const waiting = sync.restored(60_000);
      vi.advanceTimersByTime(9_000);
      sync.onLost();
      expect(await waiting).toBe(false);
      sync.onReady({ restore: 1 });
      const waited = vi.fn();
      const again = sync.restored(60_000).then(waited);
      vi.advanceTimersByTime(9_000);
      await Promise.resolve();
      expect(waited).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1_000);
      await again;
      expect(waited).toHaveBeenCalledWith(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a session too large to be copied disturbs no other: it goes out whole until the next connection', async () => {
    const { world, sync } = under();
    const session = await turn(world);
    const { send } = world.link;
    world.link.send = (frame) => frame.t !== 'session.push' && send(frame);
    const snapshot = vi.spyOn(world.ledger, 'snapshot');
    sync.onFrame({ t: 'session.pull', session });
    await settle();
    sync.onFrame({ t: 'session.pull', session });
    await settle();
    expect(snapshot).toHaveBeenCalledTimes(1);
    const said = listen();
    const asking = { ...world, tooLarge: sync.tooLarge };
    await takeTurn(pageOpen(talk(...lines, 'Boots.', 'Thank you, that is all.')), said.answer, asking);
    expect(said.ends()).toEqual(['native session-too-large']);
    sync.onReady({ restore: 0 });
    expect(sync.tooLarge(session)).toBe(false);
  });

  it('what is here is never replaced by what comes back', async () => {
    const { session, snapshot } = await snapshotOf();
    const { world, sync } = under();
    await world.ledger.restore({ ...snapshot, record: { ...snapshot.record, rev: 9, title: 'ours' } });
    sync.onReady({ restore: 1 });
    sync.onFrame(push(snapshot));
    await settle();
    expect((await world.ledger.load(SCOPE, session))?.title).toBe('ours');
  });

  it('a tombstone outranks what comes back, and the other side is told', async () => {
    const { session, snapshot } = await snapshotOf();
    const { world, sync, sent } = under();
    await world.ledger.forget({ scope: SCOPE, session, site: null, at: 4_000 });
    sync.onFrame(push(snapshot));
    await settle();
    expect(await world.ledger.load(SCOPE, session)).toBeNull();
    expect(sent()).toMatchObject([{ t: 'forget', tombstone: { session } }]);
  });

  it('tombstones made while the companion was away are told at the next hello', async () => {
    const { world, sync, sent } = under();
    const session = await turn(world);
    world.link.connected = false;
    await sync.forget({ scope: SCOPE, session, site: null, at: 5_000 });
    expect(sent()).toEqual([]);
    world.link.connected = true;
    sync.onReady({ restore: 0 });
    await settle();
    expect(sent()).toMatchObject([{ t: 'forget', tombstone: { session } }]);
  });

  it('a tombstone from the other side removes the session; one of another scope does not', async () => {
    const { world, sync } = under();
    const session = await turn(world);
    sync.onFrame({ t: 'forget', tombstone: { scope: 'scope-other', session, site: null, at: 6_000 } });
    await settle();
    expect(await world.ledger.load(SCOPE, session)).not.toBeNull();
    sync.onFrame({ t: 'forget', tombstone: { scope: SCOPE, session, site: null, at: 6_000 } });
    await settle();
    expect(await world.ledger.load(SCOPE, session)).toBeNull();
  });

  it('a pull is answered with the whole session, or with the tombstone of a forgotten one', async () => {
    const { world, sync, sent } = under();
    const session = await turn(world);
    sync.onFrame({ t: 'session.pull', session });
    await settle();
    expect(sent()).toEqual([{ t: 'session.push', snapshot: await world.ledger.snapshot(SCOPE, session) }]);
    await world.ledger.forget({ scope: SCOPE, session, site: null, at: 5_000 });
    sync.onFrame({ t: 'session.pull', session });
    await settle();
    expect(sent().at(-1)).toMatchObject({ t: 'forget', tombstone: { session } });
  });
});
