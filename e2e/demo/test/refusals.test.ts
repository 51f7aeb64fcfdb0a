/** The demo model refuses what the real providers refuse, with their status, shape and words. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoServer, startDemo } from '../model/server.ts';
import { ANTHROPIC, ask, OPENAI } from './ask.ts';

let demo: DemoServer;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.close());

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });
const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
const openai = (messages: unknown, more: object = {}) => ({ model: 'demo-small', messages, ...more });
const anthropic = (messages: unknown, more: object = {}) => ({ model: 'demo-small', max_tokens: 100, messages, ...more });
const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'seen' });
const LONG = 'word '.repeat(16_000);

const OPENAI_BAD: [string, unknown, number, RegExp][] = [
  ['not JSON', '{"model":', 400, /could not parse the JSON body/],
  ['no model', { messages: [user('a')] }, 400, /must provide a model/],
  ['unknown model', { model: 'none', messages: [user('a')] }, 404, /does not exist/],
  ['no messages', { model: 'demo-small' }, 400, /Missing required parameter: 'messages'/],
  ['empty messages', openai([]), 400, /empty array/],
  ['messages no array', openai('a'), 400, /expected an array of objects, but got a string/],
  ['unknown parameter', openai([user('a')], { colour: 1 }), 400, /Unknown parameter: 'colour'/],
  [
    'unknown message key',
    openai([user('a'), assistant('b', { reasoning: 'c' })]),
    400,
    /Unknown parameter: 'messages\[1\]\.reasoning'/,
  ],
  ['unknown role', openai([{ role: 'robot', content: 'a' }]), 400, /Invalid value: 'robot'/],
  ['null content of a user', openai([user(null)]), 400, /Invalid type for 'messages\[0\]\.content'/],
  ['missing content', openai([{ role: 'user' }]), 400, /Missing required parameter: 'messages\[0\]\.content'/],
  ['null content without calls', openai([user('a'), assistant(null)]), 400, /Invalid type for 'messages\[1\]\.content'/],
  ['empty parts', openai([user([])]), 400, /empty array/],
  ['unknown part', openai([user([{ type: 'smell' }])]), 400, /Invalid value: 'smell'/],
  [
    'image from the assistant',
    openai([user('a'), assistant([{ type: 'image_url', image_url: { url: 'x' } }])]),
    400,
    /Invalid value: 'image_url'/,
  ],
  [
    'orphan tool message',
    openai([user('a'), { role: 'tool', tool_call_id: 'c1', content: 'x' }]),
    400,
    /must be a response to a preceeding message/,
  ],
  [
    'unanswered call',
    openai([user('a'), assistant(null, { tool_calls: [call('c1')] }), user('b')]),
    400,
    /did not have response messages: c1/,
  ],
  [
    'call at the end',
    openai([user('a'), assistant(null, { tool_calls: [call('c1')] })]),
    400,
    /did not have response messages: c1/,
  ],
  [
    'wrong call id',
    openai([user('a'), assistant(null, { tool_calls: [call('c1')] }), { role: 'tool', tool_call_id: 'c2', content: 'x' }]),
    400,
    /'tool_call_id' of 'c2' not found/,
  ],
  ['empty tool_calls', openai([user('a'), assistant('b', { tool_calls: [] })]), 400, /empty array/],
  ['stream of a wrong type', openai([user('a')], { stream: 'yes' }), 400, /expected a boolean/],
  [
    'stream options without stream',
    openai([user('a')], { stream_options: { include_usage: true } }),
    400,
    /only allowed when 'stream'/,
  ],
  ['max_tokens 0', openai([user('a')], { max_tokens: 0 }), 400, /below minimum value/],
  [
    'over the window',
    openai([user(LONG)]),
    400,
    /maximum context length is 16384 tokens\. However, your messages resulted in \d+ tokens/,
  ],
];

const ANTHROPIC_BAD: [string, unknown, number, RegExp][] = [
  ['not JSON', '[', 400, /not valid JSON/],
  ['no max_tokens', { model: 'demo-small', messages: [user('a')] }, 400, /^max_tokens: Field required$/],
  ['unknown model', anthropic([user('a')], { model: 'none' }), 404, /^model: none$/],
  ['empty messages', anthropic([]), 400, /at least one message is required/],
  ['unknown parameter', anthropic([user('a')], { seed: 1 }), 400, /^seed: Extra inputs are not permitted$/],
  ['unknown message key', anthropic([{ ...user('a'), name: 'x' }]), 400, /^messages\.0\.name: Extra inputs/],
  ['assistant first', anthropic([assistant('a'), user('b')]), 400, /first message must use the "user" role/],
  ['two users in a row', anthropic([user('a'), user('b')]), 400, /multiple "user" roles in a row/],
  ['system role', anthropic([{ role: 'system', content: 'a' }]), 400, /top-level `system` parameter/],
  ['unknown role', anthropic([{ role: 'tool', content: 'a' }]), 400, /Input should be 'user' or 'assistant'/],
  ['empty content', anthropic([user('')]), 400, /must have non-empty content/],
  ['empty block list', anthropic([user('a'), assistant([]), user('b')]), 400, /must have non-empty content/],
  ['empty text block', anthropic([user([{ type: 'text', text: '' }])]), 400, /text content blocks must be non-empty/],
  ['white text block', anthropic([user([{ type: 'text', text: ' \n' }])]), 400, /non-whitespace text/],
  ['prefill with trailing space', anthropic([user('a'), assistant('b ')]), 400, /cannot end with trailing whitespace/],
  ['orphan tool_result', anthropic([user([result('t1')])]), 400, /unexpected `tool_use_id` found in `tool_result` blocks: t1/],
  [
    'tool_use without result',
    anthropic([user('a'), assistant([use('t1')]), user('b')]),
    400,
    /without `tool_result` blocks immediately after: t1/,
  ],
  [
    'tool_result one message late',
    anthropic([user('a'), assistant([use('t1')]), user('b'), assistant('c'), user([result('t1')])]),
    400,
    /without `tool_result` blocks immediately after: t1/,
  ],
  [
    'tool_result after text',
    anthropic([user('a'), assistant([use('t1')]), user([{ type: 'text', text: 'b' }, result('t1')])]),
    400,
    /`tool_result` blocks must come before/,
  ],
  [
    'same tool_use id twice',
    anthropic([user('a'), assistant([use('t1'), use('t1')]), user([result('t1')])]),
    400,
    /ids must be unique/,
  ],
  [
    'tool_use id with a dot',
    anthropic([user('a'), assistant([use('t.1')]), user([result('t.1')])]),
    400,
    /should match pattern/,
  ],
  ['unknown block', anthropic([user([{ type: 'smell' }])]), 400, /does not match any of the expected tags/],
  ['unknown block key', anthropic([user([{ type: 'text', text: 'a', size: 1 }])]), 400, /text\.size: Extra inputs/],
  [
    'thinking it did not sign',
    anthropic([
      user('a'),
      assistant([
        { type: 'thinking', thinking: 'hm', signature: 'AAAA' },
        { type: 'text', text: 'b' },
      ]),
      user('c'),
    ]),
    400,
    /Invalid `signature` in `thinking` block/,
  ],
  [
    'thinking budget over max_tokens',
    anthropic([user('a')], { thinking: { type: 'enabled', budget_tokens: 2000 } }),
    400,
    /must be greater than/,
  ],
  ['over the window', anthropic([user(LONG)]), 400, /^prompt is too long: \d+ tokens > 16384 maximum$/],
];

describe('openai-chat refuses', () => {
  it.each(OPENAI_BAD)('%s', async (_name, body, status, words) => {
    const answered = await ask(demo.origin, OPENAI, body);
    expect(answered.status).toBe(status);
    expect(answered.json.error?.message).toMatch(words);
    expect(Object.keys(answered.json.error ?? {})).toEqual(['message', 'type', 'param', 'code']);
  });

  it('says context_length_exceeded, which clients look for', async () => {
    expect((await ask(demo.origin, OPENAI, openai([user(LONG)]))).json.error?.code).toBe('context_length_exceeded');
  });

  it('a missing key and a wrong one', async () => {
    expect(await ask(demo.origin, OPENAI, openai([user('a')]), {})).toMatchObject({
      status: 401,
      json: { error: { code: null } },
    });
    const wrong = await ask(demo.origin, OPENAI, openai([user('a')]), { authorization: 'Bearer invalid' });
    expect(wrong).toMatchObject({ status: 401, json: { error: { code: 'invalid_api_key' } } });
  });
});

describe('anthropic-messages refuses', () => {
  it.each(ANTHROPIC_BAD)('%s', async (_name, body, status, words) => {
    const answered = await ask(demo.origin, ANTHROPIC, body);
    expect(answered.status).toBe(status);
    expect(answered.json.error?.message).toMatch(words);
    expect(answered.json).toMatchObject({ type: 'error' });
  });

  it('a missing key, a missing version, and a foreign page that does not say so', async () => {
    const body = anthropic([user('a')]);
    const key = { 'x-api-key': 'k' };
    const version = { 'anthropic-version': '2023-06-01' };
    expect(await ask(demo.origin, ANTHROPIC, body, version)).toMatchObject({
      status: 401,
      json: { error: { type: 'authentication_error' } },
    });
    expect((await ask(demo.origin, ANTHROPIC, body, key)).status).toBe(400);
    expect((await ask(demo.origin, ANTHROPIC, body, { ...key, ...version, origin: 'https://elsewhere.test' })).status).toBe(
      401,
    );
  });

  it('takes back the thinking it signed, and not with one letter changed', async () => {
    const thinking = { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } };
    const first = await ask(demo.origin, ANTHROPIC, anthropic([user('a')], thinking));
    const content = first.json.content ?? [];
    expect(content[0]?.type).toBe('thinking');
    const replay = (blocks: unknown) =>
      ask(demo.origin, ANTHROPIC, anthropic([user('a'), assistant(blocks), user('b')], thinking));
    expect((await replay(content)).status).toBe(200);
    expect((await replay([{ ...content[0], thinking: `${content[0]?.thinking}!` }, ...content.slice(1)])).status).toBe(400);
  });
});

describe('both wires', () => {
  it('refuse a body over the limit with 413', async () => {
    demo.options.maxBytes = 1_000;
    const text = 'x'.repeat(2_000);
    expect((await ask(demo.origin, OPENAI, openai([user(text)]))).status).toBe(413);
    expect((await ask(demo.origin, ANTHROPIC, anthropic([user(text)]))).json.error?.type).toBe('request_too_large');
    demo.options.maxBytes = 1_000_000;
  });

  it('take what is right: parts, calls and results, prefill', async () => {
    const good: [string, unknown][] = [
      [OPENAI, openai([{ role: 'developer', content: 'd' }, user([{ type: 'text', text: 'a' }])])],
      [
        OPENAI,
        openai([user('a'), assistant(null, { tool_calls: [call('c1')] }), { role: 'tool', tool_call_id: 'c1', content: 'x' }]),
      ],
      [ANTHROPIC, anthropic([user('a'), assistant([use('t1')]), user([result('t1'), { type: 'text', text: 'b' }])])],
      [ANTHROPIC, anthropic([user('a'), assistant('b')])],
    ];
    for (const [path, body] of good) expect((await ask(demo.origin, path, body)).json.error).toBeUndefined();
  });
});
