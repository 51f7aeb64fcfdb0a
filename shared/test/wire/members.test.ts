/**
 * What a wire does not know may fail to match; it never matches wrongly, and no block may hide a change of it.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drive, sha256 } from '#base/digest';
import { parseJson } from '#base/json';
import { chainsOf } from '#chain/chain';
import { coresOf } from '#fold/core';
import { exchangeOf } from '../laws/wire.laws.ts';
import { anthropic, openai, responses } from './goldens.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
const image = 'data:image/png;base64,iVBORw0KGgo=';
const said = (role: string, content: Json, more: { [key: string]: Json } = {}): Json => ({ role, content, ...more });

/** Messages of every kind that a wire understands, so that each is a message of its own and none is opaque. */
const openaiMessages: Json[] = [
  said('user', 'plain words'),
  said('user', 'plain words', { name: 'ana' }),
  said('user', [{ type: 'text', text: 'see' }]),
  said('user', [{ type: 'image_url', image_url: { url: image, detail: 'low' } }]),
  said('user', [{ type: 'video_url', video_url: { url: 'https://example.com/v' } }]),
  said('user', [{ type: 'audio_url', audio_url: { url: 'https://example.com/a' } }]),
  said('user', [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }]),
  said('user', [{ type: 'file', file: { file_data: image } }]),
  said('assistant', 'an answer', { reasoning_content: 'why' }),
  said('assistant', [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], closed: true }]),
  said('assistant', [{ type: 'refusal', refusal: 'no' }]),
  said('assistant', null, { tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] }),
  said('assistant', null, { tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'f', input: 'x' } }] }),
  said('assistant', '', { function_call: { name: 'f', arguments: '{}' } }),
  said('tool', 'found', { tool_call_id: 'a' }),
  said('tool', [{ type: 'text', text: 'found' }], { tool_call_id: 'a' }),
];
const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
const anthropicMessages: Json[] = [
  said('user', 'plain words'),
  said('user', [{ type: 'text', text: 'see' }]),
  said('user', [{ type: 'image', source }]),
  said('user', [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }]),
  said('user', [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } }]),
  said('user', [{ type: 'tool_result', tool_use_id: 'a', is_error: false, content: [{ type: 'text', text: 'found' }] }]),
  said('user', [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source }] }]),
  said('assistant', [{ type: 'thinking', thinking: 'hm', signature: 's' }]),
  said('assistant', [
    { type: 'redacted_thinking', data: 'EmwK' },
    { type: 'text', text: 'so' },
  ]),
  said('assistant', [{ type: 'tool_use', id: 'a', name: 'f', input: 7 }]),
];
const responsesMessages: Json[] = [
  said('user', 'plain words'),
  said('user', 'plain words', { name: 'ana', type: 'message' }),
  said('user', [{ type: 'input_text', text: 'see' }]),
  said('user', [{ type: 'input_image', image_url: image, detail: 'low' }]),
  said('user', [{ type: 'input_file', file_url: 'https://example.com/a.pdf' }]),
  said('assistant', [{ type: 'output_text', text: 'an answer', annotations: [], logprobs: [] }], { phase: 'commentary' }),
  said('assistant', [{ type: 'refusal', refusal: 'no' }]),
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'gAAA' },
  { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] },
  { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}', status: 'completed' },
  { type: 'custom_tool_call', call_id: 'a', name: 'f', input: 'x' },
  { type: 'function_call_output', call_id: 'a', output: 'found' },
  { type: 'custom_tool_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'found' }] },
];

interface Identity {
  readonly links: readonly (string | undefined)[];
  readonly cores: readonly string[];
  readonly opaque: boolean;
}

function identityOf(of: typeof openai, message: Json): Identity {
  const messages = [{ role: 'user', content: 'a question' }, message];
  const exchange = exchangeOf(of.wire, of.goldens.url, JSON.stringify({ max_tokens: 9, [of.goldens.list]: messages }));
  const chains = drive(chainsOf(exchange), sha256);
  return {
    links: [chains[2].links.at(-1), chains[3].links.at(-1)],
    cores: coresOf(exchange, sha256).flatMap((core) => (core.message === 1 ? [core.id] : [])),
    opaque: exchange.messages[1]?.opaque !== undefined,
  };
}

/** Every object in the value, by its path. */
function placesOf(value: Json, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, child]) => placesOf(child, [...path, Array.isArray(value) ? +key : key]));
  return Array.isArray(value) ? inner : [path, ...inner];
}

/** The value with one more member in the object at the path. */
function withMember(value: Json, path: readonly (string | number)[], key: string, extra: Json): Json {
  const copy = structuredClone(value);
  const target = path.reduce((at, step) => (at as { [key: string]: Json })[step] as Json, copy) as { [key: string]: Json };
  target[key] = extra;
  return copy;
}

const names = fc.oneof(
  fc.constantFrom('page', 'choice', 'filename', 'start', 'end', 'title', 'context', 'metadata', 'fps', 'x', 'parsed'),
  fc.string({ minLength: 1 }).map((name) => `x_${name}`),
);
const something = fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.jsonValue()).filter((value) => value !== null);
const twoThings = fc
  .tuple(something, something)
  .filter(([a, b]) => JSON.stringify(a) !== JSON.stringify(b))
  .map((pair) => pair as [Json, Json]);

describe.each([
  ['openai-chat', openai, openaiMessages],
  ['openai-responses', responses, responsesMessages],
  ['anthropic-messages', anthropic, anthropicMessages],
] as const)('%s: an unknown member', (_id, of, messages) => {
  const places = messages.flatMap((message) => placesOf(message).map((path) => ({ message, path })));

  it('is looked for in messages that are understood', () => {
    for (const message of messages) expect(identityOf(of, message).opaque).toBe(false);
    expect(places.length).toBeGreaterThan(messages.length);
  });

  it.each(places)('of $message at $path changes the links and the core ids of its message', ({ message, path }) => {
    const without = identityOf(of, message);
    fc.assert(
      fc.property(names, twoThings, (name, things) => {
        const [one, other] = things.map((thing) => identityOf(of, withMember(message, path, name, thing))) as [
          Identity,
          Identity,
        ];
        for (const [a, b] of [
          [one, other],
          [one, without],
          [other, without],
        ] as const) {
          for (const domain of [0, 1]) expect(a.links[domain]).not.toBe(b.links[domain]);
          expect(a.cores.some((id) => b.cores.includes(id))).toBe(false);
        }
      }),
      { numRuns: 40 },
    );
  });

  it.each(places)('of $message at $path that is null is none', ({ message, path }) => {
    const { links, opaque } = identityOf(of, withMember(message, path, 'x_nothing', null));
    expect({ links, opaque }).toEqual({ links: identityOf(of, message).links, opaque: false });
  });

  it.each(places)('known of $message at $path with a value of another kind is unknown', ({ message, path }) => {
    const known = path.reduce((at, step) => (at as { [key: string]: Json })[step] as Json, message) as { [key: string]: Json };
    for (const [key, value] of Object.entries(known)) {
      // Read by code of its own: arguments and inputs may be any value, content and parts are looked into.
      if (typeof value !== 'string' || ['arguments', 'content', 'id', 'file_data', 'data'].includes(key)) continue;
      const [one, other] = [1, 2].map((thing) => identityOf(of, withMember(message, path, key, thing)));
      expect(one?.links).not.toEqual(other?.links);
      expect(one?.cores).not.toEqual(other?.cores);
    }
  });
});

describe('status is not content', () => {
  const same = (of: typeof openai, one: Json, other: Json): void => expect(identityOf(of, one)).toEqual(identityOf(of, other));

  it.each([
    ...[{ prefix: true }, { partial: false }, { tokens: 12 }, { token_count: 12 }, { usage: { total_tokens: 12 } }],
    ...[{ id: 'm-1' }, { id: 7 }, { created: 1 }, { timestamp: '10:01' }, { model: 'm' }, { finish_reason: 'stop' }],
    ...[{ annotations: [] }, { audio: null }, { refusal: null }, { reasoning_details: [{ data: 'x' }] }],
  ] as { [key: string]: Json }[])('beside an answer: %j', (more) => {
    same(openai, said('assistant', 'an answer', more), said('assistant', 'an answer'));
  });

  it('in parts, calls and blocks', () => {
    const marks = { cache_control: { type: 'ephemeral' }, id: 'p', index: 3, signature: 's', citations: [] };
    same(openai, said('user', [{ type: 'text', text: 'see', ...marks }]), said('user', 'see'));
    same(anthropic, said('assistant', [{ type: 'text', text: 'see', ...marks }]), said('assistant', 'see'));
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    same(
      openai,
      said('assistant', null, { tool_calls: [{ ...call, index: 0, extra_content: { google: { thought_signature: 'x' } } }] }),
      said('assistant', null, { tool_calls: [call] }),
    );
  });

  it('of the right kind only: a flag that holds words is content', () => {
    for (const more of [{ prefix: 'words' }, { tokens: ['words'] }, { tokens: true }, { usage: 'words' }, { id: ['words'] }])
      expect(identityOf(openai, said('assistant', 'an answer', more as { [key: string]: Json })).opaque).toBe(true);
  });

  it('but two different reasonings under two names are two', () => {
    const both = (reasoning: string): Identity =>
      identityOf(openai, said('assistant', 'an answer', { reasoning_content: 'why', reasoning }));
    expect(both('why').opaque).toBe(false);
    expect(both('because').links).not.toEqual(both('since').links);
  });
});

it('a canonical form that meets an opaque one is still another turn', () => {
  const raw = '{"content":"q","page":1,"role":"user"}';
  expect(parseJson(raw)).not.toBeNull();
  expect(identityOf(openai, JSON.parse(raw) as Json).links).not.toEqual(identityOf(openai, said('user', raw)).links);
});
