/** Forgetting and taking in: nothing of a forgotten text is left, nothing forgotten comes back under its name, and no act is done by half. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { createMemoryStore } from '@throughline/shared/session/memory-store';
import { jsonPieces, type PortableSession } from '@throughline/shared/session/portable';
import type { SessionStore } from '@throughline/shared/session/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACT_FILE, askFor } from '../src/acts/asked.ts';
import { perform } from '../src/acts/perform.ts';
import type { TakenIn } from '../src/acts/take-in.ts';
import type { Act, ActWorld } from '../src/acts/world.ts';
import { type DataFiles, dataFiles, makePrivateDirectory } from '../src/files.ts';
import { openDatabase } from '../src/store/open.ts';
import { createSqliteStore } from '../src/store/sqlite.ts';
import type { Wired } from './support/browser.ts';
import { createOwner } from './support/owner.ts';
import { blockFor, commitFor } from './support/records.ts';
import { startUpstream } from './support/upstream.ts';
import { startWorld, temporaryDirectory, type World } from './support/world.ts';

const A = 'scope-a' as ScopeId;
const B = 'scope-b' as ScopeId;
const id = (session: string): SessionId => session as SessionId;

const wholeOf = async (store: SessionStore, scope: ScopeId): Promise<PortableSession[]> => {
  const sessions: PortableSession[] = [];
  for (const { session } of await store.list({ scope })) {
    const snapshot = await store.snapshot(scope, session);
    if (snapshot) sessions.push({ ...snapshot, events: await store.events(scope, session, 10_000) });
  }
  return sessions;
};
const textOf = (sessions: readonly PortableSession[]): string => [...jsonPieces(sessions, [], 5)].join('');

describe.each(['SQLite', 'memory'])('acts on a %s store', (kind) => {
  let files: DataFiles;
  let store: SessionStore;
  let world: ActWorld;
  let told: string[];
  const open = (): SessionStore =>
    kind === 'memory' ? createMemoryStore() : createSqliteStore(openDatabase(files.database, () => 0).database);
  beforeEach(async () => {
    files = dataFiles(join(temporaryDirectory(), 'data'));
    makePrivateDirectory(files.directory);
    store = open();
    told = [];
    world = {
      ...{ files, store, scopes: () => [A, B], retentionDays: 36_500, now: () => 1_000 },
      forget: store.forget,
      taken: async (sessions) => void told.push(...sessions.map((one) => one.record.session)),
    };
    const first = commitFor('one', 1, 'the first words of 河流');
    await store.commit({ ...first, blocks: [blockFor(1, [0])], record: { ...first.record, nextBlock: 2 } });
    const second = commitFor('one', 2, 'and some more');
    await store.commit({ ...second, record: { ...second.record, nextBlock: 2, nextSeq: 2, nextRef: 3 } });
    const lineage = { kind: 'forked', parents: [id('one')], shared: 1 } as const;
    await store.commit(commitFor('two', 1, 'another talk', { site: 'https://other.example', lineage }));
    await store.commit(commitFor('three', 1, 'of another browser', { scope: B }));
  });
  afterEach(() => store.close());
  const file = (text: string): string => {
    const path = join(files.directory, 'export.json');
    writeFileSync(path, text);
    return path;
  };
  const take = (text: string, over: { again?: boolean; into?: string } = {}): Promise<TakenIn> =>
    perform(
      { act: 'import', path: file(text), again: over.again ?? false, into: over.into ?? null },
      world,
    ) as Promise<TakenIn>;
  const forget = (what: object): Promise<unknown> => perform({ act: 'forget', ...what } as Act, world);

  it('an export taken in by another data directory is exported as the same bytes', async () => {
    const text = textOf(await wholeOf(store, A));
    await store.close();
    files = dataFiles(join(temporaryDirectory(), 'data'));
    makePrivateDirectory(files.directory);
    store = open();
    world = { ...world, files, store, forget: store.forget };
    expect(await take(text)).toMatchObject({ taken: 2, known: 0, renamed: 0 });
    expect(textOf(await wholeOf(store, A))).toBe(text);
    expect(told.sort()).toEqual(['one', 'two']);
  });

  it('taking in twice is taking in once, and changes nothing that is here', async () => {
    const text = textOf(await wholeOf(store, A));
    const newer = commitFor('one', 3, 'newer');
    await store.commit({ ...newer, record: { ...newer.record, nextBlock: 2, nextSeq: 3, nextRef: 4 } });
    const before = textOf(await wholeOf(store, A));
    expect(await take(text)).toMatchObject({ taken: 0, known: 2 });
    expect(textOf(await wholeOf(store, A))).toBe(before);
  });

  it('what was forgotten does not come back: the whole file is refused', async () => {
    const text = textOf(await wholeOf(store, A));
    await forget({ what: 'session', scope: A, session: 'two' });
    await expect(take(text)).rejects.toMatchObject({ code: 'forgotten' });
    await forget({ what: 'session', scope: A, session: 'one' });
    await expect(take(text)).rejects.toMatchObject({ code: 'forgotten' });
    expect(await store.list({ scope: A })).toEqual([]);
  });

  it.each([[{ what: 'site', site: 'https://chat.example' }], [{ what: 'all', site: null }]])(
    'nor after %j; asked for again it is the same conversation under a new id, once',
    async (what) => {
      const whole = await wholeOf(store, A);
      const text = textOf(whole);
      await forget(what);
      await expect(take(text)).rejects.toMatchObject({ code: 'forgotten' });
      const gone = whole.filter((one) => what.what === 'all' || one.record.site === what.site);
      expect(await take(text, { again: true })).toMatchObject({ taken: gone.length, renamed: gone.length });
      const back = await wholeOf(store, A);
      for (const { record, ...rest } of whole) {
        const { session, createdAt, lineage, last, ...same } = record;
        expect(back).toContainEqual({ ...rest, record: expect.objectContaining(same) });
      }
      expect(back.map((one) => one.record.session)).not.toContain('one');
      const names = new Set(back.map((one) => one.record.session as string));
      if (what.what === 'all') {
        const parents = back.flatMap((one) => one.record.lineage?.parents ?? []);
        expect(parents).toHaveLength(1);
        for (const parent of parents) expect(names.has(parent)).toBe(true);
      }
      expect(await take(text, { again: true })).toMatchObject({ taken: 0 });
    },
  );

  it('a site is forgotten in every scope, and nothing else is', async () => {
    expect(await forget({ what: 'site', site: 'https://chat.example' })).toMatchObject({ sessions: 2 });
    expect((await store.list({ scope: A })).map((one) => one.session)).toEqual(['two']);
    expect(await store.list({ scope: B })).toEqual([]);
  });

  it('all forgets damaged files that were kept aside; less points them out', async () => {
    for (const suffix of ['', '-wal']) writeFileSync(`${files.database}.corrupt-2026-01-01${suffix}`, 'words');
    expect(await forget({ what: 'session', scope: A, session: 'one' })).toMatchObject({ asideLeft: 2, asideRemoved: 0 });
    expect(await forget({ what: 'all' })).toMatchObject({ sessions: 2, asideRemoved: 2, asideLeft: 0 });
    expect(readdirSync(files.directory).filter((name) => name.includes('corrupt'))).toEqual([]);
  });

  it('a file from elsewhere goes to the only scope there is, or to the one that is named', async () => {
    const text = textOf(await wholeOf(store, A))
      .replaceAll('"scope-a"', '"scope-x"')
      .replaceAll('"one"', '"uno"');
    await expect(take(text)).rejects.toMatchObject({ code: 'which-scope' });
    await expect(take(text, { into: 'scope-y' })).rejects.toMatchObject({ code: 'unknown-scope' });
    expect(await take(text, { into: B })).toMatchObject({ taken: 2, scopes: [B] });
    world = { ...world, scopes: () => [] };
    await expect(take(text)).rejects.toMatchObject({ code: 'no-scope' });
  });

  it('what is taken in is not removed by age the same day', async () => {
    const now = 1_000 * 24 * 3_600_000;
    world = { ...world, retentionDays: 30, now: () => now };
    await take(
      textOf(await wholeOf(store, A))
        .replaceAll('"one"', '"uno"')
        .replaceAll('"two"', '"due"'),
    );
    expect((await store.load(A, id('uno')))?.usedAt).toBe(now);
  });

  it.each([
    ['{"format":"throughline-export","version":2}', 'import-newer'],
    ['{"format":"throughline-export","version":1}', 'import-broken'],
    ['{}', 'not-an-export'],
    ['', 'not-an-export'],
  ])('%s is refused: %s', async (text, code) => {
    await expect(take(text)).rejects.toMatchObject({ code });
    await expect(perform({ act: 'import', path: '/nowhere/x', again: false, into: null }, world)).rejects.toMatchObject({
      code: 'no-file',
    });
  });
});

describe('acts on a running companion', () => {
  let world: World;
  let line: Wired;
  beforeEach(async () => {
    world = await startWorld();
    line = await world.connect();
  });
  afterEach(() => world.close());
  const ask = async (wanted: Act): Promise<object> => {
    const asking = askFor(world.files, wanted);
    try {
      for (;;) {
        const outcome = asking.answer();
        if (outcome !== null) return outcome;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    } finally {
      asking.end();
    }
  };
  const scope = (): ScopeId => line.scope as ScopeId;
  const heard = (kind: string) => line.frames.filter((frame) => frame.t === kind);
  const exported = (session: string): string => {
    const { event, ...commit } = commitFor(session, 1, 'words', { scope: scope() });
    const path = join(world.files.directory, '..', 'export.json');
    writeFileSync(path, textOf([{ ...commit, events: event ? [event] : [] }]));
    return path;
  };

  it('forget takes the hot copy along, tells the browser, and later turns of that session start anew', async () => {
    const upstream = await startUpstream();
    const owner = createOwner(line.scope);
    owner.serve(line);
    const body = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'a secret that will be forgotten' }] });
    await owner.turn(line, `${upstream.origin}/v1/chat/completions`, body);
    expect(await ask({ act: 'forget', what: 'session', scope: line.scope, session: 'tl-test' })).toMatchObject({ sessions: 1 });
    await line.until(() => heard('forget').length > 0);
    expect(heard('forget')[0]).toMatchObject({ tombstone: { session: 'tl-test' } });
    for (const name of readdirSync(world.files.directory)) {
      expect(readFileSync(join(world.files.directory, name)).includes('a secret that wi'), name).toBe(false);
    }
    const next = body.replace('a secret', 'no secret');
    expect(await owner.turn(line, `${upstream.origin}/v1/chat/completions`, next, { session: 'tl-next' })).toMatchObject({
      outcome: 'complete',
    });
    await upstream.close();
  });

  it('import reaches the browser that is connected', async () => {
    expect(await ask({ act: 'import', path: exported('tl-in'), again: false, into: null })).toMatchObject({ taken: 1 });
    await line.until(() => heard('session.push').length > 0);
    expect(heard('session.push')[0]).toMatchObject({ snapshot: { record: { session: 'tl-in', scope: line.scope } } });
  });

  it('import reaches a browser that was away when it connects, and then no more', async () => {
    const paired = await world.pair();
    const store = { store: 'store-kept', sessions: 1 };
    line = await world.connect(paired, store);
    line.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const path = exported('tl-late');
    expect(await ask({ act: 'import', path, again: false, into: line.scope })).toMatchObject({ taken: 1 });
    line = await world.connect(paired, store);
    await line.until(() => heard('session.push').length === 1);
    expect(line.restore).toBe(1);
    const whole = () => world.companion.pairings.list().some((one) => one.store === store.store);
    for (let i = 0; i < 400 && !whole(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    line.close();
    line = await world.connect(paired, store);
    expect(line.restore).toBe(0);
  });

  it('a refusal reaches the asker as it is, and nothing that was asked before the start is done', async () => {
    await expect(ask({ act: 'import', path: '/nowhere/x', again: false, into: null })).rejects.toMatchObject({
      code: 'no-file',
    });
    await world.companion.close();
    const stale = askFor(world.files, { act: 'forget', what: 'all' });
    await world.restart().catch(() => undefined);
    expect(stale.answer()).toBeNull();
    expect(readdirSync(world.files.directory).filter((name) => ACT_FILE.test(name))).toEqual([]);
  });
});
