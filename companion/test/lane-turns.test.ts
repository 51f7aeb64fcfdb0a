/** The companion owns the conversations of its own lane: it recognises, keeps and folds them without anybody's leave. */
import type { ScopeId } from '@throughline/shared/base/brand';
import { drive } from '@throughline/shared/base/digest';
import { parseJson } from '@throughline/shared/base/json';
import { chainsOf } from '@throughline/shared/chain/chain';
import { createMemoryStore } from '@throughline/shared/session/memory-store';
import { newId } from '@throughline/shared/session/new-id';
import { recognise } from '@throughline/shared/wire/registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeSha256 } from '../src/hash.ts';
import { openLaneKeys } from '../src/lane/keys.ts';
import { type Got, type Lane, laneOf, until } from './support/lane.ts';
import { createOwner } from './support/owner.ts';
import { body, FOLDING, isFold, SUMMARY, words } from './support/rivers.ts';
import { answerWith, completion, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let lane: Lane;
beforeEach(async () => {
  upstream = await startUpstream();
  world = await startWorld({ flags: { ...FOLDING, 'upstream.allow': [upstream.origin] } });
  lane = laneOf(world);
  upstream.answer = (seen, response) => answerWith(isFold(seen) ? SUMMARY : 'A fine answer.')(seen, response);
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const url = (): string => `${upstream.origin}/v1/chat/completions`;
const say = (text: string, headers: Record<string, string> = {}, by: Lane = lane): Promise<Got> =>
  by.post(url(), text, headers);
const about = ({ headers }: Got) => ({
  session: headers['x-throughline-session'],
  via: headers['x-throughline-via'],
  depth: headers['x-throughline-depth'],
  lineage: headers['x-throughline-lineage'],
  tokens: headers['x-throughline-tokens'],
  note: headers['x-throughline-note'],
});
const stored = (by: Lane = lane) => world.companion.store.list({ scope: by.scope as never });
const blocks = (session: string, by: Lane = lane) => world.companion.store.blocks(by.scope as never, session as never);
const turns = (): string[] => upstream.seen.filter((seen) => !isFold(seen)).map((seen) => seen.body);
const long = 14;

/** The id that an extension with an empty store gives to a page that opens with the same words. */
function idOfThePage(scope: ScopeId): Promise<string> {
  const head = { method: 'POST', url: url() };
  const document = parseJson(body(3));
  const exchange = document === null ? null : recognise(head, document)?.parse(head, document, nodeSha256);
  if (exchange == null) throw new Error('the test body is of no wire');
  const chain = drive(chainsOf(exchange), nodeSha256)[2];
  return newId({ store: createMemoryStore(), scope, chain, underway: [], hash: nodeSha256 });
}

/** One long turn, and the block that the companion makes behind it. */
async function folded(by: Lane = lane): Promise<{ session: string; block: string }> {
  const session = about(await say(body(long), { authorization: 'Bearer own-key' }, by)).session as string;
  await until('a block', async () => (await blocks(session, by)).length > 0);
  return { session, block: (await blocks(session, by))[0]?.blockId ?? '' };
}

describe('a conversation', () => {
  it('is one session from turn to turn, each reply of which says how it was recognised', async () => {
    const seen: ReturnType<typeof about>[] = [];
    for (let turn = 1; turn <= 6; turn += 1) seen.push(about(await say(body(turn))));
    expect(new Set(seen.map(({ session }) => session)).size).toBe(1);
    expect(seen.map(({ via }) => via)).toEqual(['new', ...Array(5).fill('prefix')]);
    expect(seen.map(({ depth }) => depth)).toEqual(['0/1', '1/3', '3/5', '5/7', '7/9', '9/11']);
    for (const { tokens } of seen) expect(tokens).toMatch(/^(\d+)\/\1$/);
    expect(turns()).toEqual(Array.from({ length: 6 }, (_, i) => body(i + 1)));
    expect(await stored()).toMatchObject([{ session: seen[0]?.session, site: null, document: null, stats: { requests: 6 } }]);
  });

  it('is not that of another key, whatever the words', async () => {
    const other = laneOf(world, { name: 'other' });
    const [one, two] = [about(await say(body(3))), about(await say(body(4), {}, other))];
    expect(other.scope).not.toBe(lane.scope);
    expect([one.via, two.via, two.lineage]).toEqual(['new', 'new', undefined]);
  });

  it('that branches off is a session of its own, and names where it comes from', async () => {
    const first = about(await say(body(3))).session;
    const branch = JSON.parse(body(3));
    branch.messages.push({ role: 'assistant', content: 'A fine answer.' }, { role: 'user', content: words(77) });
    branch.messages[4].content = words(99);
    const forked = about(await say(JSON.stringify(branch)));
    expect(forked).toMatchObject({ via: 'new', lineage: `forked:${first}:4` });
    expect(forked.session).not.toBe(first);
  });

  it('goes on after a restart of the companion', async () => {
    const { session } = about(await say(body(2)));
    await world.restart();
    expect(about(await say(body(3)))).toMatchObject({ session, via: 'prefix' });
  });

  it('is left as it was by a request that failed, was refused or broke off', async () => {
    const { session } = about(await say(body(2)));
    const [before] = await stored();
    for (const status of [400, 401, 429, 500]) {
      upstream.answer = (_, response) => response.writeHead(status).end('{"error":{"message":"no"}}');
      expect((await say(body(3))).status).toBe(status);
    }
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{', () => response.destroy());
    };
    expect((await say(body(3))).whole).toBe(false);
    expect(await stored()).toEqual([before]);
    upstream.answer = answerWith('At last.');
    expect(about(await say(body(3)))).toMatchObject({ session, via: 'prefix', depth: '3/5' });
  });

  it('asked twice at once is not torn: every request is kept, and nobody joins a stranger', async () => {
    const { session } = about(await say(body(2)));
    const alike = await Promise.all([say(body(3)), say(body(3))]);
    for (const one of alike) expect(about(one).session).toBe(session);
    const different = await Promise.all(
      ['a', 'b', 'c'].map((mark) => {
        const request = JSON.parse(body(4));
        request.messages[6].content = `${words(6)} ${mark}`;
        return say(JSON.stringify(request));
      }),
    );
    expect(new Set(different.map((one) => about(one).session)).size).toBe(3);
    expect(different.filter((one) => about(one).session === session)).toHaveLength(1);
    await until('all are kept', async () => (await stored()).reduce((sum, one) => sum + one.stats.requests, 0) === 6);
  });

  it('passes as its client wrote it while something of ours is broken, and we say so', async () => {
    await folded();
    const { store } = world.companion;
    const broken = { ...store };
    Object.assign(store, { heads: () => Promise.reject(new Error('broken')) });
    const got = about(await say(body(long + 1)));
    expect(got).toMatchObject({ via: 'bypass', note: 'internal', session: undefined });
    expect(turns().at(-1)).toBe(body(long + 1));
    Object.assign(store, { heads: broken.heads });
    expect(about(await say(body(long + 1)))).toMatchObject({ via: 'prefix' });
    expect(turns().at(-1)).toContain('[Earlier conversation, folded: ');
  });

  it('on the side is forwarded and kept nowhere', async () => {
    const title = JSON.stringify({ model: 'demo', max_tokens: 20, messages: [{ role: 'user', content: words(5) }] });
    const got = about(await say(title));
    expect(got).toMatchObject({ via: 'side', session: undefined });
    expect(got.note).toMatch(/side/);
    expect(await stored()).toEqual([]);
  });
});

describe('a fold', () => {
  it("is made behind the answer with the client's own key, kept at once, and used from the next request on", async () => {
    const { session, block } = await folded();
    expect(upstream.seen.find(isFold)?.headers.authorization).toBe('Bearer own-key');
    const got = await say(body(long + 1));
    const sent = turns().at(-1) ?? '';
    expect(sent).toContain(`[Earlier conversation, folded: ${block} `);
    expect(sent).not.toContain(words(0).trim());
    expect(sent).toContain(words(2 * long).trim());
    expect(about(got)).toMatchObject({ session, via: 'prefix' });
    const [received = 0, went = 0] = (about(got).tokens as string).split('/').map(Number);
    expect(went).toBeLessThan(received);
  });

  it('is there after a restart', async () => {
    const { block } = await folded();
    await world.restart();
    await say(body(long + 1));
    expect(turns().at(-1)).toContain(`[Earlier conversation, folded: ${block} `);
  });

  it('is left out of a request that says so, and that request is kept', async () => {
    const { session } = await folded();
    const got = about(await say(body(long + 1), { 'x-throughline-fold': 'off' }));
    expect(turns().at(-1)).toBe(body(long + 1));
    expect(got).toMatchObject({ session, note: 'fold-off' });
    await say(body(long + 2));
    expect(turns().at(-1)).toContain('[Earlier conversation, folded: ');
  });

  it.each([400, 413, 422])(
    'that the provider refuses with %i is sent once more as the client wrote it, then left out',
    async (status) => {
      const { session, block } = await folded();
      upstream.answer = (seen, response) => {
        if (!seen.body.includes('[Earlier conversation, folded')) return answerWith('Whole again.')(seen, response);
        return response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
      };
      const got = await say(body(long + 1), { 'Idempotency-Key': 'own-1' });
      expect([got.status, got.text]).toEqual([200, completion('Whole again.')]);
      const [folding, again] = upstream.seen.filter((seen) => !isFold(seen)).slice(-2);
      expect(folding?.headers['idempotency-key']).toBe('own-1');
      expect(again?.headers['idempotency-key']).toBeUndefined();
      expect(again?.body).toBe(body(long + 1));
      expect(about(got).tokens).toMatch(/^(\d+)\/\1$/);
      await until('it is quarantined', async () => (await blocks(session)).some((one) => one.state === 'quarantined'));
      expect((await blocks(session)).map((one) => one.blockId)).toContain(block);
      const before = turns().length;
      await say(body(long + 2));
      expect(turns().slice(before)).toEqual([body(long + 2)]);
    },
  );

  it('that fails is counted, costs a wait, and changes nothing', async () => {
    upstream.answer = (seen, response) => answerWith(isFold(seen) ? 'No.' : 'A fine answer.')(seen, response);
    const { session } = about(await say(body(long)));
    await until('the failure is kept', async () => ((await stored())[0]?.backoff.failures ?? 0) === 1);
    expect(await blocks(session as string)).toEqual([]);
    await say(body(long + 1));
    expect(turns().at(-1)).toBe(body(long + 1));
  });

  it('whose turn comes to its end while it is written loses neither the turn nor the block', async () => {
    // The summary and the next turns end at the same moment, again and again.
    let release: (() => void) | null = null;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    upstream.answer = async (seen, response) => {
      if (isFold(seen) || seen.body.includes(words(2 * long).trim())) await gate;
      return answerWith(isFold(seen) ? SUMMARY : 'A fine answer.')(seen, response);
    };
    const { session } = about(await say(body(long)));
    await until('a summary is asked for', () => upstream.seen.some(isFold));
    const next = say(body(long + 1));
    await until('the next turn is at the provider', () => turns().length === 2);
    (release as (() => void) | null)?.();
    await next;
    await until('both are kept', async () => {
      const [record] = await stored();
      return record?.stats.requests === 2 && (await blocks(session as string)).length === 1;
    });
  });
});

describe('a key', () => {
  it('that is revoked or turned stops working at once, without a restart; the new one has the old conversations', async () => {
    const { session } = about(await say(body(2)));
    const keys = openLaneKeys(world.files.lanes);
    const turned = laneOf(world);
    expect((await say(body(3))).status).toBe(403);
    expect(about(await say(body(3), {}, turned))).toMatchObject({ session, via: 'prefix' });
    keys.revoke('agent');
    const refused = await say(body(4), {}, turned);
    expect([refused.status, refused.text]).toEqual([403, '']);
    expect(about(await say(body(4), {}, laneOf(world)))).toMatchObject({ session, via: 'prefix' });
  });

  it('is in no log and no answer', async () => {
    await say(body(2));
    await lane.post('ftp://nonsense.example', body(2));
    await lane.post('https://127.0.0.1:1/v1/chat/completions', body(2), { authorization: 'Bearer sk-own' });
    expect(world.log.join('\n')).not.toMatch(new RegExp(`${lane.key}|sk-own|river`));
  });
});

describe('a key that shares the scope of a browser', () => {
  it('never writes what a page owns: what goes on from there is a session of its own that names it', async () => {
    const line = await world.connect();
    const owner = createOwner(line.scope);
    owner.serve(line);
    await owner.turn(line, url(), body(3), { session: 'tl-page' });
    await until('the page turn is kept', async () => (await paired()).length === 1);
    const [page] = await paired();
    const shared = laneOf(world, { name: 'shared', scope: line.scope });
    const got = about(await say(body(4), {}, shared));
    expect(got).toMatchObject({ via: 'new', lineage: 'forked:tl-page:5' });
    expect(got.session).not.toBe('tl-page');
    expect((await paired()).find((one) => one.session === ('tl-page' as never))).toEqual(page);
    expect(about(await say(body(5), {}, shared))).toMatchObject({ session: got.session, via: 'prefix' });
    // The extension is not told of what is not its own.
    expect(line.frames.filter((frame) => frame.t === 'session.push')).toEqual([]);
    async function paired() {
      return world.companion.store.list({ scope: line.scope as never });
    }
  });

  it('opens conversations under ids that the extension would not give, and gives it none of them back', async () => {
    const paired = await world.pair();
    const line = await world.connect(paired, { store: 'store-1' });
    const shared = laneOf(world, { name: 'shared', scope: line.scope });
    const { session } = about(await say(body(3), {}, shared));
    expect(session).toMatch(/^tl-[0-9a-f]{16}$/);
    expect(session).not.toBe(await idOfThePage(line.scope as ScopeId));
    line.close();
    const lost = await world.connect(paired, { store: 'store-2', sessions: 0 });
    expect(lost.restore).toBe(0);
    expect(lost.frames.filter((frame) => frame.t === 'session.push')).toEqual([]);
  });
});
