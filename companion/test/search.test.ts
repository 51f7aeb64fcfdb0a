/** Search: words in any script, over messages and summaries, alike in both stores, and gone with what it found. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { createMemoryStore } from '@throughline/shared/session/memory-store';
import type { SessionRecord } from '@throughline/shared/session/records';
import type { SessionStore } from '@throughline/shared/session/store';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../src/store/open.ts';
import { search } from '../src/store/search.ts';
import { createSqliteStore } from '../src/store/sqlite.ts';
import { blockFor, commitFor } from './support/records.ts';
import { temporaryDirectory } from './support/world.ts';

const scope = 'scope-a' as ScopeId;
const born = (session: string, texts: readonly string[], over: Partial<SessionRecord> = {}) => {
  const commit = commitFor(session, 1, texts[0], over);
  const rows = texts.map((text, seq) => ({
    ...(commit.rows[0] as (typeof commit.rows)[0]),
    seq,
    raw: JSON.stringify({ role: 'user', content: text }),
  }));
  return { ...commit, rows };
};

describe.each(['SQLite', 'memory'])('search in the %s store', (kind) => {
  let directory: string;
  let store: SessionStore;
  beforeEach(async () => {
    directory = temporaryDirectory();
    store =
      kind === 'memory' ? createMemoryStore() : createSqliteStore(openDatabase(join(directory, 's.sqlite'), () => 0).database);
    await store.commit(born('kafka', ['How does a Kafka consumer rebalance?', 'It stops, then starts again.']));
    await store.commit({
      ...born('rivers', ['中国的河流很长', 'Which river is the longest?'], { title: 'rivers' }),
      blocks: [blockFor(1, [0], { topic: 'rivers of China', summary: 'The Yangtze 长江 is the longest river.' })],
    });
    await store.commit(born('other', ['nothing to see'], { scope: 'scope-b' as ScopeId }));
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const ask = async (words: string, scopes = ['scope-a', 'scope-b'], of: SessionRecord | null = null) =>
    (await search(store, { words, scopes, of, limit: 20 })).map((hit) => `${hit.session} ${hit.kind} ${hit.seq ?? hit.at}`);

  it.each([
    ['kafka', ['kafka message 0']],
    ['KAFKA rebal', ['kafka message 0']],
    ['河流', ['rivers message 0']],
    ['长', ['rivers block b1', 'rivers message 0']],
    ['长江', ['rivers block b1']],
    ['yangtze', ['rivers block b1']],
    ['river', ['rivers block b1', 'rivers message 1']],
    ['kafka river', []],
    ['see', ['other message 0']],
    ['"* AND (', []],
    ['', []],
  ])('%s', async (words, expected) => expect((await ask(words)).sort()).toEqual([...expected].sort()));

  it('stays within the scopes it is given', async () => expect(await ask('nothing', ['scope-a'])).toEqual([]));

  it('of one session looks through its parents too, also round in a circle', async () => {
    const lineage = (parent: string) => ({ kind: 'forked', parents: [parent as SessionId], shared: 1 }) as const;
    await store.commit(born('child', ['a fork'], { lineage: lineage('parent') }));
    await store.commit(born('parent', ['the fork in the road'], { lineage: lineage('child') }));
    await store.commit(born('stranger', ['a fork and a knife']));
    const child = (await store.load(scope, 'child' as SessionId)) as SessionRecord;
    expect((await ask('fork', [scope], child)).sort()).toEqual(['child message 0', 'parent message 0']);
    expect(await ask('fork', [scope])).toHaveLength(3);
  });

  it('ranks the text that is most about it first, and shows the place', async () => {
    await store.commit(born('long', [`${'filler words without end '.repeat(60)} zebra ${'and more of it '.repeat(60)}`]));
    await store.commit(born('short', ['zebra\n\n zebra\u001b[2J stripes']));
    const hits = await search(store, { words: 'zebra', scopes: [scope], of: null, limit: 20 });
    expect(hits.map((hit) => hit.session)).toEqual(['short', 'long']);
    expect(hits[1]?.snippet).toMatch(/^….* zebra .*…$/);
    expect(hits[0]?.at).toBe('m00001');
  });

  it('finds nothing of what was forgotten', async () => {
    await store.forget({ scope, session: 'kafka' as SessionId, site: null, at: 5 });
    expect(await ask('kafka')).toEqual([]);
    expect(await ask('river')).toHaveLength(2);
  });

  it('follows a summary that is rewritten', async () => {
    const record = (await store.load(scope, 'rivers' as SessionId)) as SessionRecord;
    const blocks = [blockFor(1, [0], { topic: 'rivers', summary: 'Now about the Amazon.', rev: 2 })];
    await store.commit({ record: { ...record, rev: 2 }, links: [], rows: [], blocks, event: null });
    expect(await ask('yangtze')).toEqual([]);
    expect(await ask('amazon')).toEqual(['rivers block b1']);
  });
});

describe('the index', () => {
  it('leaves no word of a forgotten text in any file, however long the word', async () => {
    const directory = temporaryDirectory();
    const store = createSqliteStore(openDatabase(join(directory, 's.sqlite'), () => 0).database);
    const word = (i: number): string => createHash('sha256').update(`w${i}`).digest('hex').slice(0, 60);
    const gone = Array.from({ length: 5 }, (_, i) => word(-i - 1));
    for (let i = 0; i < 40; i += 1) {
      if (i === 7) await store.commit(born('gone', gone));
      const kept = Array.from({ length: 10 }, (_, n) => word(10 * i + n));
      await store.commit(born(`s${i}`, kept));
    }
    await store.forget({ scope, session: 'gone' as SessionId, site: null, at: 5 });
    const files = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
    for (const one of gone) {
      for (let at = 0; at + 16 <= one.length; at += 1) {
        for (const bytes of files) expect(bytes.includes(one.slice(at, at + 16))).toBe(false);
      }
    }
    expect(await search(store, { words: word(399), scopes: [scope], of: null, limit: 5 })).toHaveLength(1);
    await store.close();
    rmSync(directory, { recursive: true });
  });

  it('is filled when a database from before it is opened', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 's.sqlite');
    const store = createSqliteStore(openDatabase(path, () => 0).database);
    await store.commit({ ...born('old', ['河流 of old']), blocks: [blockFor(1, [0], { summary: 'a yellowed summary' })] });
    await store.close();
    const database = new Sqlite(path);
    database.exec('DROP TABLE search_terms; DROP TABLE search_entries');
    database.pragma('user_version = 1');
    database.close();
    const again = createSqliteStore(openDatabase(path, () => 0).database);
    for (const words of ['河流', 'yellowed']) {
      expect(await search(again, { words, scopes: [scope], of: null, limit: 5 })).toHaveLength(1);
    }
    await again.close();
    rmSync(directory, { recursive: true });
  });
});
