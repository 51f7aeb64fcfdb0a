import { describe, expect, it } from 'vitest';
import { createDecoder } from '#wire/decoder';
import { createAnswerReader } from '#wire/openai-chat/answer';
import type { Answer, Wire } from '#wire/wire';
import { decodeChunks } from '../laws/wire.laws.ts';
import { anthropic, openai } from './goldens.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (wire: Wire, text: string, type = 'text/event-stream'): Answer => decodeChunks(wire, type, [bytes(text)]);
const events = (...values: unknown[]): string =>
  values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join('');
const chat = (...values: unknown[]): Answer => decode(openai.wire, events(...values));
const messages = (...values: unknown[]): Answer => decode(anthropic.wire, events(...values));
const says = (content: unknown, finish: unknown = null, index = 0): object => ({
  choices: [{ index, delta: { content }, finish_reason: finish }],
});
const NONE = { fresh: null, cached: null, written: null, output: null };

describe('server-sent events', () => {
  const said = JSON.stringify(says('\u6c34'));
  it.each([
    ['LF', `data: ${said}\n\n`],
    ['CRLF', `data: ${said}\r\n\r\n`],
    ['CR', `data: ${said}\r\r`],
    ['a byte order mark', `\ufeffdata: ${said}\n\n`],
    ['no space after the colon', `data:${said}\n\n`],
    ['comments and bare colons', `: still working\n\n:\n\ndata: ${said}\n:\n\n`],
    ['data over several lines', `data: ${said.replace(',', ',\ndata: ')}\n\n`],
    ['other fields', `id: 7\nretry: 10\nfoo: bar\nbaz\ndata: ${said}\n\n`],
    ['no final blank line', `data: ${said}\n`],
    ['no final line end', `data: ${said}`],
    ['a final CR', `data: ${said}\r`],
  ])('with %s, at every cut', (_what, stream) => {
    const all = bytes(stream);
    for (let at = 0; at <= all.length; at += 1)
      expect(decodeChunks(openai.wire, 'text/event-stream', [all.subarray(0, at), all.subarray(at)]).text).toBe('\u6c34');
  });

  it('only one byte order mark is removed, and line separators inside JSON are text', () => {
    expect(decode(openai.wire, `\ufeff\ufeffdata: ${said}\n\n`).text).toBe('');
    expect(chat('{"choices":[{"delta":{"content":"a\u2028b\u2029c\u0085\ufeff"}}]}').text).toBe('a\u2028b\u2029c\u0085\ufeff');
  });

  it('a line of more than 8 MiB ends the understanding, quietly', () => {
    const answer = decode(
      openai.wire,
      `${events(says('a'))}data: ${JSON.stringify(says('x'.repeat(8 * 1024 * 1024)))}\n\n${events(says('b', 'stop'), '[DONE]')}`,
    );
    expect(answer).toMatchObject({ text: 'a', outcome: 'incomplete', usage: NONE });
  });

  it('an answer over the size limit ends the understanding, quietly, whatever it was', () => {
    const stream = bytes(events(says('a', 'stop'), '[DONE]'));
    const whole = bytes(JSON.stringify({ choices: [{ message: { content: 'a' } }] }));
    for (const answer of [stream, whole])
      for (const [limit, outcome] of [
        [answer.length, 'complete'],
        [answer.length - 1, 'incomplete'],
      ] as const) {
        const decoder = createDecoder(createAnswerReader(), 'events', limit);
        for (const byte of answer) decoder.feed(Uint8Array.of(byte));
        expect(decoder.end()).toMatchObject({ outcome, usage: NONE });
      }
  });
});

describe('openai-chat answers', () => {
  it('usage comes in a chunk without choices, which says nothing else', () => {
    expect(
      chat(
        says('a'),
        { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
        { usage: { prompt_tokens: 5 } },
        { choices: [{ delta: null }] },
      ),
    ).toMatchObject({
      text: 'a',
      usage: { fresh: 5, cached: null, output: 2 },
    });
  });

  it('an empty finish reason is no end, and a finish counts once', () => {
    expect(chat(says('a', '')).outcome).toBe('incomplete');
    expect(chat(says('a', ''), says('b', 'stop'))).toMatchObject({ text: 'ab', outcome: 'complete', stop: 'stop' });
  });

  it('null and absent content is no text', () => {
    expect(chat(says(null), says(undefined), says('')).text).toBe('');
  });

  it('calls without index are told apart by position', () => {
    const call = (id: string, name: string): object => ({ id, function: { name, arguments: '{}' } });
    const delta = (calls: object[]): object => ({ choices: [{ delta: { tool_calls: calls } }] });
    const two = [
      { name: 'f', arguments: '{}' },
      { name: 'g', arguments: '{}' },
    ];
    expect(chat(delta([call('a', 'f'), call('b', 'g')])).calls).toEqual(two);
    expect(chat(delta([call('a', 'f')]), delta([call('b', 'g')])).calls).toEqual(two);
  });

  it('index gaps make no phantom call, pieces go where they belong', () => {
    const delta = (index: number, piece: object, id?: string): object => ({
      choices: [{ delta: { tool_calls: [{ index, id, function: piece }] } }],
    });
    const answer = chat(
      delta(0, { name: 'f', arguments: '{"x"' }, 'a'),
      delta(2, { name: 'g', arguments: '{}' }, 'c'),
      delta(0, { arguments: ':1}' }),
    );
    expect(answer.calls).toEqual([
      { name: 'f', arguments: '{"x":1}' },
      { name: 'g', arguments: '{}' },
    ]);
  });

  it('other choices are kept apart and not taken', () => {
    expect(chat(says('B', null, 1), says('A', null, 0), says('', 'stop', 1))).toMatchObject({
      text: 'A',
      outcome: 'incomplete',
    });
    expect(chat({ choices: [{ delta: { content: 'A' } }, { delta: { content: 'B' } }] }).text).toBe('A');
  });

  it('what comes after [DONE], with spaces or twice, is not taken', () => {
    expect(
      decode(openai.wire, `${events(says('a'))}data: [DONE] \n\n${events({ x: 1 }, 'rubbish', says('b'), '[DONE]')}`),
    ).toMatchObject({
      text: 'a',
      outcome: 'complete',
    });
  });

  it('an error inside a 200 is an error', () => {
    expect(chat(says('Par'), { error: { message: 'overloaded' } }, '[DONE]')).toMatchObject({ text: 'Par', outcome: 'error' });
    expect(decode(openai.wire, '{"error":{"message":"too long"}}').outcome).toBe('error');
    expect(decode(openai.wire, '{"error":"no","choices":[]}', 'application/json').outcome).toBe('error');
  });

  it('a stream that just ends, never began, or makes no sense is incomplete', () => {
    expect(chat(says('a')).outcome).toBe('incomplete');
    expect(decode(openai.wire, '')).toEqual({
      text: '',
      reasoning: '',
      calls: [],
      usage: NONE,
      outcome: 'incomplete',
      stop: null,
    });
    expect(decode(openai.wire, '<html>busy</html>', 'text/html').outcome).toBe('incomplete');
    expect(chat({ usage: { prompt_tokens: 1 } }, says('a'), '{"cut', says('b', 'stop'), '[DONE]')).toMatchObject({
      outcome: 'incomplete',
      usage: NONE,
    });
  });

  it('reasoning is kept apart from text in any spelling', () => {
    const delta = (piece: object): object => ({ choices: [{ delta: piece }] });
    expect(
      chat(
        delta({ reasoning_content: 'a' }),
        delta({ reasoning: 'b' }),
        delta({
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'c' }] },
            { type: 'text', text: 'd' },
          ],
        }),
      ),
    ).toMatchObject({ reasoning: 'abc', text: 'd' });
  });
});

describe('anthropic-messages answers', () => {
  const start = { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } };
  const text = (value: string): object => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: value },
  });
  const stop = { type: 'message_stop' };

  it('only message_stop is the end', () => {
    expect(messages(start, text('a'), { type: 'message_delta', delta: { stop_reason: 'end_turn' } })).toMatchObject({
      outcome: 'incomplete',
      stop: 'end_turn',
    });
    expect(messages(start, text('a'), stop, text('b'), '{')).toMatchObject({ outcome: 'complete', text: 'a' });
  });

  it('an error after text is an error, and keeps the text', () => {
    expect(messages(start, text('Par'), { type: 'error', error: { type: 'overloaded_error' } }, stop)).toMatchObject({
      text: 'Par',
      outcome: 'error',
    });
    expect(decode(anthropic.wire, '{"type":"error","error":{"type":"overloaded_error"}}').outcome).toBe('error');
  });

  it('the type is the event’s when it has one, else the payload’s', () => {
    expect(messages(text('a'), stop)).toMatchObject({ text: 'a', outcome: 'complete' });
    expect(decode(anthropic.wire, `event: error\n${events({ error: {} })}`).outcome).toBe('error');
    expect(decode(anthropic.wire, `event: message_stop\ndata: {}\n\n`).outcome).toBe('complete');
  });

  it('arguments may come whole at the start of their block', () => {
    const block = {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    };
    expect(messages(start, block, stop).calls).toEqual([{ name: 'f', arguments: '{"a":1}' }]);
  });

  it('a server’s own tool is not a call of the client', () => {
    const block = {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 't', name: 'web', input: {} },
    };
    const piece = { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"q":1}' } };
    expect(messages(start, block, piece, stop).calls).toEqual([]);
  });

  it('a refusal is told by its stop reason', () => {
    expect(messages(start, { type: 'message_delta', delta: { stop_reason: 'refusal' } }, stop)).toMatchObject({
      stop: 'refusal',
      text: '',
      outcome: 'complete',
    });
  });
});

describe('usage tells cached input apart', () => {
  const told = (begin: object, delta: object): unknown =>
    messages(
      { type: 'message_start', message: { usage: begin } },
      { type: 'message_delta', usage: delta },
      { type: 'message_stop' },
    ).usage;

  it('totals repeated at the end are not added', () => {
    expect(
      told(
        { input_tokens: 40, cache_read_input_tokens: 900, output_tokens: 2 },
        { input_tokens: 40, cache_read_input_tokens: 900, output_tokens: 61 },
      ),
    ).toEqual({ fresh: 40, cached: 900, written: null, output: 61 });
  });

  it('the split told at the end is the true one', () => {
    expect(told({ input_tokens: 5000 }, { input_tokens: 200, cache_read_input_tokens: 4800, output_tokens: 70 })).toEqual({
      fresh: 200,
      cached: 4800,
      written: null,
      output: 70,
    });
  });

  it('a zero replaces no figure, but is one where nothing was told', () => {
    expect(
      told({ input_tokens: 40, cache_creation_input_tokens: 0, output_tokens: 2 }, { input_tokens: 0, output_tokens: 9 }),
    ).toEqual({
      fresh: 40,
      cached: null,
      written: 0,
      output: 9,
    });
  });

  it('one wire includes the cached tokens, the other does not: both come out alike', () => {
    const whole = (usage: object): string => JSON.stringify({ choices: [{ message: { content: 'a' } }], usage });
    const included = decode(
      openai.wire,
      whole({ prompt_tokens: 10000, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9000 } }),
    ).usage;
    expect(included).toMatchObject({ fresh: 1000, cached: 9000 });
    expect(told({ input_tokens: 1000, cache_read_input_tokens: 9000 }, { output_tokens: 1 })).toMatchObject({
      fresh: 1000,
      cached: 9000,
    });
    expect(decode(openai.wire, whole({ prompt_tokens: 10, prompt_cache_hit_tokens: 4 })).usage).toMatchObject({
      fresh: 6,
      cached: 4,
    });
  });

  it('figures repeated in every chunk are the last one', () => {
    const chunk = (output: number): object => ({ choices: [], usage: { prompt_tokens: 7, completion_tokens: output } });
    expect(chat(chunk(1), chunk(2), chunk(3), says('', 'stop')).usage).toMatchObject({ fresh: 7, output: 3 });
  });
});
