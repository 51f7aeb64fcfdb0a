import { describe, expect, it } from 'vitest';
import type { Answer } from '#wire/wire';
import { decodeChunks } from '../../laws/wire.laws.ts';
import { gemini } from '../goldens.ts';

const decode = (text: string, type = 'text/event-stream'): Answer =>
  decodeChunks(gemini.wire, type, [new TextEncoder().encode(text)]);
const sse = (...values: unknown[]): Answer => decode(values.map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`).join(''));
const array = (...values: unknown[]): Answer => decode(JSON.stringify(values), 'application/json');
const says = (parts: unknown, more: object = {}): object => ({ candidates: [{ content: { parts, role: 'model' }, ...more }] });
const text = (words: string, more: object = {}): object => says([{ text: words }], more);
const STOP = { finishReason: 'STOP' };
const NONE = { fresh: null, cached: null, written: null, output: null };

describe('gemini answers', () => {
  it('an array and a stream of events say the same', () => {
    for (const pieces of [
      [text('a'), text('b', STOP), { usageMetadata: { promptTokenCount: 3 } }],
      [text('a')],
      [text('a'), { error: { code: 503, status: 'UNAVAILABLE' } }],
      [{ promptFeedback: { blockReason: 'SAFETY' } }],
    ])
      expect(array(...pieces)).toEqual(sse(...pieces));
  });

  it('an array that was cut is incomplete and counts for nothing', () => {
    const whole = JSON.stringify([text('a', STOP), { usageMetadata: { promptTokenCount: 3 } }]);
    for (let at = 0; at < whole.length; at += 1)
      expect(decode(whole.slice(0, at), 'application/json')).toMatchObject({ outcome: 'incomplete', text: '', usage: NONE });
  });

  it('ends when a finish reason was said, and what comes after it still counts', () => {
    expect(sse(text('a')).outcome).toBe('incomplete');
    expect(sse(text('a', { finishReason: '' }), text('b', { finishReason: 'FINISH_REASON_UNSPECIFIED' })).outcome).toBe(
      'incomplete',
    );
    expect(sse(text('a', STOP), text('b'), { usageMetadata: { candidatesTokenCount: 2 } })).toMatchObject({
      text: 'ab',
      outcome: 'complete',
      stop: 'STOP',
      usage: { output: 2 },
    });
    expect(sse(says(undefined, { finishReason: 'SAFETY' }))).toMatchObject({ outcome: 'complete', text: '', stop: 'SAFETY' });
  });

  it('a blocked prompt and an error inside a 200 are errors', () => {
    expect(sse({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })).toMatchObject({
      outcome: 'error',
      stop: 'PROHIBITED_CONTENT',
    });
    expect(sse({ promptFeedback: { safetyRatings: [] } }, text('a', STOP)).outcome).toBe('complete');
    expect(sse(text('Par'), { error: { code: 500 } })).toMatchObject({ outcome: 'error', text: 'Par' });
    expect(decode('{"error":{"code":429}}', 'application/json').outcome).toBe('error');
    expect(decode('[{"error":{"code":400}}]', 'application/json').outcome).toBe('error');
  });

  it('a whole answer is over by being whole, anything else is no answer', () => {
    expect(decode(JSON.stringify(text('a')), 'application/json')).toMatchObject({ outcome: 'complete', stop: null });
    for (const rubble of ['{}', '[]', '[1]', '7', '', '<html>', '{"candidates":', '{"choices":[]}', '[[]]'])
      expect(decode(rubble).outcome).toBe('incomplete');
    expect(sse(text('a', STOP), 'rubble').outcome).toBe('incomplete');
  });

  it('only the first candidate is taken', () => {
    const two = {
      candidates: [
        { index: 1, content: { parts: [{ text: 'B' }] }, ...STOP },
        { index: 0, content: { parts: [{ text: 'A' }] } },
      ],
    };
    expect(sse(two)).toMatchObject({ text: 'A', outcome: 'incomplete' });
  });

  it('every call is its own, thoughts are kept apart, code of the server is no text', () => {
    const call = { functionCall: { id: 'same', name: 'f', args: { b: 1, a: 2 } } };
    expect(
      sse(says([{ text: 'hm', thought: true }, call]), says([call, { executableCode: { code: 'x' } }, { text: 'done' }], STOP)),
    ).toMatchObject({
      calls: [
        { name: 'f', arguments: '{"a":2,"b":1}' },
        { name: 'f', arguments: '{"a":2,"b":1}' },
      ],
      reasoning: 'hm',
      text: 'done',
    });
    expect(sse(says([{ functionCall: { name: 'f', willContinue: true } }], STOP)).outcome).toBe('incomplete');
  });

  it('a relay’s end mark is none of its own', () => {
    expect(decode(`data: ${JSON.stringify(text('a', STOP))}\n\ndata: [DONE]\n\n`)).toMatchObject({
      text: 'a',
      outcome: 'complete',
    });
  });

  it('usage: the prompt includes the cache, thoughts are output, the last figure is the true one', () => {
    const told = (...figures: object[]): unknown => sse(...figures.map((usageMetadata) => ({ usageMetadata }))).usage;
    expect(
      told({ promptTokenCount: 10000, cachedContentTokenCount: 9000, candidatesTokenCount: 4, thoughtsTokenCount: 6 }),
    ).toEqual({
      fresh: 1000,
      cached: 9000,
      written: null,
      output: 10,
    });
    expect(
      told({ promptTokenCount: 5, candidatesTokenCount: 1 }, { promptTokenCount: 5, candidatesTokenCount: 7 }),
    ).toMatchObject({
      fresh: 5,
      output: 7,
    });
    expect(told({ promptTokenCount: 5, toolUsePromptTokenCount: 40 })).toMatchObject({ fresh: 45, output: null });
    expect(told({ promptTokenCount: -1, candidatesTokenCount: 'x' })).toEqual(NONE);
  });
});
