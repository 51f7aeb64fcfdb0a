/** A request of a page is answered exactly once, natively whenever anything goes wrong before the hand-over. */
import { sha256 } from '@throughline/shared/base/digest';
import { applyDelta } from '@throughline/shared/protocol/delta';
import type { TurnOpen } from '@throughline/shared/protocol/frames';
import { fingerprint } from '@throughline/shared/session/fingerprint';
import { pinRow } from '@throughline/shared/session/operations';
import type { SessionRecord } from '@throughline/shared/session/records';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type TurnWorld, takeTurn } from '../../src/background/turns.ts';
import {
  type FakeWorld,
  fakeWorld,
  frames,
  listen,
  pageOpen,
  QUESTION,
  SCOPE,
  SITE,
  settle,
  talk,
  UPSTREAM,
  until,
} from './fakes.ts';

const opens = (world: FakeWorld) => world.link.sent.filter((frame): frame is TurnOpen => frame.t === 'turn.open');

/** Sends the turn and lets the companion answer it whole. */
async function complete(world: FakeWorld, messages: readonly unknown[], over = {}) {
  const said = listen();
  await takeTurn(pageOpen(messages, over), said.answer, world);
  const open = opens(world).at(-1);
  if (!open) throw new Error(`not taken: ${said.ends()}`);
  for (const frame of [frames.dispatched(open.stream), frames.head(open.stream), frames.end(open.stream)])
    world.streams.frame(frame);
  await settle();
  return { said, open };
}

describe('fail open', () => {
  it('answers native when any step before the hand-over throws', async () => {
    // Throws at the n-th call of anything the turn uses, for every n that is reached before the turn was sent.
    for (let failing = 1; ; failing += 1) {
      const world = fakeWorld();
      let calls = 0;
      const breakable = <T extends object>(target: T): T =>
        new Proxy(target, {
          get(from, name) {
            const value = Reflect.get(from, name);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => {
              calls += 1;
              if (calls === failing) throw new Error(`step ${String(name)}`);
              return value.apply(from, args);
            };
          },
        });
      const flaky: TurnWorld = {
        ...breakable({ ...world }),
        link: breakable(world.link),
        streams: breakable(world.streams),
        flights: breakable(world.flights),
        bodies: breakable(world.bodies),
        live: breakable(world.live),
        store: async () => breakable(world.ledger),
        site: breakable(world).site,
        paused: breakable(world).paused,
        restored: breakable(world).restored,
        settings: breakable(world).settings,
        now: breakable(world).now,
      };
      const said = listen();
      const steering = await takeTurn(pageOpen(talk(QUESTION)), said.answer, flaky);
      if (calls < failing) {
        expect(steering).not.toBeNull();
        expect(failing).toBeGreaterThan(10);
        break;
      }
      if (world.link.bodies.size > 0) continue;
      expect(said.ends(), `failing call ${failing}`).toEqual(['native internal']);
      expect(world.flights.list(SCOPE)).toEqual([]);
      expect(world.streams.count()).toBe(0);
    }
  });

  const cases: readonly [string, string, (world: FakeWorld) => Parameters<typeof pageOpen>][] = [
    [
      'a companion known to be gone',
      'companion-off',
      (world) => {
        world.link.known = true;
        world.link.connected = false;
        return [talk(QUESTION)];
      },
    ],
    [
      'a companion not found in time',
      'companion-off',
      (world) => {
        world.link.connected = false;
        return [talk(QUESTION)];
      },
    ],
    [
      'a site that is off',
      'not-enabled',
      (world) => {
        world.facts = null;
        return [talk(QUESTION)];
      },
    ],
    [
      'an upstream learned to need the browser',
      'learned-bypass',
      (world) => {
        world.facts = { upstreams: [], succeeded: [], bypass: [{ origin: UPSTREAM }] };
        return [talk(QUESTION)];
      },
    ],
    [
      'a loopback upstream nobody approved',
      'upstream-not-approved',
      () => [talk(QUESTION), { request: { url: 'http://127.0.0.1:11434/v1/chat/completions', method: 'POST', headers: [] } }],
    ],
    ['bytes that are no text', 'not-utf8', () => [[], { body: Uint8Array.of(0x7b, 0xff, 0x7d) }]],
    ['text that is no JSON', 'not-json', () => [[], { body: new TextEncoder().encode('{"messages":') }]],
    [
      'JSON that is no wire',
      'unknown-wire',
      () => [
        [],
        {
          body: new TextEncoder().encode('{"query":"{ me }"}'),
          request: { url: `${UPSTREAM}/graphql`, method: 'POST', headers: [] },
        },
      ],
    ],
    [
      'no message of the person',
      'no-user-turn',
      () => [[{ role: 'assistant', content: 'A long enough assistant message alone.' }]],
    ],
  ];
  it.each(cases)('%s goes native as %s', async (_what, code, arrange) => {
    const world = fakeWorld();
    const said = listen();
    await takeTurn(pageOpen(...arrange(world)), said.answer, world);
    expect(said.ends()).toEqual([`native ${code}`]);
    expect(opens(world)).toEqual([]);
  });

  it("asks for the person's word about a loopback upstream", async () => {
    const world = fakeWorld();
    const request = { url: 'http://127.0.0.1:11434/v1/chat/completions', method: 'POST', headers: [] };
    await takeTurn(pageOpen(talk(QUESTION), { request }), listen().answer, world);
    expect(world.learned).toEqual(['ask http://127.0.0.1:11434']);
  });
});

describe('after the hand-over', () => {
  const taken = async (world = fakeWorld()) => {
    const said = listen();
    const steering = await takeTurn(pageOpen(talk(QUESTION)), said.answer, world);
    return { world, said, steering, stream: opens(world)[0]?.stream as number };
  };

  it('a refusal, or a loss before dispatch, is native', async () => {
    const one = await taken();
    one.world.streams.frame(frames.refused(one.stream));
    expect(one.said.ends()).toEqual(['native companion-refused:nope']);
    const two = await taken();
    two.world.streams.lost();
    expect(two.said.ends()).toEqual(['native companion-off']);
  });

  it('the companion lost behind dispatch is native once and counted', async () => {
    const world = fakeWorld();
    const { open } = await complete(world, talk(QUESTION));
    const said = listen();
    await takeTurn(pageOpen(talk(QUESTION, 'An answer.', 'And for two weeks, what changes?')), said.answer, world);
    world.streams.frame(frames.dispatched(opens(world)[1]?.stream as number));
    world.streams.lost();
    await settle();
    expect(said.ends()).toEqual(['native resent']);
    const record = await world.ledger.load(SCOPE, open.session as never);
    expect(record?.stats.possibleDoubleBills).toBe(1);
  });

  it('without resending, or after the head, the loss is an honest error', async () => {
    const careful = fakeWorld();
    careful.resend = true;
    // The site's own word outranks the general one.
    careful.facts = { upstreams: [], succeeded: [], bypass: [], resend: false };
    const one = await taken(careful);
    one.world.streams.frame(frames.dispatched(one.stream));
    one.world.streams.lost();
    expect(one.said.ends()).toEqual(['error']);
    const two = await taken();
    for (const frame of [frames.dispatched(two.stream), frames.head(two.stream)]) two.world.streams.frame(frame);
    two.world.streams.lost();
    expect(two.said.ends()).toEqual(['error']);
  });

  it('a provider that breaks behind dispatch is never asked again', async () => {
    const { world, said, stream } = await taken();
    world.streams.frame(frames.dispatched(stream));
    world.streams.frame(frames.error(stream, 'upstream'));
    expect(said.ends()).toEqual(['error']);
  });

  it.each([401, 403, 407])('a %i from an upstream that never answered us is left to the page', async (status) => {
    const { world, said, stream } = await taken();
    world.streams.frame(frames.dispatched(stream));
    world.streams.frame(frames.head(stream, status));
    expect(said.ends()).toEqual(['native auth-retry']);
    expect(said.messages.some((message) => message.t === 'head')).toBe(false);
    expect(world.link.sent.at(-1)).toEqual({ t: 'turn.abort', stream });
  });

  it.each([
    [200, [UPSTREAM]],
    [299, [UPSTREAM]],
    [304, []],
    [404, []],
    [429, []],
    [500, []],
  ])('a %i counts as success: %j', async (status, learned) => {
    const { world, stream } = await taken();
    world.streams.frame(frames.dispatched(stream));
    world.streams.frame(frames.head(stream, status));
    expect(world.learned).toEqual(learned);
  });

  it('the same status from an upstream that did is the answer', async () => {
    const world = fakeWorld();
    world.facts = { upstreams: [], succeeded: [UPSTREAM], bypass: [] };
    const { said, stream } = await taken(world);
    world.streams.frame(frames.dispatched(stream));
    world.streams.frame(frames.head(stream, 401));
    world.streams.frame(frames.end(stream, 'error'));
    expect(said.ends()).toEqual(['end']);
  });

  it('every order of events settles the page exactly once, and nothing follows', async () => {
    const event = fc.constantFrom(
      'dispatched',
      'head',
      'denied',
      'chunk',
      'end',
      'broken',
      'upstream',
      'companion',
      'refused',
      'resync',
      'lost',
      'abort',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 12 }), fc.boolean(), async (events, resend) => {
        const world = fakeWorld();
        world.resend = resend;
        const { said, steering, stream } = await taken(world);
        let aborted = false;
        for (const name of [...events, 'lost']) {
          const before = said.answer.settled();
          const count = said.messages.length;
          if (name === 'dispatched') world.streams.frame(frames.dispatched(stream));
          else if (name === 'head') world.streams.frame(frames.head(stream));
          else if (name === 'denied') world.streams.frame(frames.head(stream, 403));
          else if (name === 'chunk') world.streams.bytes({ kind: 3, stream, payload: Uint8Array.of(1) });
          else if (name === 'end') world.streams.frame(frames.end(stream));
          else if (name === 'broken') world.streams.frame(frames.end(stream, 'incomplete'));
          else if (name === 'upstream' || name === 'companion') world.streams.frame(frames.error(stream, name));
          else if (name === 'refused') world.streams.frame(frames.refused(stream));
          else if (name === 'resync') world.streams.frame(frames.resync(stream));
          else if (name === 'lost') world.streams.lost();
          else {
            aborted ||= !before;
            steering?.abort();
          }
          if (before) expect(said.messages.length).toBe(count);
        }
        await settle();
        expect(said.ends().length).toBe(aborted ? 0 : 1);
        const kinds = said.messages.map((message) => message.t);
        if (kinds.includes('native')) expect(kinds).not.toContain('head');
        expect(world.streams.count()).toBe(0);
        expect(world.flights.list(SCOPE)).toEqual([]);
        expect(world.live.list()).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('chunks keep their bounds, and the first does not wait', async () => {
    const { world, said, stream } = await taken();
    for (const frame of [frames.dispatched(stream), frames.head(stream)]) world.streams.frame(frame);
    for (let at = 0; at < 5; at += 1) world.streams.bytes({ kind: 3, stream, payload: Uint8Array.of(at, at) });
    expect(said.messages.flatMap((message) => (message.t === 'chunks' ? message.chunks : []))).toEqual([Uint8Array.of(0, 0)]);
    world.streams.frame(frames.end(stream));
    const chunks = said.messages.flatMap((message) => (message.t === 'chunks' ? message.chunks : []));
    expect(chunks).toEqual([0, 1, 2, 3, 4].map((at) => Uint8Array.of(at, at)));
    expect(said.ends()).toEqual(['end']);
  });
});

describe('a page that leaves its answer', () => {
  const left = async (world = fakeWorld()) => {
    const said = listen();
    const steering = await takeTurn(pageOpen(talk(QUESTION)), said.answer, world);
    const open = opens(world)[0] as TurnOpen;
    for (const frame of [frames.dispatched(open.stream), frames.head(open.stream)]) world.streams.frame(frame);
    steering?.abort();
    steering?.abort();
    expect(world.link.sent.filter((frame) => frame.t === 'turn.abort')).toEqual([{ t: 'turn.abort', stream: open.stream }]);
    expect(world.live.list()).toEqual([]);
    return { world, said, open };
  };

  it('after its last event has had the turn: it is stored, and the page hears nothing more', async () => {
    const { world, said, open } = await left();
    world.streams.frame(frames.end(open.stream));
    await settle();
    expect((await world.ledger.load(SCOPE, open.session as never))?.rev).toBe(1);
    expect(said.ends()).toEqual([]);
    expect([world.streams.count(), world.flights.count()]).toEqual([0, 0]);
  });

  it('before its end has had none', async () => {
    const { world, said, open } = await left();
    world.streams.frame(frames.end(open.stream, 'aborted'));
    await settle();
    expect(await world.ledger.load(SCOPE, open.session as never)).toBeNull();
    expect(said.ends()).toEqual([]);
    expect([world.streams.count(), world.flights.count()]).toEqual([0, 0]);
  });

  it('and asks on at once is found at the new head', async () => {
    const { world, open } = await left();
    const next = takeTurn(pageOpen(talk(QUESTION, 'Wool.', 'How much wool exactly?')), listen(2).answer, world);
    await settle();
    world.streams.frame(frames.end(open.stream));
    await next;
    expect(opens(world)[1]).toMatchObject({ session: open.session, rev: 1 });
  });

  it('holds up nothing when the companion says nothing about it', async () => {
    const { world, open } = await left();
    const said = listen(2);
    await takeTurn(pageOpen(talk('Something else entirely: which shoes?')), said.answer, world);
    expect(opens(world)[1]?.session).not.toBe(open.session);
    await until(() => world.flights.count() === 1);
    expect(world.streams.count()).toBe(1);
    // Too late: the stream is closed.
    world.streams.frame(frames.end(open.stream));
    await settle();
    expect(await world.ledger.load(SCOPE, open.session as never)).toBeNull();
  });

  it('and a companion lost afterwards bills nobody twice', async () => {
    const { world, said } = await left();
    world.streams.lost();
    await settle();
    expect(said.ends()).toEqual([]);
    expect(world.flights.count()).toBe(0);
  });
});

describe('sessions of a page', () => {
  it('a complete answer moves the head; any other leaves everything as it was', async () => {
    const world = fakeWorld();
    const { open } = await complete(world, talk(QUESTION));
    const born = await world.ledger.load(SCOPE, open.session as never);
    expect(born).toMatchObject({ rev: 1, site: SITE, heads: { 2: { depth: 1 } } });
    const said = listen();
    await takeTurn(pageOpen(talk(QUESTION, 'Wool.', 'How much wool exactly?')), said.answer, world);
    const stream = opens(world)[1]?.stream as number;
    for (const frame of [frames.dispatched(stream), frames.head(stream), frames.end(stream, 'incomplete')])
      world.streams.frame(frame);
    await settle();
    expect(await world.ledger.load(SCOPE, open.session as never)).toEqual(born);
    const next = await complete(world, talk(QUESTION, 'Wool.', 'How much wool exactly?'));
    expect(next.open).toMatchObject({ session: open.session, rev: 1, resolution: { via: 'prefix', depth: 1, incoming: 3 } });
    expect((await world.ledger.load(SCOPE, open.session as never))?.rev).toBe(2);
  });

  it('stores the same with and without the ledger in memory, also after a pin', async () => {
    const [warm, cold] = [fakeWorld(), fakeWorld()];
    cold.warm.get = () => null;
    const reads = vi.spyOn(warm.ledger, 'rows');
    const lines = [
      QUESTION,
      'Wool.',
      'How much wool exactly?',
      'Two kilos.',
      'And shoes?',
      'Boots.',
      'Thanks, and which ones?',
    ];
    const snapshots = await Promise.all(
      [warm, cold].map(async (world) => {
        let session = '';
        for (const turns of [1, 3, 5]) session = (await complete(world, talk(...lines.slice(0, turns)))).open.session;
        if (world === warm) expect(reads).toHaveBeenCalledTimes(1);
        const record = (await world.ledger.load(SCOPE, session as never)) as SessionRecord;
        const [row] = await world.ledger.rowsAt(SCOPE, session as never, [0]);
        await world.ledger.commit(pinRow(record, row as never, true, [], 7_000));
        await complete(world, talk(...lines));
        return world.ledger.snapshot(SCOPE, session as never);
      }),
    );
    expect(reads).toHaveBeenCalledTimes(2);
    expect(snapshots[0]?.record.rev).toBe(5);
    expect(snapshots[0]?.rows).toHaveLength(7);
    expect(snapshots[0]?.rows[0]?.pinned).toBe(true);
    expect(snapshots[0]).toEqual(snapshots[1]);
  });

  it('says what our copy of the session looks like, folds included, and nothing for a birth', async () => {
    const world = fakeWorld();
    const { open } = await complete(world, talk(QUESTION));
    expect(open).not.toHaveProperty('print');
    const { open: next } = await complete(world, talk(QUESTION, 'Wool.', 'How much wool exactly?'));
    const session = open.session as never;
    expect(next.rev).toBe(1);
    const record = await world.ledger.load(SCOPE, session);
    expect(record?.rev).toBe(2);
    const { open: last } = await complete(world, talk(QUESTION, 'Wool.', 'How much wool exactly?', 'Two kilos.', 'And shoes?'));
    expect(last.print).toBe(fingerprint(record as SessionRecord, await world.ledger.blocks(SCOPE, session), sha256));
    expect(last.print).not.toBe(next.print);
  });

  it('names the local upstreams that the person approved for this site', async () => {
    const world = fakeWorld();
    world.facts = { upstreams: ['http://127.0.0.1:11434'], succeeded: [], bypass: [] };
    expect((await complete(world, talk(QUESTION))).open.approved).toEqual(['http://127.0.0.1:11434']);
    expect((await complete(fakeWorld(), talk(QUESTION))).open).not.toHaveProperty('approved');
  });

  it('two requests under way that extend one head differently get two sessions', async () => {
    const world = fakeWorld();
    const { open } = await complete(world, talk(QUESTION));
    const answers = [listen(1), listen(2)];
    await Promise.all([
      takeTurn(pageOpen(talk(QUESTION, 'Wool.', 'How much wool exactly?')), answers[0]?.answer as never, world),
      takeTurn(pageOpen(talk(QUESTION, 'Wool.', 'Why not cotton, though?')), answers[1]?.answer as never, world),
    ]);
    const sessions = opens(world)
      .slice(1)
      .map((frame) => frame.session);
    expect(new Set(sessions).size).toBe(2);
    expect(sessions).toContain(open.session);
  });

  it('the next request sends only its new tail, and all of it when the companion lost the base', async () => {
    const world = fakeWorld();
    const long = 'A long answer about wool, repeated. '.repeat(60);
    const first = pageOpen(talk(QUESTION, long, 'And how much of it in all?'));
    await complete(world, talk(QUESTION, long, 'And how much of it in all?'));
    const second = pageOpen(talk(QUESTION, long, 'And how much of it in all?', 'Two kilos.', 'Thanks, and shoes?'));
    await complete(world, talk(QUESTION, long, 'And how much of it in all?', 'Two kilos.', 'Thanks, and shoes?'));
    const open = opens(world)[1] as TurnOpen;
    const [middle] = world.link.bodies.get(open.stream) ?? [];
    expect(middle?.length).toBeLessThan(200);
    const base = open.base as NonNullable<TurnOpen['base']>;
    expect(applyDelta(first.body, base.prefix, base.suffix, middle as Uint8Array)).toEqual(second.body);

    const third = pageOpen(
      talk(QUESTION, long, 'And how much of it in all?', 'Two kilos.', 'Thanks, and shoes?', 'Yes.', 'Which ones then?'),
    );
    await takeTurn(third, listen().answer, world);
    const last = opens(world)[2] as TurnOpen;
    world.streams.frame(frames.resync(last.stream));
    expect(world.link.bodies.get(last.stream)?.[1]).toEqual(third.body);
  });

  it('the page that hears the end finds its next request at the new head', async () => {
    const world = fakeWorld();
    const said = listen();
    await takeTurn(pageOpen(talk(QUESTION)), said.answer, world);
    const stream = opens(world)[0]?.stream as number;
    for (const frame of [frames.dispatched(stream), frames.head(stream), frames.end(stream)]) world.streams.frame(frame);
    // No waiting: an agent answers at once.
    await takeTurn(pageOpen(talk(QUESTION, 'Wool.', 'How much wool exactly?')), listen(2).answer, world);
    expect(opens(world)[1]).toMatchObject({ session: opens(world)[0]?.session, rev: 1 });
  });
});
