/**
 * The laws of the store port. Every store runs them: memory, IndexedDB and SQLite must answer alike.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Digest, SessionId } from '#base/brand';
import { drive, sha256 } from '#base/digest';
import { type Chains, chainsOf } from '#chain/chain';
import { DOMAINS } from '#neutral/turn';
import type { SessionSnapshot } from '#session/records';
import type { SessionStore } from '#session/store';
import { dialogue, exchange } from '../arbitrary/exchange.ts';
import { blockOf, commitOf, OTHER_SCOPE, recordOf, rowOf, SCOPE } from '../arbitrary/records.ts';

export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<SessionStore>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

const chains = (...lines: string[]): Chains => drive(chainsOf(exchange(dialogue(...lines))), sha256);
const id = (name: string): SessionId => name as SessionId;
const absent = sha256('a link that nobody has');

const short = chains('first question', 'first answer', 'second question');
const long = chains('first question', 'first answer', 'second question', 'second answer', 'third question');
const edited = chains('first question', 'first answer', 'another question');
const foreign = chains('something else entirely');

/** Declares the laws for one store. `open` gives a fresh, empty one. */
export function storeLaws(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`store laws: ${name}`, () => {
    let under: StoreUnderTest;
    let store: SessionStore;
    beforeEach(async () => {
      under = await open();
      store = under.store;
    });
    afterEach(() => under.dispose());

    const headOwners = async (of: Chains, domain: 2 | 3 = 2, scope = SCOPE): Promise<string[]> =>
      (await store.heads(scope, domain, of[domain].links)).map((hit) => hit.record.session).sort();
    const born = (session: string, of: Chains, over: Parameters<typeof recordOf>[2] = {}) =>
      store.commit(commitOf(recordOf(session, of, over), of));

    it('an empty store knows nothing and throws nothing', async () => {
      expect(await store.heads(SCOPE, 2, short[2].links)).toEqual([]);
      expect(await store.heads(SCOPE, 2, [])).toEqual([]);
      expect(await store.deepest(SCOPE, 2, short[2].links)).toEqual({ depth: 0, session: null });
      expect(await store.deepest(SCOPE, 2, [])).toEqual({ depth: 0, session: null });
      expect(await store.load(SCOPE, id('s1'))).toBeNull();
      expect(await store.snapshot(SCOPE, id('s1'))).toBeNull();
      expect(await store.rows(SCOPE, id('s1'))).toEqual([]);
      expect(await store.rowsAt(SCOPE, id('s1'), [0])).toEqual([]);
      expect(await store.blocks(SCOPE, id('s1'))).toEqual([]);
      expect(await store.events(SCOPE, id('s1'), 5)).toEqual([]);
      expect(await store.list({ scope: SCOPE })).toEqual([]);
      expect(await store.tombstones(SCOPE)).toEqual([]);
    });

    it('what was committed is found again, by id and by head, in both domains', async () => {
      const record = recordOf('s1', short);
      expect(await store.commit(commitOf(record, short))).toBe('committed');
      expect(await store.load(SCOPE, id('s1'))).toEqual(record);
      for (const domain of DOMAINS) {
        expect(await store.heads(SCOPE, domain, [absent, ...long[domain].links])).toEqual([
          { domain, link: short[domain].links.at(-1), record },
        ]);
      }
    });

    it('two sessions with the same head are both found', async () => {
      await born('s1', short);
      await born('s2', short, { createdAt: 2_000 });
      expect(await headOwners(short)).toEqual(['s1', 's2']);
    });

    it('a head moves with its session, and the old one stops matching', async () => {
      await born('s1', short);
      expect(await store.commit(commitOf(recordOf('s1', long, { rev: 2 }), long))).toBe('committed');
      expect(await headOwners(short)).toEqual([]);
      expect(await headOwners(long)).toEqual(['s1']);
    });

    it('domains never mix', async () => {
      const mixed: Chains = { 2: short[2], 3: foreign[3] };
      await store.commit(commitOf(recordOf('s1', mixed), mixed));
      expect(await headOwners(short, 2)).toEqual(['s1']);
      expect(await headOwners(short, 3)).toEqual([]);
      expect((await store.deepest(SCOPE, 3, short[3].links)).depth).toBe(0);
    });

    it('the deepest known link is found, also past the head and off a fork', async () => {
      await born('s1', short);
      expect(await store.deepest(SCOPE, 2, long[2].links)).toEqual({ depth: 3, session: 's1' });
      await store.commit(commitOf(recordOf('s1', long, { rev: 2 }), long));
      expect(await store.deepest(SCOPE, 2, short[2].links)).toEqual({ depth: 3, session: 's1' });
      expect(await store.deepest(SCOPE, 2, edited[2].links)).toEqual({ depth: 2, session: 's1' });
      expect(await store.deepest(SCOPE, 2, foreign[2].links)).toEqual({ depth: 0, session: null });
    });

    it('the session that observed a link first is its owner', async () => {
      await born('s1', short, { createdAt: 1_000 });
      await born('s2', edited, { createdAt: 2_000 });
      const shared = edited[2].links.slice(0, 2);
      expect(await store.deepest(SCOPE, 2, shared)).toEqual({ depth: 2, session: 's1' });
      expect(await store.deepest(SCOPE, 2, edited[2].links)).toEqual({ depth: 3, session: 's2' });
    });

    it('committing links that are known already changes nothing about them', async () => {
      await born('s1', long);
      const before = await store.snapshot(SCOPE, id('s1'));
      await store.commit(commitOf(recordOf('s1', long, { rev: 2 }), long));
      expect((await store.snapshot(SCOPE, id('s1')))?.links).toEqual(before?.links);
    });

    it('a very deep chain keeps all of its links', async () => {
      const deep = chains(...Array.from({ length: 601 }, (_, index) => `line ${index}`));
      await born('s1', deep);
      expect(await headOwners(deep)).toEqual(['s1']);
      expect(await store.deepest(SCOPE, 2, deep[2].links.slice(0, 500))).toEqual({ depth: 500, session: 's1' });
      expect(await store.deepest(SCOPE, 2, [...deep[2].links, absent])).toEqual({ depth: 601, session: 's1' });
    });

    it('a commit of any other revision than the next one changes nothing', async () => {
      expect(await born('s1', short, { rev: 2 })).toBe('stale');
      expect(await store.load(SCOPE, id('s1'))).toBeNull();
      expect(await headOwners(short)).toEqual([]);
      await born('s1', short);
      const before = await store.snapshot(SCOPE, id('s1'));
      for (const rev of [0, 1, 3]) {
        const late = commitOf(recordOf('s1', long, { rev, title: 'late' }), long, {
          rows: [rowOf(7, '{"late":true}')],
          blocks: [blockOf(7)],
          event: { at: 1, rev, kind: 'turn', data: {} },
        });
        expect(await store.commit(late)).toBe('stale');
      }
      expect(await store.snapshot(SCOPE, id('s1'))).toEqual(before);
      expect(await store.events(SCOPE, id('s1'), 9)).toEqual([]);
      expect(await headOwners(long)).toEqual(['s1']);
      expect((await store.deepest(SCOPE, 2, long[2].links)).depth).toBe(3);
    });

    it('of commits that race, exactly one wins and nothing of the others stays', async () => {
      await born('s1', short);
      const racers = ['a', 'b', 'c', 'd'].map((title, index) =>
        commitOf(recordOf('s1', long, { rev: 2, title }), long, { rows: [rowOf(index, `{"by":"${title}"}`)] }),
      );
      const answers = await Promise.all(racers.map((racer) => store.commit(racer)));
      expect(answers.filter((answer) => answer === 'committed')).toHaveLength(1);
      expect(answers.filter((answer) => answer === 'stale')).toHaveLength(3);
      const winner = racers[answers.indexOf('committed')];
      expect(await store.load(SCOPE, id('s1'))).toEqual(winner?.record);
      expect(await store.rows(SCOPE, id('s1'))).toEqual(winner?.rows);
    });

    it('of births that race for one id, exactly one wins', async () => {
      const answers = await Promise.all([born('s1', short), born('s1', foreign)]);
      expect([...answers].sort()).toEqual(['committed', 'stale']);
      expect([...(await headOwners(short)), ...(await headOwners(foreign))]).toEqual(['s1']);
    });

    it('rows are appended, and a row once written changes only its pin', async () => {
      const [first, second] = [rowOf(0, '{"n": 1}'), rowOf(1, '{"n": 2.0}')];
      await store.commit(commitOf(recordOf('s1', short), short, { rows: [first] }));
      await store.commit(commitOf(recordOf('s1', short, { rev: 2 }), short, { rows: [second] }));
      expect(await store.rows(SCOPE, id('s1'))).toEqual([first, second]);
      expect(await store.rows(SCOPE, id('s1'), 1)).toEqual([second]);
      const changed = rowOf(0, '{"forged":true}', { pinned: true, role: 'assistant', cores: [] });
      await store.commit(commitOf(recordOf('s1', short, { rev: 3 }), short, { rows: [changed] }));
      expect(await store.rows(SCOPE, id('s1'))).toEqual([{ ...first, pinned: true }, second]);
      await store.commit(commitOf(recordOf('s1', short, { rev: 4 }), short, { rows: [first] }));
      expect(await store.rows(SCOPE, id('s1'))).toEqual([first, second]);
    });

    it('rows are found by their numbers, ascending, unknown numbers skipped', async () => {
      const rows = [0, 1, 2, 10].map((seq) => rowOf(seq, `{"n":${seq}}`));
      await store.commit(commitOf(recordOf('s1', short), short, { rows }));
      expect(await store.rowsAt(SCOPE, id('s1'), [10, 99, 1])).toEqual([rows[1], rows[3]]);
      expect(await store.rowsAt(SCOPE, id('s1'), [])).toEqual([]);
    });

    it('blocks keep their order of birth and are rewritten one at a time', async () => {
      const blocks = [1, 2, 9, 10].map((number) => blockOf(number));
      await store.commit(commitOf(recordOf('s1', short), short, { blocks }));
      expect(await store.blocks(SCOPE, id('s1'))).toEqual(blocks);
      const opened = blockOf(9, { state: 'expanded', rev: 2 });
      await store.commit(commitOf(recordOf('s1', short, { rev: 2 }), short, { blocks: [opened] }));
      expect(await store.blocks(SCOPE, id('s1'))).toEqual([blocks[0], blocks[1], opened, blocks[3]]);
    });

    it('events stand newest last and only as many as asked for', async () => {
      for (const rev of [1, 2, 3]) {
        const event = { at: rev * 10, rev, kind: 'turn' as const, data: { depth: rev } };
        await store.commit(commitOf(recordOf('s1', short, { rev }), short, { event }));
      }
      expect((await store.events(SCOPE, id('s1'), 9)).map((event) => event.rev)).toEqual([1, 2, 3]);
      expect(await store.events(SCOPE, id('s1'), 2)).toEqual([
        { at: 20, rev: 2, kind: 'turn', data: { depth: 2 } },
        { at: 30, rev: 3, kind: 'turn', data: { depth: 3 } },
      ]);
    });

    it('sessions are listed by most recent use, filtered by site, limited', async () => {
      await born('s1', short, { usedAt: 10, site: 'https://a.example' });
      await born('s2', long, { usedAt: 30, site: 'https://b.example' });
      await born('s3', foreign, { usedAt: 20, site: 'https://a.example' });
      const names = async (filter: object) => (await store.list({ scope: SCOPE, ...filter })).map((record) => record.session);
      expect(await names({})).toEqual(['s2', 's3', 's1']);
      expect(await names({ site: 'https://a.example' })).toEqual(['s3', 's1']);
      expect(await names({ limit: 2 })).toEqual(['s2', 's3']);
      expect(await names({ site: 'https://a.example', limit: 1 })).toEqual(['s3']);
      expect(await names({ site: 'https://a.exampl' })).toEqual([]);
      await store.commit(commitOf(recordOf('s1', short, { rev: 2, usedAt: 40, site: 'https://a.example' }), short));
      expect(await names({})).toEqual(['s1', 's2', 's3']);
    });

    it('scopes never see each other, also under the same id', async () => {
      await born('s1', short, { title: 'mine' });
      await born('s1', long, { title: 'theirs', scope: OTHER_SCOPE });
      expect((await store.load(SCOPE, id('s1')))?.title).toBe('mine');
      expect((await store.load(OTHER_SCOPE, id('s1')))?.title).toBe('theirs');
      expect(await headOwners(long, 2, SCOPE)).toEqual(['s1']);
      expect((await store.heads(SCOPE, 2, long[2].links)).map((hit) => hit.record.title)).toEqual(['mine']);
      expect((await store.deepest(SCOPE, 2, long[2].links)).depth).toBe(3);
      expect((await store.list({ scope: SCOPE })).map((record) => record.title)).toEqual(['mine']);
      await store.forget({ scope: SCOPE, session: null, site: null, at: 9_000 });
      expect((await store.load(OTHER_SCOPE, id('s1')))?.title).toBe('theirs');
      expect(await store.tombstones(OTHER_SCOPE)).toEqual([]);
      expect(await headOwners(long, 2, OTHER_SCOPE)).toEqual(['s1']);
    });

    it('forgetting leaves nothing findable', async () => {
      const event = { at: 1, rev: 1, kind: 'turn' as const, data: {} };
      await store.commit(
        commitOf(recordOf('s1', long), long, { rows: [rowOf(0, '{"secret":1}')], blocks: [blockOf(1)], event }),
      );
      expect(await store.forget({ scope: SCOPE, session: id('s1'), site: null, at: 5_000 })).toEqual(['s1']);
      expect(await store.load(SCOPE, id('s1'))).toBeNull();
      expect(await store.snapshot(SCOPE, id('s1'))).toBeNull();
      expect(await store.rows(SCOPE, id('s1'))).toEqual([]);
      expect(await store.rowsAt(SCOPE, id('s1'), [0])).toEqual([]);
      expect(await store.blocks(SCOPE, id('s1'))).toEqual([]);
      expect(await store.events(SCOPE, id('s1'), 9)).toEqual([]);
      expect(await store.list({ scope: SCOPE })).toEqual([]);
      for (const domain of DOMAINS) {
        expect(await headOwners(long, domain)).toEqual([]);
        expect(await store.deepest(SCOPE, domain, long[domain].links)).toEqual({ depth: 0, session: null });
      }
    });

    it('forgetting one session leaves the shared path known through the other', async () => {
      await born('s1', long);
      await born('s2', edited, { createdAt: 2_000 });
      await store.forget({ scope: SCOPE, session: id('s1'), site: null, at: 5_000 });
      expect(await store.deepest(SCOPE, 2, long[2].links)).toEqual({ depth: 2, session: 's2' });
      expect(await headOwners(edited)).toEqual(['s2']);
    });

    it('a tombstone outranks restore and commit, whatever their revision', async () => {
      await born('s1', short);
      const snapshot = (await store.snapshot(SCOPE, id('s1'))) as SessionSnapshot;
      await store.forget({ scope: SCOPE, session: id('s1'), site: null, at: 5_000 });
      expect(await store.restore(snapshot)).toBe('forgotten');
      expect(await store.restore({ ...snapshot, record: { ...snapshot.record, rev: 99, createdAt: 9_999 } })).toBe('forgotten');
      expect(await born('s1', short)).toBe('forgotten');
      expect(await born('s1', short, { rev: 2 })).toBe('forgotten');
      expect(await store.load(SCOPE, id('s1'))).toBeNull();
      expect(await headOwners(short)).toEqual([]);
    });

    it('a tombstone for a session never seen here outranks its later restore', async () => {
      expect(await store.forget({ scope: SCOPE, session: id('s1'), site: null, at: 5_000 })).toEqual([]);
      const record = recordOf('s1', short);
      expect(await store.restore({ record, rows: [], links: [], blocks: [] })).toBe('forgotten');
      expect((await store.tombstones(SCOPE)).map((tombstone) => tombstone.session)).toEqual(['s1']);
    });

    it('forgetting a site removes its sessions and names each, and keeps the others', async () => {
      const site = 'https://a.example';
      await born('s1', short, { site });
      await born('s2', long, { site });
      await born('s3', foreign, { site: 'https://b.example' });
      const act = { scope: SCOPE, session: null, site, at: 5_000 };
      expect([...(await store.forget(act))].sort()).toEqual(['s1', 's2']);
      expect((await store.list({ scope: SCOPE })).map((record) => record.session)).toEqual(['s3']);
      const left = await store.tombstones(SCOPE);
      expect(left).toContainEqual(act);
      expect(left.flatMap((tombstone) => (tombstone.session === null ? [] : [tombstone.session])).sort()).toEqual(['s1', 's2']);
      const old = recordOf('s4', edited, { site, createdAt: 4_000 });
      expect(await store.restore({ record: old, rows: [], links: [], blocks: [] })).toBe('forgotten');
      expect(await born('s5', edited, { site, createdAt: 6_000 })).toBe('committed');
      expect(await born('s6', edited, { site: 'https://b.example', createdAt: 4_000 })).toBe('committed');
    });

    it('forgetting everything removes the scope, and the same act twice is one', async () => {
      await born('s1', short);
      const act = { scope: SCOPE, session: null, site: null, at: 5_000 };
      expect(await store.forget(act)).toEqual(['s1']);
      expect(await store.forget(act)).toEqual([]);
      expect((await store.tombstones(SCOPE)).filter((tombstone) => tombstone.session === null)).toEqual([act]);
      expect(await born('s1', short, { createdAt: 6_000 })).toBe('forgotten');
      expect(await born('s2', short, { createdAt: 6_000 })).toBe('committed');
    });

    it('a snapshot restores the same session in an empty store', async () => {
      await store.commit(commitOf(recordOf('s1', short), short, { rows: [rowOf(0, '{"n": 1.0}')], blocks: [blockOf(1)] }));
      await store.commit(
        commitOf(recordOf('s1', long, { rev: 2 }), long, { rows: [rowOf(1, '{"t":"\\ud800 é"}')], blocks: [blockOf(2)] }),
      );
      const snapshot = (await store.snapshot(SCOPE, id('s1'))) as SessionSnapshot;
      expect(snapshot.links).toHaveLength(10);
      const other = await open();
      try {
        expect(await other.store.restore(snapshot)).toBe('committed');
        expect(await other.store.snapshot(SCOPE, id('s1'))).toEqual(snapshot);
        expect((await other.store.deepest(SCOPE, 3, edited[3].links)).depth).toBe(2);
        expect(await other.store.commit(commitOf(recordOf('s1', long, { rev: 3 }), long))).toBe('committed');
      } finally {
        await other.dispose();
      }
    });

    it('a restore replaces the whole session and leaves no trace of the old one', async () => {
      await store.commit(commitOf(recordOf('s1', foreign), foreign, { rows: [rowOf(5, '{}')], blocks: [blockOf(5)] }));
      const record = recordOf('s1', short, { rev: 7 });
      const kept: SessionSnapshot = { record, rows: [rowOf(0, '{"a":1}')], links: commitOf(record, short).links, blocks: [] };
      expect(await store.restore(kept)).toBe('committed');
      expect(await store.snapshot(SCOPE, id('s1'))).toEqual(kept);
      expect(await headOwners(foreign)).toEqual([]);
      expect((await store.deepest(SCOPE, 2, foreign[2].links)).depth).toBe(0);
      expect(await headOwners(short)).toEqual(['s1']);
    });

    it('links of a snapshot stand by domain and depth', async () => {
      await born('s1', long);
      const links = (await store.snapshot(SCOPE, id('s1')))?.links ?? [];
      expect(links).toEqual(commitOf(recordOf('s1', long), long).links);
      expect(links.map((row): Digest | null => row.parent)).toContain(null);
    });

    it('reopening gives the same answers', async () => {
      const event = { at: 1, rev: 1, kind: 'turn' as const, data: { a: 'b', n: 1.5, none: null, yes: true } };
      await store.commit(commitOf(recordOf('s1', long), long, { rows: [rowOf(0, '{"n":1}')], blocks: [blockOf(1)], event }));
      await born('s2', edited, { createdAt: 2_000 });
      await store.forget({ scope: SCOPE, session: id('gone'), site: null, at: 1 });
      const all = async () => ({
        snapshot: await store.snapshot(SCOPE, id('s1')),
        events: await store.events(SCOPE, id('s1'), 9),
        heads: [await headOwners(long), await headOwners(edited)],
        deepest: [await store.deepest(SCOPE, 2, long[2].links), await store.deepest(SCOPE, 3, edited[3].links.slice(0, 2))],
        list: await store.list({ scope: SCOPE }),
        tombstones: await store.tombstones(SCOPE),
      });
      const before = await all();
      store = await under.reopen();
      expect(await all()).toEqual(before);
      expect(await store.commit(commitOf(recordOf('s1', long, { rev: 2 }), long))).toBe('committed');
    });
  });
}
