/** What goes by age is a copy: its owner brings it back, nothing recent goes, and a tombstone is for what the person forgot. */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Paired, Wired } from './support/browser.ts';
import { createOwner, type Owner } from './support/owner.ts';
import { startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

const DAY = 24 * 60 * 60 * 1000;
let world: World;
let upstream: Upstream;
let paired: Paired;
let line: Wired;
let owner: Owner;
const start = async (retentionDays: number): Promise<void> => {
  world = await startWorld({ flags: { retentionDays } });
  paired = await world.pair();
  line = await world.connect(paired);
  owner = createOwner(line.scope);
  owner.serve(line);
};
beforeEach(async () => {
  upstream = await startUpstream();
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
const scope = (): ScopeId => line.scope as ScopeId;
const held = async (): Promise<string[]> =>
  (await world.companion.store.list({ scope: scope() })).map((record) => record.session).sort();
const turn = (session: string, at: number) => owner.turn(line, url(), body(1), { session, at });
const stored = async (count: number): Promise<void> => {
  for (let i = 0; i < 400 && (await held()).length < count; i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('retention', () => {
  it('lets go at the start what was not used for that long, and nothing else', async () => {
    await start(30);
    await turn('tl-old', world.clock - 31 * DAY);
    await turn('tl-new', world.clock - 29 * DAY);
    await stored(2);
    await world.restart();
    expect(await held()).toEqual(['tl-new']);
    expect(await world.companion.store.rows(scope(), 'tl-old' as SessionId)).toEqual([]);
    expect(await world.companion.store.tombstones(scope())).toEqual([]);
  });

  it('never touches what was used within seven days, however short it is set', async () => {
    await start(1);
    await turn('tl-six', world.clock - 6 * DAY);
    await turn('tl-eight', world.clock - 8 * DAY);
    await stored(2);
    await world.restart();
    expect(await held()).toEqual(['tl-six']);
  });

  it('of a conversation that goes on: its owner pushes it again and nothing is missing', async () => {
    await start(30);
    await turn('tl-old', world.clock - 31 * DAY);
    await stored(1);
    await world.restart();
    expect(await held()).toEqual([]);
    line = owner.serve(await world.connect(paired));
    expect(await owner.turn(line, url(), body(2), { session: 'tl-old', at: world.clock })).toMatchObject({
      outcome: 'complete',
    });
    expect(line.frames.some((frame) => frame.t === 'session.pull')).toBe(true);
    await stored(1);
    const snapshot = () => world.companion.store.snapshot(scope(), 'tl-old' as SessionId);
    for (let i = 0; i < 400 && (await snapshot())?.record.rev !== 2; i += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await snapshot()).toEqual(await owner.store.snapshot(scope(), 'tl-old' as SessionId));
  });
});
