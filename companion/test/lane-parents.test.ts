/** Ids that clients give are kept with the conversation, and name its parent at birth; they decide nothing. */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask, type Got, type Lane, laneOf } from './support/lane.ts';
import { body } from './support/rivers.ts';
import { answerWith, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let lane: Lane;
beforeEach(async () => {
  upstream = await startUpstream();
  world = await startWorld({ flags: { 'upstream.allow': [upstream.origin] } });
  lane = laneOf(world);
  upstream.answer = answerWith('A fine answer.');
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const say = (text: string, headers: Record<string, string> = {}): Promise<Got> =>
  lane.post(`${upstream.origin}/v1/chat/completions`, text, headers);
const register = (given: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }): Promise<Got> =>
  ask(`http://127.0.0.1:${world.companion.port}/lane/${lane.key}/sessions`, {
    headers,
    body: typeof given === 'string' ? given : JSON.stringify(given),
  });
const child = (words: string): string =>
  JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: `A child that begins with nothing: ${words}` }] });
const lineage = ({ headers }: Got) => headers['x-throughline-lineage'];

describe('a parent', () => {
  it.each(['x-throughline-conversation', 'x-session-id', 'session_id', 'x-claude-code-session-id'])(
    'registered for an id that comes in %s is the lineage of the session born with it',
    async (field) => {
      const parent = (await say(body(2), { [field]: 'the-parent' })).headers['x-throughline-session'];
      expect((await register({ conversation: 'the-child', parent: 'the-parent' })).status).toBeLessThan(300);
      const born = await say(child(field), { [field]: 'the-child' });
      expect(born.headers['x-throughline-via']).toBe('new');
      expect(lineage(born)).toBe(`derived:${parent}:0`);
    },
  );

  it('is named by a session id too, or by the request itself', async () => {
    const parent = (await say(body(2))).headers['x-throughline-session'] as string;
    expect(lineage(await say(child('one'), { 'x-throughline-parent': parent }))).toBe(`derived:${parent}:0`);
    expect(upstream.seen.at(-1)?.headers['x-throughline-parent']).toBeUndefined();
    await register({ conversation: 'two', parent });
    expect(lineage(await say(child('two'), { 'x-throughline-conversation': 'two' }))).toBe(`derived:${parent}:0`);
  });

  it('is found by the file of its session, in the body of a request, and after a restart', async () => {
    const parent = (await say(body(2), { 'x-session-id': '0198-abc' })).headers['x-throughline-session'];
    const path = '/home/me/.agent/sessions/2026-12-01T10-00-00_0198-abc.jsonl';
    expect(lineage(await say(child('four'), { 'x-throughline-parent': path }))).toBe(`derived:${parent}:0`);
    const inBody = JSON.stringify({ ...JSON.parse(child('five')), parentConversationId: '0198-abc' });
    expect(lineage(await say(inBody))).toBe(`derived:${parent}:0`);
    await world.restart();
    expect(lineage(await say(child('six'), { 'x-throughline-parent': '0198-abc' }))).toBe(`derived:${parent}:0`);
  });

  it('that was forgotten is none', async () => {
    const session = (await say(body(2), { 'x-session-id': 'gone' })).headers['x-throughline-session'] as SessionId;
    await world.companion.store.forget({ scope: lane.scope as ScopeId, session, site: null, at: Date.now() });
    expect(lineage(await say(child('seven'), { 'x-throughline-parent': 'gone' }))).toBeUndefined();
  });

  it('that nobody knows means a fresh start, and a later word without one takes none back', async () => {
    expect(lineage(await say(child('orphan'), { 'x-throughline-parent': 'never-seen' }))).toBeUndefined();
    const parent = (await say(body(2))).headers['x-throughline-session'] as string;
    await register({ conversation: 'three', parent });
    await register({ conversation: 'three' });
    expect(lineage(await say(child('three'), { 'x-throughline-conversation': 'three' }))).toBe(`derived:${parent}:0`);
  });

  it('of another key is none', async () => {
    const parent = (await say(body(2))).headers['x-throughline-session'] as string;
    lane = laneOf(world, { name: 'other' });
    expect(lineage(await say(child('stranger'), { 'x-throughline-parent': parent }))).toBeUndefined();
  });

  it('is recognised in nothing: the conversation goes on by its words', async () => {
    const first = await say(body(2), { 'x-session-id': 'a' });
    const second = await say(body(3), { 'x-session-id': 'b' });
    expect(second.headers['x-throughline-session']).toBe(first.headers['x-throughline-session']);
  });
});

describe('a registration', () => {
  it.each([
    '',
    '[]',
    '{}',
    '{"conversation":""}',
    '{"conversation":7}',
    '{"conversation":"a","parent":{}}',
    `{"conversation":"${'x'.repeat(5000)}"}`,
  ])('that is %s is refused with what to do', async (given) => {
    const got = await register(given);
    expect(got.status).toBeGreaterThanOrEqual(400);
    expect(got.status).toBeLessThan(500);
  });

  it('needs the key', async () => {
    const got = await ask(`http://127.0.0.1:${world.companion.port}/lane/${'0'.repeat(32)}/sessions`, {
      headers: { 'content-type': 'application/json' },
      body: '{"conversation":"a","parent":"b"}',
    });
    expect([got.status, got.text]).toEqual([403, '']);
  });
});
