import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionId } from '#base/brand';
import type { Resolution } from '#chain/resolution';
import { createMemoryStore } from '#session/memory-store';
import { dialogue } from '../arbitrary/exchange.ts';
import { commitOf, recordOf, SCOPE } from '../arbitrary/records.ts';
import { createWorld, page, type Started } from '../arbitrary/world.ts';

/** What a person does with a client: each step makes one request out of the client's own history. */
type Step =
  | {
      readonly kind: 'say' | 'edit' | 'open';
      readonly client: number;
      readonly words: number;
      readonly answer: number;
      readonly at: number;
    }
  | { readonly kind: 'again'; readonly client: number };

const WORDS = ['hi there', 'go on', 'why?'];
const ANSWERS = ['Hello! How can I help?', 'Fine.'];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('say' as const, 'say' as const, 'say' as const, 'edit' as const, 'open' as const),
      client: fc.nat(2),
      words: fc.nat(WORDS.length - 1),
      answer: fc.nat(ANSWERS.length - 1),
      at: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), client: fc.nat(2) }) },
);
const script = fc.array(step, { minLength: 1, maxLength: 16 });

/** The lines of the client's next request. Odd lines are answers. */
function played(history: readonly string[], move: Step): string[] {
  if (move.kind === 'again' && history.length > 0) return [...history];
  if (move.kind === 'again') return ['hi there'];
  const words = WORDS[move.words] as string;
  const answer = ANSWERS[move.answer] as string;
  if (move.kind === 'open' || history.length === 0) return [words];
  if (move.kind === 'edit') {
    const kept = history.slice(0, (move.at % ((history.length + 1) / 2)) * 2);
    return [...kept, words];
  }
  return [...history, answer, words];
}

const isPrefix = (head: readonly string[], lines: readonly string[]): boolean =>
  head.length <= lines.length && head.every((line, index) => lines[index] === line);
const sharedRun = (a: readonly string[], b: readonly string[]): number => {
  const differs = a.findIndex((line, index) => b[index] !== line);
  return differs < 0 ? a.length : differs;
};

interface Asked {
  readonly client: number;
  readonly lines: readonly string[];
  readonly resolution: Resolution;
}

/** Plays a script one request at a time; `pages`: each client is a page of its own. */
async function play(steps: readonly Step[], settings: { pages: boolean; withLineage?: boolean }): Promise<Asked[]> {
  const world = createWorld({ withLineage: settings.withLineage ?? true });
  const histories: string[][] = [[], [], []];
  const asked: Asked[] = [];
  for (const move of steps) {
    const lines = played(histories[move.client] ?? [], move);
    histories[move.client] = lines;
    const options = settings.pages ? { signal: page(`d${move.client}`) } : {};
    asked.push({ client: move.client, lines, resolution: await world.ask(dialogue(...lines), options) });
  }
  return asked;
}

/** Heads of all sessions before each request, from the outside: the last request that each session took. */
function headsBefore(asked: readonly Asked[], index: number): Map<SessionId, Asked> {
  const heads = new Map<SessionId, Asked>();
  for (const one of asked.slice(0, index)) if (one.resolution.session !== null) heads.set(one.resolution.session, one);
  return heads;
}

describe('whatever people do', () => {
  it('a session is attached only by its full head, and by the deepest one', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const asked = await play(steps, { pages: false });
        for (const [index, { lines, resolution }] of asked.entries()) {
          const heads = headsBefore(asked, index);
          const fitting = [...heads].filter(([, head]) => isPrefix(head.lines, lines));
          const deepest = Math.max(0, ...fitting.map(([, head]) => head.lines.length));
          expect(resolution.via).toBe(fitting.length > 0 ? 'prefix' : 'new');
          expect(resolution.depth).toBe(deepest);
          if (resolution.via === 'new') expect(heads.has(resolution.session as SessionId)).toBe(false);
          else expect(heads.get(resolution.session as SessionId)?.lines.length).toBe(deepest);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([false, true])('conversations that differ never share a session again (pages: %s)', async (pages) => {
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const asked = await play(steps, { pages });
        for (const [index, later] of asked.entries()) {
          for (const earlier of asked.slice(0, index)) {
            if (earlier.resolution.session !== later.resolution.session) continue;
            expect(isPrefix(earlier.lines, later.lines)).toBe(true);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('a fork names a parent that showed the shared run, and no known path shares more', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const asked = await play(steps, { pages: false });
        for (const [index, { lines, resolution }] of asked.entries()) {
          if (resolution.via !== 'new') continue;
          const before = asked.slice(0, index);
          const longest = Math.max(0, ...before.map((one) => sharedRun(lines, one.lines)));
          expect(resolution.reason.next?.differsAt ?? 0).toBe(longest);
          expect(resolution.lineage?.shared ?? 0).toBe(longest >= 3 ? longest : 0);
          for (const parent of resolution.lineage?.parents ?? []) {
            const shown = before.filter((one) => one.resolution.session === parent);
            expect(shown.some((one) => sharedRun(lines, one.lines) === longest)).toBe(true);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('in pages, too, a parent showed all that is said to be shared', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const asked = await play(steps, { pages: true });
        for (const [index, { lines, resolution }] of asked.entries()) {
          const { lineage } = resolution;
          for (const parent of lineage?.parents ?? []) {
            const shown = asked.slice(0, index).filter((one) => one.resolution.session === parent);
            expect(shown.some((one) => sharedRun(lines, one.lines) >= (lineage?.shared ?? 0))).toBe(true);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('removing lineage changes no resolution', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.boolean(), async (steps, pages) => {
        const bare = (asked: readonly Asked[]) => asked.map((one) => ({ ...one.resolution, lineage: null }));
        const [kept, removed] = [await play(steps, { pages }), await play(steps, { pages, withLineage: false })];
        expect(bare(removed)).toEqual(bare(kept));
      }),
      { numRuns: 500 },
    );
  });

  it('an opening is never shared between pages', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const asked = await play(steps, { pages: true });
        for (const [index, later] of asked.entries()) {
          if (later.lines.length > 1) continue;
          const owner = asked.slice(0, index).findLast((one) => one.resolution.session === later.resolution.session);
          expect(owner?.client ?? later.client).toBe(later.client);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('requests that overlap, finish in any order or fail never mix two branches in one session', async () => {
    const ends = fc.constantFrom('complete' as const, 'fail' as const, 'wait' as const);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, ends, fc.nat(3)), { minLength: 2, maxLength: 14 }),
        fc.boolean(),
        async (moves, pages) => {
          const world = createWorld();
          const histories: string[][] = [[], [], []];
          const live: { lines: string[]; started: Started }[] = [];
          const shown: { lines: string[]; session: SessionId }[] = [];
          for (const [move, end, pick] of moves) {
            const lines = played(histories[move.client] ?? [], move);
            histories[move.client] = lines;
            const started = await world.start(dialogue(...lines), pages ? { signal: page(`d${move.client}`) } : {});
            const session = started.resolution.session as SessionId;
            // All that the session has shown or is being asked must open this request.
            const others = [...shown, ...live.map((one) => ({ lines: one.lines, session: one.started.resolution.session }))];
            for (const other of others) if (other.session === session) expect(isPrefix(other.lines, lines)).toBe(true);
            live.push({ lines, started });
            if (end === 'wait') continue;
            const [ended] = live.splice(pick % live.length, 1);
            if (ended === undefined) continue;
            if (end === 'fail') ended.started.fail();
            else {
              const stored = await world.store.load(SCOPE, ended.started.resolution.session as SessionId);
              // A request that ends after its own continuation moves nothing back.
              if ((stored?.heads[2].depth ?? 0) > ended.lines.length) ended.started.fail();
              else await ended.started.complete();
              shown.push({ lines: ended.lines, session: ended.started.resolution.session as SessionId });
            }
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('a store that answers wrongly makes no match', async () => {
    const memory = createMemoryStore();
    const world = createWorld({ store: memory });
    await world.ask(dialogue('hi there', 'Hello!', 'a'));
    const other = (await world.start(dialogue('something else', 'Yes?', 'b'))).chains;
    await memory.commit(commitOf(recordOf('liar', other), other));
    const record = await memory.load(SCOPE, 'liar' as SessionId);
    if (record === null) throw new Error('the record is gone');
    const lying = {
      ...memory,
      heads: async (_: unknown, domain: 2 | 3, links: readonly never[]) => links.map((link) => ({ domain, link, record })),
    };
    expect((await createWorld({ store: lying }).ask(dialogue('hi there', 'Hello!', 'b'))).via).toBe('new');
  });
});
