import { describe, expect, it } from 'vitest';
import type { Answer } from '#wire/wire';
import { decodeChunks } from '../../laws/wire.laws.ts';
import { responses } from '../goldens.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (text: string): Answer => decodeChunks(responses.wire, 'text/event-stream', [bytes(text)]);
const stream = (...values: { type: string }[]): Answer =>
  decode(values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join(''));
const delta = (text: string, output_index = 0): { type: string } =>
  ({
    type: 'response.output_text.delta',
    output_index,
    content_index: 0,
    delta: text,
  }) as never;
const done = (text: string): { type: string } =>
  ({
    type: 'response.output_text.done',
    output_index: 0,
    content_index: 0,
    text,
  }) as never;
const ends = (status: string, more: object = {}): { type: string } =>
  ({
    type: `response.${status}`,
    response: { status, output: [], ...more },
  }) as never;
const NONE = { fresh: null, cached: null, written: null, output: null };
const message = (text: string): object => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const call = (more: object = {}): object => ({ type: 'function_call', call_id: 'c', name: 'f', arguments: '{"q":1}', ...more });
const added = (item: object, output_index = 0): { type: string } =>
  ({ type: 'response.output_item.added', output_index, item }) as never;
const over = (item: object, output_index = 0): { type: string } =>
  ({ type: 'response.output_item.done', output_index, item }) as never;

describe('what comes as deltas and again whole is taken once', () => {
  it('text, from whichever of the four places has it', () => {
    const whole = message('ab');
    for (const events of [
      [delta('a'), delta('b'), done('ab'), over(whole), ends('completed', { output: [whole] })],
      [delta('a'), delta('b'), ends('completed')],
      [done('ab'), over(whole), ends('completed')],
      [over(whole), ends('completed', { output: [whole] })],
      [ends('completed', { output: [whole] })],
    ])
      expect(stream(...events)).toMatchObject({ text: 'ab', outcome: 'complete', stop: 'completed' });
  });

  it('calls, also where a server gives their input at once', () => {
    const pieces = ['{"q"', ':1}'].map((piece) => ({
      type: 'response.function_call_arguments.delta',
      output_index: 0,
      delta: piece,
    }));
    const input = { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"q":1}' };
    const whole = ends('completed', { output: [call()] });
    for (const events of [
      [added(call({ arguments: '' })), ...pieces, input, over(call()), whole],
      [added(call({ arguments: '' })), input, whole],
      [added(call({ arguments: '' })), over(call()), whole],
      [added(call()), input, over(call()), whole],
      [over(call()), ends('completed')],
      [whole],
    ])
      expect(stream(...events).calls).toEqual([{ name: 'f', arguments: '{"q":1}' }]);
  });

  it('items that are told apart by their id alone', () => {
    const piece = { type: 'response.output_text.delta', item_id: 'msg_1', content_index: 0, delta: 'ab' };
    expect(stream(piece, ends('completed', { output: [{ ...message('ab'), id: 'msg_1' }] })).text).toBe('ab');
  });

  it('two parts of one item are two', () => {
    const second = { type: 'response.output_text.done', output_index: 0, content_index: 1, text: 'b' };
    expect(stream(delta('a'), done('a'), second, ends('completed')).text).toBe('ab');
  });

  it('reasoning in both spellings, apart from the text', () => {
    const summary = { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'why ' };
    const raw = { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'so' };
    expect(stream(summary, raw, delta('a', 1), ends('completed'))).toMatchObject({ reasoning: 'why so', text: 'a' });
  });
});

describe('an answer is over only when the server says so', () => {
  it('a stream that just ends is incomplete, with or without [DONE]', () => {
    expect(stream(delta('a'))).toMatchObject({ text: 'a', outcome: 'incomplete', usage: NONE });
    expect(decode('data: {"type":"response.output_text.delta","delta":"a"}\n\ndata: [DONE]\n\n').outcome).toBe('incomplete');
  });

  it('one cut at its budget is over, and says why', () => {
    expect(stream(delta('a'), ends('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }))).toMatchObject({
      outcome: 'complete',
      stop: 'max_output_tokens',
    });
  });

  it('a failure inside a 200 is an error, however it is told', () => {
    for (const end of [
      ends('failed', {
        error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' },
      }),
      { type: 'error', code: 'server_error', message: 'x' } as { type: string },
    ])
      expect(stream(delta('Par'), end)).toMatchObject({ text: 'Par', outcome: 'error' });
    expect(decode('{"error":{"message":"no"}}').outcome).toBe('error');
    expect(decode('{"output":[],"status":"failed","error":{"code":"server_error"}}').outcome).toBe('error');
  });

  it('one that is still being made in the background is incomplete', () => {
    for (const status of ['queued', 'in_progress', 'cancelled'])
      expect(decode(JSON.stringify({ status, output: [] })).outcome).toBe('incomplete');
  });

  it('what comes after the end is not taken', () => {
    expect(stream(delta('a'), ends('completed'), delta('b'), ends('failed'))).toMatchObject({ text: 'a', outcome: 'complete' });
  });

  it('the type is the event’s when it has one, else the data’s', () => {
    expect(decode('event: response.output_text.delta\ndata: {"type":"other","delta":"a"}\n\n').text).toBe('a');
    expect(decode('event: response.output_text.delta\ndata: {"delta":"a"}\n\n').text).toBe('a');
    expect(decode('data: {"type":"response.output_text.delta","delta":"a"}\n\n').text).toBe('a');
  });

  it('what makes no sense gives up the rest of the meaning, never the words', () => {
    expect(decode('data: {"type":"response.output_text.delta","delta":"a"}\n\ndata: {{\n\n')).toMatchObject({
      text: 'a',
      outcome: 'incomplete',
      usage: NONE,
    });
    expect(decode('{"object":"list"}').outcome).toBe('incomplete');
  });
});

describe('usage tells cached input apart', () => {
  it.each([
    [
      { input_tokens: 10000, input_tokens_details: { cached_tokens: 9000 }, output_tokens: 5 },
      { fresh: 1000, cached: 9000, output: 5 },
    ],
    [
      { input_tokens: 10, output_tokens: 5 },
      { fresh: 10, cached: null, output: 5 },
    ],
    [null, { fresh: null, cached: null, output: null }],
  ])('%j', (usage, told) => {
    for (const status of ['completed', 'incomplete'])
      expect(stream(ends(status, { usage })).usage).toEqual({ ...told, written: null });
  });
});
