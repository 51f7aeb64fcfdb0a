/** What panels get: originals byte for byte, exports that hold everything, a family tree that ends. */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { hiddenBy } from '@throughline/shared/fold/unfold';
import type { TurnOpen } from '@throughline/shared/protocol/frames';
import { acceptBlock, foldFailed, setMode } from '@throughline/shared/session/operations';
import type { ExportFile } from '@throughline/shared/session/portable';
import type { SessionRecord } from '@throughline/shared/session/records';
import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, describe, expect, it } from 'vitest';
import { blockDetail, sessionDetail } from '../../src/background/panel/detail.ts';
import { exportSessions } from '../../src/background/panel/export.ts';
import { lineageTree, messageLines } from '../../src/background/panel/lines.ts';
import { takeTurn } from '../../src/background/turns.ts';
import { expired } from '../../src/background/wake.ts';
import { openDexieStore } from '../../src/ledger/dexie-store.ts';
import { fakeWorld, frames, listen, pageOpen, SCOPE, talk, until } from './fakes.ts';

beforeEach(() => {
  Dexie.dependencies.indexedDB = new IDBFactory();
  Dexie.dependencies.IDBKeyRange = IDBKeyRange;
});

/** A stored session of five messages whose first two are folded. The first holds spaces and an escape that JSON would lose. */
async function folded() {
  const store = await openDexieStore('panel', () => 'one');
  const world = fakeWorld(store);
  const odd = String.raw`{ "role":"user",  "content":"What \u00fc should I pack for a week in Bergen? 1.0" }`;
  const rest = talk('.', 'Wool, mostly. '.repeat(30), 'How much of it, then?', 'Two kilos.', 'And which shoes?').slice(1);
  const body = new TextEncoder().encode(
    `{"model":"demo-1","messages":[${[odd, ...rest.map((one) => JSON.stringify(one))].join(',')}]}`,
  );
  await takeTurn(pageOpen([], { body }), listen().answer, world);
  const open = world.link.sent[0] as TurnOpen;
  for (const frame of [frames.dispatched(open.stream), frames.head(open.stream), frames.end(open.stream)])
    world.streams.frame(frame);
  const session = open.session as SessionId;
  await until(() => store.load(SCOPE, session));
  const record = (await store.load(SCOPE, session)) as SessionRecord;
  const rows = (await store.rows(SCOPE, session)).slice(0, 2);
  const ids = rows.flatMap((row) => row.cores.map((core) => core.id));
  const refs = rows.flatMap((row) => row.cores.map((core) => core.ref));
  const change = acceptBlock(
    record,
    [],
    {
      block: {
        blockId: 'b1' as never,
        runId: 'r1',
        tier: 1,
        topic: 'packing',
        summary: 'Wool for Bergen.',
        directIds: ids,
        effectiveIds: ids,
        directBlockIds: [],
        refs: [refs[0], refs.at(-1)] as never,
        seqs: rows.map((row) => row.seq),
        tokensBefore: 200,
        tokensAfter: 20,
        createdAt: 1,
        state: 'folded',
        rev: 0,
        author: 'model',
      },
      consumes: [],
      cost: 1,
    },
    9_000,
  );
  if ('dropped' in change) throw new Error(change.dropped);
  await store.commit(change);
  return { store, session, odd, held: { store, scope: SCOPE } };
}

describe('originals', () => {
  it('open byte for byte, verified against what was recorded', async () => {
    const { held, session, odd } = await folded();
    const block = await blockDetail(held, session, 'b1');
    expect(block?.originals[0]).toMatchObject({
      raw: odd,
      role: 'user',
      text: 'What ü should I pack for a week in Bergen? 1.0',
    });
    expect(block?.originals).toHaveLength(2);
    expect(block?.verified).toBe(true);
    expect(block?.label).toMatch(/^\[Earlier conversation, folded: b1 · m\d{5}-m\d{5} · tier 1\]$/);
  });

  it('that were changed or lost are not called verified', async () => {
    const { held, session, store } = await folded();
    for (const raw of ['', '{"role":"user","content":"Something else."}']) {
      const tampered = {
        ...held,
        store: {
          ...store,
          rowsAt: async (...asked: Parameters<typeof store.rowsAt>) =>
            (await store.rowsAt(...asked)).map((row) => ({ ...row, raw })),
        },
      };
      expect((await blockDetail(tampered, session, 'b1'))?.verified).toBe(false);
    }
  });

  it('say which block hides them', async () => {
    const { store, session } = await folded();
    const lines = messageLines(await store.rows(SCOPE, session), await store.blocks(SCOPE, session));
    expect(lines.map((line) => line.block)).toEqual(['b1', 'b1', null, null, null]);
    const opened = (await store.blocks(SCOPE, session)).map((block) => ({ ...block, state: 'expanded' as const }));
    expect(hiddenBy(opened).size).toBe(0);
  });
});

describe('a session', () => {
  const panelWorld = { flights: { has: () => false } } as never;

  it('says why the last fold failed and how many turns are waited', async () => {
    const { held, store, session } = await folded();
    expect(await sessionDetail(held, session, panelWorld)).toMatchObject({ paused: null });
    for (const code of ['too-short', 'http-529']) {
      await store.commit(foldFailed((await store.load(SCOPE, session)) as SessionRecord, code, 10_000));
    }
    expect(await sessionDetail(held, session, panelWorld)).toMatchObject({
      paused: 'backing-off',
      retry: { code: 'http-529', turns: 2 },
    });
  });

  it('whose folding the person switched off says that and promises no retry', async () => {
    const { held, store, session } = await folded();
    await store.commit(foldFailed((await store.load(SCOPE, session)) as SessionRecord, 'echo', 10_000));
    await store.commit(setMode((await store.load(SCOPE, session)) as SessionRecord, 'off', 10_001));
    const detail = await sessionDetail(held, session, panelWorld);
    expect(detail?.paused).toBe('folding-off');
    expect(detail).not.toHaveProperty('retry');
  });
});

describe('an export', () => {
  it('brings a whole session into an empty store', async () => {
    const { held, store, session } = await folded();
    const made = await exportSessions(held, null, 'json', 10_000);
    const file = JSON.parse(made?.text ?? '') as ExportFile;
    expect(file).toMatchObject({ format: 'throughline-export', version: 1 });
    const [first] = file.sessions;
    expect(first?.events).toHaveLength(2);
    const other = await openDexieStore('other', () => 'two');
    await other.restore(first as never);
    expect(await other.snapshot(SCOPE, session)).toEqual(await store.snapshot(SCOPE, session));
  });

  it('reads well as Markdown, and an unknown session is none', async () => {
    const { held, session, odd } = await folded();
    const text = (await exportSessions(held, session, 'markdown', 10_000))?.text ?? '';
    expect(text).toContain('Wool for Bergen.');
    expect(text).toContain('(folded into b1)');
    expect(text).not.toContain(odd);
    expect(await exportSessions(held, 'nobody', 'json', 10_000)).toBeNull();
  });
});

describe('a family', () => {
  const record = (session: string, parents: readonly string[], createdAt: number) =>
    ({
      session,
      title: session,
      nextSeq: 1,
      nextBlock: 1,
      createdAt,
      usedAt: createdAt,
      lineage: parents.length === 0 ? null : { kind: 'forked', parents, shared: 3 },
    }) as unknown as SessionRecord;

  it('is shown whole from any of its members, parents before children', () => {
    const all = [record('d', ['b'], 4), record('c', ['a'], 3), record('b', ['a'], 2), record('a', [], 1), record('x', [], 5)];
    for (const from of ['a', 'b', 'c', 'd']) {
      expect(lineageTree(all, from).map((node) => [node.session, node.current])).toEqual(
        ['a', 'b', 'd', 'c'].map((session) => [session, session === from]),
      );
    }
  });

  it('ends, even when the records run in a circle or a parent is gone', () => {
    const circle = [record('a', ['b'], 1), record('b', ['a'], 2)];
    expect(
      lineageTree(circle, 'a')
        .map((node) => node.session)
        .sort(),
    ).toEqual(['a', 'b']);
    expect(lineageTree([record('a', ['gone'], 1)], 'a')).toMatchObject([{ session: 'a', parent: null }]);
    expect(lineageTree([], 'a')).toEqual([]);
  });

  it('loses members by age only, and none used within a week', () => {
    const day = 24 * 60 * 60 * 1000;
    const all = [record('old', [], 0), record('recent', [], 95 * day)];
    expect(expired(all, 30, 100 * day)).toEqual(['old']);
    expect(expired(all, 0, 100 * day)).toEqual(['old']);
    expect(expired(all, 365, 100 * day)).toEqual([]);
  });
});

it('sessions of another scope are not reachable through a panel', async () => {
  const { store, session } = await folded();
  const foreign = { store, scope: 'scope-other' as ScopeId };
  expect(await blockDetail(foreign, session, 'b1')).toBeNull();
  expect(await exportSessions(foreign, session, 'json', 1)).toBeNull();
});
