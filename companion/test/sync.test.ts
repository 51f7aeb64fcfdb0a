/** Two stores, one truth: the replica follows its owner, gives everything back, and never brings back what was forgotten. */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { MAX_TEXT_FRAME } from '@throughline/shared/protocol/codec';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dial, type Paired, type Wired } from './support/browser.ts';
import { createOwner, type Owner } from './support/owner.ts';
import { commitFor, recordFor } from './support/records.ts';
import { answerWith, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let paired: Paired;
let line: Wired;
let owner: Owner;
beforeEach(async () => {
  [world, upstream] = await Promise.all([startWorld(), startUpstream()]);
  paired = await world.pair();
  line = await world.connect(paired);
  owner = createOwner(line.scope);
  owner.serve(line);
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const url = (): string => `${upstream.origin}/v1/chat/completions`;
const body = (turns: number): string =>
  JSON.stringify({
    model: 'demo',
    messages: Array.from({ length: 2 * turns - 1 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `message ${i} of this talk`,
    })),
  });
const session = 'tl-test' as SessionId;
const scope = (): ScopeId => line.scope as ScopeId;
/** The companion's record, once it has reached `rev`. */
const copyAt = async (rev: number) => {
  let record = await world.companion.store.load(scope(), session);
  for (let i = 0; i < 400 && record?.rev !== rev; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    record = await world.companion.store.load(scope(), session);
  }
  return record;
};

describe('the replica', () => {
  it('writes what the owner writes, turn by turn, without a pull', async () => {
    for (const turns of [1, 2, 3]) {
      expect(await owner.turn(line, url(), body(turns))).toMatchObject({ outcome: 'complete' });
      await copyAt(turns);
    }
    const [ours, theirs] = await Promise.all([
      world.companion.store.snapshot(scope(), session),
      owner.store.snapshot(scope(), session),
    ]);
    expect(ours).toEqual(theirs);
    expect(line.frames.some((frame) => frame.t === 'session.pull')).toBe(false);
  });

  it('that lost its store is filled again by the owner in the middle of a turn', async () => {
    const forgetful = await startWorld({ ephemeral: true });
    try {
      const there = await forgetful.pair();
      const first = await forgetful.connect(there);
      const mine = createOwner(first.scope);
      await mine.turn(mine.serve(first), url(), body(1));
      await forgetful.restart();
      const second = await forgetful.connect(there);
      expect(await mine.turn(mine.serve(second), url(), body(2))).toMatchObject({ t: 'turn.end', outcome: 'complete' });
      expect(second.frames.filter((frame) => frame.t === 'session.pull')).toHaveLength(1);
    } finally {
      await forgetful.close();
    }
  });

  it('asks for the session when it is behind, and goes on with the same turn', async () => {
    await owner.turn(line, url(), body(1));
    await copyAt(1);
    // The owner changed something while we were away.
    const record = await owner.store.load(scope(), session);
    if (record === null) throw new Error('no record');
    await owner.store.commit({ record: { ...record, rev: 2, mode: 'auto' }, links: [], rows: [], blocks: [], event: null });
    expect(await owner.turn(line, url(), body(2))).toMatchObject({ t: 'turn.end', outcome: 'complete' });
    expect(line.frames.filter((frame) => frame.t === 'session.pull')).toHaveLength(1);
    expect((await copyAt(3))?.rev).toBe(3);
  });

  it('that holds another history under the same revision asks for the session and acts on what it got', async () => {
    await owner.turn(line, url(), body(1));
    await copyAt(1);
    // Both sides made their own second revision while they were apart.
    const record = await owner.store.load(scope(), session);
    if (record === null) throw new Error('no record');
    const nothing = { links: [], rows: [], blocks: [], event: null };
    await owner.store.commit({ record: { ...record, rev: 2 }, ...nothing });
    line.send({ t: 'session.commit', commit: { record: { ...record, rev: 2, mode: 'off' }, ...nothing } });
    expect((await copyAt(2))?.mode).toBe('off');
    expect(await owner.turn(line, url(), body(2))).toMatchObject({ t: 'turn.end', outcome: 'complete' });
    expect(line.frames.filter((frame) => frame.t === 'session.pull')).toHaveLength(1);
    expect(await copyAt(3)).toEqual(await owner.store.load(scope(), session));
    expect(await owner.turn(line, url(), body(3))).toMatchObject({ t: 'turn.end', outcome: 'complete' });
    expect(line.frames.filter((frame) => frame.t === 'session.pull')).toHaveLength(1);
  });

  it('that differs and is not pushed carries nothing', async () => {
    await owner.turn(line, url(), body(1));
    await copyAt(1);
    const deaf = createOwner(line.scope);
    await deaf.store.restore({ ...commitFor(session, 1, 'another history', { scope: scope() }) });
    const silent = await world.connect(paired);
    expect(await deaf.turn(silent, url(), body(2))).toMatchObject({ t: 'turn.refused', code: 'replica-behind' });
    expect(upstream.seen).toHaveLength(1);
  });

  it('holding an old session under the name of a newborn one is set right by the push of the owner', async () => {
    await world.companion.store.commit(commitFor(session, 1, 'old', { scope: scope() }));
    await world.companion.store.commit(commitFor(session, 2, 'old', { scope: scope() }));
    expect(await owner.turn(line, url(), body(1))).toMatchObject({ outcome: 'complete' });
    await copyAt(3);
    expect(await owner.turn(line, url(), body(2))).toMatchObject({ outcome: 'complete' });
    expect(line.frames.filter((frame) => frame.t === 'session.pull')).toHaveLength(1);
    expect(await copyAt(2)).toEqual(await owner.store.load(scope(), session));
  });

  it('pulls when a commit does not follow, and applies one that does', async () => {
    await owner.turn(line, url(), body(1));
    const record = await copyAt(1);
    if (record === null) throw new Error('no record');
    line.send({ t: 'session.commit', commit: { record: { ...record, rev: 9 }, links: [], rows: [], blocks: [], event: null } });
    await line.wait('session.pull');
    line.send({
      t: 'session.commit',
      commit: { record: { ...record, rev: 2, mode: 'off' }, links: [], rows: [], blocks: [], event: null },
    });
    expect((await copyAt(2))?.mode).toBe('off');
  });
});

describe('a session too large for a frame', () => {
  it('is refused alone: a turn under way on the same connection goes on', async () => {
    let finish: () => void = () => undefined;
    upstream.answer = (seen, response) => {
      finish = () => answerWith('An answer.')(seen, response);
    };
    const turn = owner.turn(line, url(), body(1));
    await line.until(() => upstream.seen.length === 1);
    const push = { t: 'session.push', snapshot: { record: recordFor('tl-huge', 1), rows: [], links: [], blocks: [] } };
    line.sendRaw(`${JSON.stringify(push).slice(0, -1)},"padding":"${'x'.repeat(MAX_TEXT_FRAME)}"}`);
    expect(await line.wait('refused')).toMatchObject({ code: 'frame-too-large' });
    finish();
    expect(await turn).toMatchObject({ t: 'turn.end', outcome: 'complete' });
  });
});

describe('an extension that lost its store', () => {
  it('gets every session back, once', async () => {
    await owner.turn(line, url(), body(1));
    await owner.turn(line, url(), body(1), { session: 'tl-other' });
    await copyAt(1);
    line.close();
    await line.closed;
    const again = await dial(world.companion.port, paired, { store: 'store-2', sessions: 0 });
    if (again === null) throw new Error('not accepted');
    expect(again.restore).toBe(2);
    await again.until(() => again.frames.filter((frame) => frame.t === 'session.push').length === 2);
    const pushed = again.frames.find((frame) => frame.t === 'session.push' && frame.snapshot.record.session === session);
    expect(pushed).toMatchObject({ snapshot: JSON.parse(JSON.stringify(await owner.store.snapshot(scope(), session))) });
    again.close();
    await again.closed;
    const third = await dial(world.companion.port, paired, { store: 'store-2', sessions: 2 });
    expect(third?.restore).toBe(0);
    third?.close();
  });
});

describe('forgetting', () => {
  it('outranks a restore made later, and reaches an extension that was away', async () => {
    await owner.turn(line, url(), body(1));
    await copyAt(1);
    const push = await owner.pushOf(session);
    line.send({ t: 'forget', tombstone: { scope: scope(), session, site: null, at: 9e12 } });
    await line.until(() => true);
    line.send(push as object);
    const told = await line.wait('forget', (frame) => frame.tombstone.session === session);
    expect(told.tombstone.scope).toBe(scope());
    expect(await world.companion.store.load(scope(), session)).toBeNull();
    const again = await dial(world.companion.port, paired, { store: 'store-9', sessions: 0 });
    expect(again?.restore).toBe(0);
    expect(await again?.wait('forget')).toMatchObject({ tombstone: { session } });
    again?.close();
  });
});

describe('a store that cannot write', () => {
  it('does not stop traffic, and is mentioned once a minute', async () => {
    const store = world.companion.store as { commit: unknown; restore: unknown };
    const full = async (): Promise<never> => {
      throw Object.assign(new Error('disk is full: secret text'), { code: 'SQLITE_FULL' });
    };
    Object.assign(store, { commit: full, restore: full });
    for (const turns of [1, 2, 3])
      expect(await owner.turn(line, url(), body(turns))).toMatchObject({ t: 'turn.end', outcome: 'complete' });
    line.send({ t: 'inspect', id: 1, what: 'stats' });
    await line.wait('inspected');
    const lines = world.log.filter((one) => one.includes('store-failed'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('SQLITE_FULL');
    expect(lines[0]).not.toContain('secret');
  });
});

describe('records of another pairing', () => {
  it('are neither taken nor given', async () => {
    await world.companion.store.commit({ ...commitFor('tl-hidden', 1), record: recordFor('tl-hidden', 1) });
    line.send({ t: 'session.push', snapshot: { record: recordFor('tl-evil', 1), rows: [], links: [], blocks: [] } });
    expect(await line.wait('refused')).toMatchObject({ code: 'other-scope' });
    const again = await dial(world.companion.port, paired, { store: 'store-2', sessions: 0 });
    expect(again?.restore).toBe(0);
    again?.close();
  });
});
