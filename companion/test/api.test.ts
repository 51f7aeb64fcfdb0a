/** `/api`: what the store holds, as it holds it; scopes tell sessions of one name apart; the figures are counted. */
import { readFileSync } from 'node:fs';
import type { ScopeId } from '@throughline/shared/base/brand';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blockFor, commitFor } from './support/records.ts';
import { startWorld, type World } from './support/world.ts';

const RAW = JSON.stringify({ role: 'user', content: '中国的河流' });

describe.each([false, true])('the API with ephemeral %s', (ephemeral) => {
  let world: World;
  let scope: ScopeId;
  const get = async (path: string) => {
    const key = readFileSync(world.files.apiKey, 'utf8').trim();
    const url = `http://127.0.0.1:${world.companion.port}${path}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    return { status: answer.status, data: (await answer.json()) as Record<string, unknown> };
  };
  beforeEach(async () => {
    world = await startWorld({ ephemeral });
    await world.pair();
    scope = world.companion.pairings.scopes()[0] as ScopeId;
    const { store } = world.companion;
    const lineage = { kind: 'forked', parents: ['other'], shared: 1 } as never;
    const first = commitFor('s/1?', 1, '中国的河流', { scope, lineage });
    const event = { at: 1, rev: 1, kind: 'turn', data: { via: 'prefix' } } as const;
    await store.commit({ ...first, blocks: [blockFor(1, [0])], event });
    await store.commit({ ...commitFor('s2', 1, 'rivers', { scope }), event: { ...event, data: { via: 'new' } } });
  });
  afterEach(() => world.close());

  it('answers every path of a session, whatever its name', async () => {
    const path = `/api/sessions/${encodeURIComponent('s/1?')}`;
    expect((await get('/api/sessions')).data.sessions).toHaveLength(2);
    expect((await get('/api/sessions?limit=1')).data.sessions).toHaveLength(1);
    expect((await get(path)).data).toMatchObject({ session: { session: 's/1?' }, blocks: [{ blockId: 'b1' }] });
    expect((await get(`${path}/blocks`)).data).toMatchObject({ blocks: [{ summary: 'a summary' }] });
    expect((await get(`${path}/transcript`)).data).toMatchObject({ rows: [{ raw: RAW }] });
    expect((await get(`${path}/events`)).data.events).toHaveLength(1);
    const snapshot = await world.companion.store.snapshot(scope, 's/1?' as never);
    const { events, ...whole } = (await get(`${path}/snapshot`)).data;
    expect(whole).toEqual(JSON.parse(JSON.stringify(snapshot)));
    expect(events).toHaveLength(1);
    const originals = await get(`/api/blocks/${encodeURIComponent('s/1?')}/b1/originals`);
    expect(originals.data).toMatchObject({ block: 'b1', through: ['b1'], rows: [{ raw: RAW }] });
  });

  it('does not tell a foreign session from an unknown one', async () => {
    const answers = await Promise.all(
      [
        '/api/sessions/nobody',
        '/api/sessions/s2?scope=scope-x',
        '/api/sessions/nobody/events',
        '/api/search?q=a&session=nobody',
      ].map(get),
    );
    for (const one of answers) expect(one).toEqual({ status: 404, data: { error: 'unknown-session' } });
  });

  it('searches', async () => {
    expect((await get(`/api/search?q=${encodeURIComponent('河流')}`)).data.hits).toMatchObject([
      { session: 's/1?', at: 'm00001' },
    ]);
    expect((await get('/api/search?q=rivers&session=s2&limit=5')).data.hits).toMatchObject([{ session: 's2' }]);
    expect((await get('/api/search')).data.hits).toEqual([]);
  });

  it('counts', async () => {
    expect((await get('/api/stats')).data).toMatchObject({
      ...{ sessions: 2, requests: 2, pairings: 1, connections: 0, tokens: { received: 200, sent: 120 } },
      via: { declared: 0, prefix: 1, signal: 0, new: 1, side: 0, bypass: 0 },
      lineage: { forked: 1, truncated: 0, derived: 0, continued: 0 },
      ...{ windows: { ties: 0, nearMisses: 0 }, nominations: 0, adoptions: 0, folds: 0 },
    });
  });

  it('lists what was forgotten', async () => {
    await world.companion.store.forget({ scope, session: 's2' as never, site: null, at: 5 });
    expect((await get('/api/tombstones')).data.tombstones).toMatchObject([{ scope, session: 's2', at: 5 }]);
  });
});
