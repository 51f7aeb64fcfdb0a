import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonOf } from '#neutral/canon';
import { project } from '#neutral/project';
import type { Domain } from '#neutral/turn';
import { exchangeOf } from '../laws/wire.laws.ts';
import { anthropic, gemini, ollama, openai, responses } from './goldens.ts';

const vectors = JSON.parse(readFileSync(new URL('../vectors/identity.json', import.meta.url), 'utf8')) as {
  calls_with_reasoning: { [hv in 'hv2' | 'hv3']: { canon: string[] } };
};

const openaiHistory = [
  { role: 'system', content: 'tools are fine' },
  { role: 'user', content: 'look at this\n' },
  {
    role: 'assistant',
    reasoning_content: 'I should search.',
    content: 'Let me look.',
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'search', arguments: '{ "tags":["b","a"], "q":1.0 }' } },
      { id: 'b', type: 'function', function: { name: 'now', arguments: '' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: 'found' },
  { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: '12:00' }] },
  { role: 'assistant', reasoning: 'Done thinking.', content: 'It is noon.' },
];

const anthropicHistory = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'look at ' },
      { type: 'text', text: 'this\n', cache_control: { type: 'ephemeral' } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'I should search.', signature: 'AbC==' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'toolu_a', name: 'search', input: { q: 1, tags: ['b', 'a'] } },
      { type: 'tool_use', id: 'toolu_b', name: 'now', input: {} },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_a', content: 'found' },
      { type: 'tool_result', tool_use_id: 'toolu_b', content: [{ type: 'text', text: '12:00' }] },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Done thinking.', signature: 'x' },
      { type: 'redacted_thinking', data: 'EmwK' },
      { type: 'text', text: 'It is noon.' },
    ],
  },
];

const responsesHistory = [
  { role: 'developer', content: 'tools are fine' },
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'look at ' },
      { type: 'input_text', text: 'this\n' },
    ],
  },
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I should search.' }], encrypted_content: 'gAAA' },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }],
  },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'a',
    name: 'search',
    arguments: '{"q":1,"tags":["b","a"]}',
    status: 'completed',
  },
  { type: 'function_call', call_id: 'b', name: 'now', arguments: '' },
  { type: 'function_call_output', call_id: 'a', output: 'found' },
  { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: '12:00' }] },
  { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 'Done thinking.' }] },
  { role: 'assistant', content: 'It is noon.' },
];

const geminiHistory: { role?: string; parts: object[] }[] = [
  { parts: [{ text: 'look at ' }, { text: 'this\n' }] },
  {
    role: 'model',
    parts: [
      { text: 'I should search.', thought: true },
      { text: 'Let me look.' },
      { functionCall: { name: 'search', args: { tags: ['b', 'a'], q: 1 } }, thoughtSignature: 'AbC=' },
      { functionCall: { name: 'now' } },
    ],
  },
  {
    role: 'user',
    parts: [
      { functionResponse: { name: 'search', response: { output: 'found' } } },
      { functionResponse: { name: 'now', response: { result: '12:00' } } },
    ],
  },
  {
    role: 'model',
    parts: [
      { text: 'Done thinking.', thought: true },
      { text: 'It is noon.', thoughtSignature: 'x' },
    ],
  },
];

/** The same as Google's own client replays a streamed reply: every event is a content. */
const geminiEvents: object[] = geminiHistory.flatMap(({ role, parts }) =>
  role === 'model' ? [...parts, { text: '' }].map((part) => ({ parts: [part], role })) : [{ parts, role }],
);

const ollamaHistory = [
  { role: 'system', content: 'tools are fine' },
  { role: 'user', content: 'look at this\n' },
  {
    role: 'assistant',
    thinking: 'I should search.',
    content: 'Let me look.',
    tool_calls: [
      { function: { index: 0, name: 'search', arguments: { tags: ['b', 'a'], q: 1 } } },
      { function: { index: 1, name: 'now' } },
    ],
  },
  { role: 'tool', tool_name: 'search', content: 'found' },
  { role: 'tool', tool_name: 'now', content: '12:00' },
  { role: 'assistant', reasoning: 'Done thinking.', content: 'It is noon.' },
];

describe('one conversation has one identity on every wire', () => {
  it.each([
    ['openai-chat', openai, openaiHistory],
    ['openai-responses', responses, responsesHistory],
    ['anthropic-messages', anthropic, anthropicHistory],
    ['gemini', gemini, geminiHistory],
    ['gemini, event by event', gemini, geminiEvents],
    ['ollama-chat', ollama, ollamaHistory],
  ] as const)('%s', (_id, { wire, goldens }, messages) => {
    const exchange = exchangeOf(wire, goldens.url, JSON.stringify({ model: 'm', max_tokens: 9, [goldens.list]: messages }));
    const canons = (domain: Domain): string[] => project(exchange, domain).turns.map(canonOf);
    expect(canons(2)).toEqual(vectors.calls_with_reasoning.hv2.canon);
    expect(canons(3)).toEqual(vectors.calls_with_reasoning.hv3.canon);
  });
});
