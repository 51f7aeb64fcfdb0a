/** Nothing that goes silent holds up a page: until bytes may be at the provider, its own request goes out after a bounded wait. */
import type { TurnOpen } from '@throughline/shared/protocol/frames';
import { describe, expect, it, vi } from 'vitest';
import { createLane } from '../../src/background/lane.ts';
import { slack } from '../../src/background/patience.ts';
import { type TurnWorld, takeTurn } from '../../src/background/turns.ts';
import { type FakeWorld, fakeWorld, frames, listen, pageOpen, QUESTION, SCOPE, settle, talk, until } from './fakes.ts';

const SHORT = { own: 600, handed: 40, probe: 40, connect: 60, silent: 1_000 };
const opens = (world: FakeWorld) => world.link.sent.filter((frame): frame is TurnOpen => frame.t === 'turn.open');
const aborts = (world: FakeWorld) => world.link.sent.filter((frame) => frame.t === 'turn.abort');

/** The world whose n-th asynchronous answer never comes. */
function silentAt(failing: number) {
  const world = fakeWorld();
  const count = { calls: 0, hung: '' };
  const hanging = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(from, name) {
        const value = Reflect.get(from, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const made: unknown = value.apply(from, args);
          if (!(made instanceof Promise)) return made;
          count.calls += 1;
          if (count.calls !== failing) return made;
          count.hung = String(name);
          return new Promise(() => undefined);
        };
      },
    });
  const store = hanging(world.ledger);
  const steps = hanging({ ...world, store: async () => store });
  const silent: TurnWorld = {
    ...world,
    patience: SHORT,
    link: hanging(world.link),
    store: steps.store,
    site: steps.site,
    paused: steps.paused,
    restored: steps.restored,
    settings: steps.settings,
  };
  return { world, silent, count };
}

describe('before the hand-over', () => {
  it('whatever step never answers, the page sends its own request', async () => {
    const tried = await Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        const { world, silent, count } = silentAt(at + 1);
        const said = listen();
        await takeTurn(pageOpen(talk(QUESTION)), said.answer, silent);
        return { said, world, ...count };
      }),
    );
    const hung = tried.filter((one) => one.hung !== '');
    expect(hung.length).toBeGreaterThan(8);
    expect(hung.length).toBeLessThan(tried.length);
    for (const { said, world, hung: step } of hung) {
      expect(said.ends(), step).toEqual(['native too-slow']);
      expect(opens(world), step).toEqual([]);
      expect(world.flights.list(SCOPE), step).toEqual([]);
      expect(world.streams.count(), step).toBe(0);
    }
  });

  it('a step that answers after the page went on hands nothing over', async () => {
    const world = fakeWorld();
    let go: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      go = resolve;
    });
    const said = listen();
    const slow: TurnWorld = {
      ...world,
      patience: { ...SHORT, own: 30 },
      store: async () => {
        await late;
        return world.ledger;
      },
    };
    expect(await takeTurn(pageOpen(talk(QUESTION)), said.answer, slow)).toBeNull();
    go();
    await settle();
    expect(said.ends()).toEqual(['native too-slow']);
    expect(opens(world)).toEqual([]);
    expect(world.flights.count()).toBe(0);
  });

  it('a store that hangs is waited for once', async () => {
    let now = 0;
    const lane = createLane(undefined, () => now);
    const world: FakeWorld = { ...fakeWorld(), lane };
    void lane.run(() => new Promise(() => undefined));
    await settle();
    now = world.patience.own + 1;
    const said = listen();
    await takeTurn(pageOpen(talk(QUESTION)), said.answer, world);
    expect(said.ends()).toEqual(['native too-slow']);
    expect(opens(world)).toEqual([]);
  });

  it('a large body may take longer', () => {
    expect(slack(0)).toBe(0);
    expect(slack(64 * 1024 * 1024)).toBe(8_000);
  });
});

describe('handed over', () => {
  const handed = async (answers: boolean) => {
    const world: FakeWorld = { ...fakeWorld(), patience: SHORT };
    world.link.answers = answers;
    world.link.alive = vi.fn(world.link.alive);
    const said = listen();
    await takeTurn(pageOpen(talk(QUESTION)), said.answer, world);
    return { world, said, stream: opens(world)[0]?.stream as number };
  };

  it('a frozen companion is noticed, and the page goes first', async () => {
    const { world, said, stream } = await handed(false);
    await until(() => said.answer.settled());
    expect(said.ends()).toEqual(['native too-slow']);
    expect(aborts(world)).toEqual([{ t: 'turn.abort', stream }]);
    expect([world.streams.count(), world.flights.count(), world.live.list().length]).toEqual([0, 0, 0]);
    // Thawed: what it says now reaches nobody.
    for (const frame of [frames.dispatched(stream), frames.head(stream), frames.end(stream)]) world.streams.frame(frame);
    await settle();
    expect(said.ends()).toEqual(['native too-slow']);
  });

  it('a companion that lives may still be connecting, but not for ever', async () => {
    const { world, said, stream } = await handed(true);
    await until(() => vi.mocked(world.link.alive).mock.calls.length === 1);
    expect(said.ends()).toEqual([]);
    await until(() => said.answer.settled());
    expect(said.ends()).toEqual(['native too-slow']);
    expect(aborts(world)).toEqual([{ t: 'turn.abort', stream }]);
  });

  it.each([true, false])('a dispatched request is waited for (alive: %s)', async (answers) => {
    const { world, said, stream } = await handed(answers);
    world.streams.frame(frames.dispatched(stream));
    await new Promise((resolve) => setTimeout(resolve, 3 * (SHORT.handed + SHORT.probe + SHORT.connect)));
    expect(said.ends()).toEqual([]);
    for (const frame of [frames.head(stream), frames.end(stream)]) world.streams.frame(frame);
    expect(said.ends()).toEqual(['end']);
  });

  it('no room for another stream, and a link that takes nothing, have names of their own', async () => {
    const full: FakeWorld = fakeWorld();
    const nobody = () => undefined;
    for (let at = 0; at < 64; at += 1) full.streams.open({ onFrame: nobody, onChunk: nobody, onLost: nobody });
    const one = listen();
    await takeTurn(pageOpen(talk(QUESTION)), one.answer, full);
    expect(one.ends()).toEqual(['native too-many']);
    expect(full.flights.count()).toBe(0);
    const busy = fakeWorld();
    busy.link.sendBytes = () => false;
    const two = listen();
    await takeTurn(pageOpen(talk(QUESTION)), two.answer, busy);
    expect(two.ends()).toEqual(['native link-busy']);
    expect(aborts(busy)).toHaveLength(1);
    expect([busy.flights.count(), busy.streams.count()]).toEqual([0, 0]);
  });
});
