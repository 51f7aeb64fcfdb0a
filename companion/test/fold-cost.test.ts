/** Summaries cost money: those that do not become a block are counted, get rarer, and take their key with them. */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FoldContext } from '../src/fold/folder.ts';
import { holdKey } from '../src/fold/key.ts';
import type { Wired } from './support/browser.ts';
import { createOwner, type Owner } from './support/owner.ts';
import { body, FOLDING, isFold, SUMMARY } from './support/rivers.ts';
import { answerWith, completion, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let line: Wired;
let owner: Owner;
beforeEach(async () => {
  [world, upstream] = await Promise.all([startWorld({ flags: FOLDING }), startUpstream()]);
  line = await world.connect();
  owner = createOwner(line.scope);
  upstream.answer = (seen, response) => answerWith(isFold(seen) ? SUMMARY : 'A fine answer.')(seen, response);
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const url = (): string => `${upstream.origin}/v1/chat/completions`;
const long = 14;
const key = (): [ScopeId, SessionId] => [line.scope as ScopeId, 'tl-test' as SessionId];
const failures = () => line.frames.filter((frame) => frame.t === 'fold.status' && frame.state === 'failed');
/** The companion has written `rev` and thought about it. */
const written = async (rev: number): Promise<void> => {
  let at = 0;
  await line.until(() => {
    void world.companion.store.load(...key()).then((record) => {
      at = record?.rev ?? 0;
    });
    return at >= rev;
  });
  line.send({ t: 'inspect', id: rev, what: 'stats' });
  await line.wait('inspected', (frame) => frame.id === rev);
};

describe('an owner that never takes a summary', () => {
  it.each([
    ['says so', { drop: 'pinned' }, 'pinned'],
    ['is silent', { accept: false }, 'not-taken'],
  ])('and %s is asked to pay for fewer and fewer of them', async (_, options, reason) => {
    owner.serve(line, options);
    for (let turn = 1; turn <= 24; turn += 1) {
      await owner.turn(line, url(), body(long));
      await written(turn);
      if (reason === 'pinned') await line.until(() => failures().length === upstream.seen.filter(isFold).length);
    }
    const bought = upstream.seen.filter(isFold).length;
    // After 1, 2, 4, 8 … turns of waiting.
    expect(bought).toBeGreaterThan(1);
    expect(bought).toBeLessThanOrEqual(5);
    expect(failures().length).toBeGreaterThan(0);
    for (const frame of failures()) expect(frame).toMatchObject({ reason, cost: 120 });
  });

  it('is not offered that block again', async () => {
    owner.serve(line, { drop: 'rows-unknown' });
    await owner.turn(line, url(), body(long));
    await line.until(() => failures().length === 1);
    await owner.turn(line, url(), body(long));
    await written(2);
    expect(line.frames.filter((frame) => frame.t === 'fold.proposed')).toHaveLength(1);
  });
});

describe('a summary that comes too late', () => {
  it('is told with what it cost', async () => {
    let finish: () => void = () => undefined;
    upstream.answer = (seen, response) => {
      if (!isFold(seen)) return answerWith('An answer.')(seen, response);
      finish = () => response.writeHead(200, { 'content-type': 'application/json' }).end(completion(SUMMARY));
    };
    owner.serve(line);
    await owner.turn(line, url(), body(long));
    await line.until(() => upstream.seen.some(isFold));
    const record = await world.companion.store.load(...key());
    if (record === null) throw new Error('no record');
    const commit = {
      record: { ...record, rev: 2, nextBlock: record.nextBlock + 1 },
      links: [],
      rows: [],
      blocks: [],
      event: null,
    };
    line.send({ t: 'session.commit', commit });
    await written(2);
    finish();
    await line.until(() => failures().length === 1);
    expect(failures()).toMatchObject([{ reason: 'moved-on', cost: 120 }]);
  });

  it('costs nothing when the provider refused the request', async () => {
    upstream.answer = (seen, response) => {
      if (!isFold(seen)) return answerWith('An answer.')(seen, response);
      return response.writeHead(429, { 'content-type': 'application/json' }).end('{}');
    };
    owner.serve(line);
    await owner.turn(line, url(), body(long));
    await line.until(() => failures().length === 1);
    expect(failures()[0]).toMatchObject({ reason: 'http-429' });
    expect(failures()[0]).not.toHaveProperty('cost');
  });
});

describe("the request's key", () => {
  const foldNow = async () => {
    const before = line.frames.length;
    line.send({ t: 'fold.now', session: 'tl-test' });
    await line.until(() => line.frames.slice(before).some((frame) => frame.t === 'fold.status'));
    return line.frames.slice(before).find((frame) => frame.t === 'fold.status');
  };

  it('stays for a fold that the person asks for, and is gone when that has ended', async () => {
    owner.serve(line, { drop: 'pinned' });
    // Below the trigger, and with something to fold.
    await owner.turn(line, url(), body(9));
    await written(1);
    expect(await foldNow()).toMatchObject({ state: 'started' });
    await line.until(() => failures().length === 1);
    expect(await foldNow()).toMatchObject({ state: 'nothing', reason: 'no-recent-request' });
    expect(upstream.seen.filter(isFold)).toHaveLength(1);
  });

  it('stays from turn to turn, each in place of the one before', async () => {
    owner.serve(line, { drop: 'pinned' });
    await owner.turn(line, url(), body(7));
    await owner.turn(line, url(), body(9));
    await written(2);
    expect(await foldNow()).toMatchObject({ state: 'started' });
  });

  it.each([
    ['nothing could be folded', body(2), {}],
    ['folding is off for the request', body(long), { fold: 'off' as const }],
  ])('is gone after the answer when %s', async (_, text, options) => {
    owner.serve(line);
    await owner.turn(line, url(), text, options);
    await written(1);
    expect(await foldNow()).toMatchObject({ state: 'nothing', reason: 'no-recent-request' });
  });

  it('is gone when the person switches folding off meanwhile, and a summary under way is cut off', async () => {
    upstream.answer = (seen, response) => (isFold(seen) ? undefined : answerWith('An answer.')(seen, response));
    owner.serve(line);
    await owner.turn(line, url(), body(long));
    await line.until(() => upstream.seen.some(isFold));
    const record = await world.companion.store.load(...key());
    if (record === null) throw new Error('no record');
    line.send({
      t: 'session.commit',
      commit: { record: { ...record, rev: 2, mode: 'off' }, links: [], rows: [], blocks: [], event: null },
    });
    await upstream.aborted(upstream.seen.findIndex(isFold));
    expect(await foldNow()).toMatchObject({ state: 'nothing', reason: 'no-recent-request' });
  });

  it('is held for two minutes in all, whoever uses it', () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const released = vi.fn();
      const held = holdKey({} as FoldContext, Date.now, released);
      vi.advanceTimersByTime(100_000);
      expect(held.left()).toBe(20_000);
      expect(released).not.toHaveBeenCalled();
      vi.advanceTimersByTime(20_000);
      expect(held.left()).toBe(0);
      expect(released).toHaveBeenCalledTimes(1);
      held.release();
      expect(released).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
