import { describe, expect, it, vi } from 'vitest';
import { createDecoder } from '#wire/decoder';
import { createLineReader } from '#wire/lines';
import { createAnswerReader } from '#wire/ollama-chat/answer';
import type { Answer } from '#wire/wire';
import { decodeChunks } from '../../laws/wire.laws.ts';
import { ollama } from '../goldens.ts';

const { wire } = ollama;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (text: string): Answer => decodeChunks(wire, 'application/x-ndjson', [bytes(text)]);
const lines = (...values: unknown[]): Answer => decode(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
const says = (content: unknown, more: object = {}): object => ({
  message: { role: 'assistant', content },
  done: false,
  ...more,
});
const DONE = { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' };
const NONE = { fresh: null, cached: null, written: null, output: null };

describe('lines of JSON', () => {
  const [first, last] = [JSON.stringify(says('\u6c34 ')), JSON.stringify(says('b', { done: true }))];
  it.each([
    ['LF', `${first}\n${last}\n`],
    ['CRLF', `${first}\r\n${last}\r\n`],
    ['CR', `${first}\r${last}\r`],
    ['a byte order mark', `\ufeff${first}\n${last}\n`],
    ['blank lines', `\n\n${first}\n\n \r\n\t\n${last}\n\n`],
    ['no final line end', `${first}\n${last}`],
    ['spaces around', `  ${first}  \n\t${last} \n`],
    [
      'documents over several lines',
      `${JSON.stringify(says('\u6c34 '), null, 2)}\n${JSON.stringify(JSON.parse(last), null, '\t')}`,
    ],
    ['a brace at the end of an inner line', `{"a":{}\n,${first.slice(1)}\n${last}`],
  ])('with %s, at every cut and byte by byte', (_what, stream) => {
    const all = bytes(stream);
    const wanted = { text: '\u6c34 b', outcome: 'complete' };
    for (let at = 0; at <= all.length; at += 1)
      expect(decodeChunks(wire, '', [all.subarray(0, at), all.subarray(at)])).toMatchObject(wanted);
    const single = [...all].map((byte) => Uint8Array.of(byte));
    expect(decodeChunks(wire, '', single)).toMatchObject(wanted);
  });

  it('only one byte order mark is removed, and line separators inside JSON are text', () => {
    expect(decode(`\ufeff\ufeff${last}\n`).outcome).toBe('incomplete');
    expect(decode('{"message":{"content":"a\u2028b\u2029c\u0085\ufeff"},"done":true}\n').text).toBe(
      'a\u2028b\u2029c\u0085\ufeff',
    );
  });

  it('a line of more than 8 MiB ends the understanding, quietly', () => {
    const answer = lines(says('a'), says('x'.repeat(8 * 1024 * 1024)), says('b', { done: true, eval_count: 3 }));
    expect(answer).toMatchObject({ text: 'a', outcome: 'incomplete', usage: NONE });
  });

  it('many lines together may be longer', () => {
    const piece = 'x'.repeat(3 * 1024 * 1024);
    expect(lines(says(piece), says(piece), says(piece), DONE)).toMatchObject({ text: piece.repeat(3), outcome: 'complete' });
  });

  it('an answer over the size limit ends the understanding, quietly', () => {
    const all = bytes(`${first}\n${last}`);
    for (const [limit, outcome] of [
      [all.length, 'complete'],
      [all.length - 1, 'incomplete'],
    ] as const) {
      const decoder = createDecoder(createAnswerReader(), 'lines', limit);
      for (const byte of all) decoder.feed(Uint8Array.of(byte));
      expect(decoder.end()).toMatchObject({ outcome, usage: NONE });
    }
  });

  it('a document is read once, however many lines it stands over', () => {
    const pretty = JSON.stringify(says('a', { rows: Array.from({ length: 50 }, (_, id) => ({ id })), done: true }), null, 1);
    const parse = vi.spyOn(JSON, 'parse');
    expect(decode(pretty)).toMatchObject({ text: 'a', outcome: 'complete' });
    expect(parse).toHaveBeenCalledTimes(1);
    parse.mockRestore();
  });

  it.each(['data: {"done":true}', '<html>', '[{}', '0:"a"', '{"a":{}} 7', '{"a":"b\n'])(
    'what is no line of JSON is given up where it shows, and never held: %j',
    (rubble) => {
      const seen: string[] = [];
      const reader = createLineReader(
        (text) => seen.push(text),
        () => seen.push('strange'),
      );
      for (const character of rubble) reader.feed(character);
      expect(seen.at(-1)).toBe('strange');
      const before = seen.length;
      reader.feed('{"done":true}\n');
      reader.end();
      expect(seen).toHaveLength(before);
    },
  );

  it('what is no JSON is no answer', () => {
    for (const rubble of [
      '',
      '\n',
      '<html>busy</html>',
      'data: {"done":true}\n\n',
      '{"done":',
      '[]',
      '7',
      '"a"',
      '{}',
      '[{"done":true}]',
    ])
      expect(decode(rubble).outcome).toBe('incomplete');
    expect(decode(`${first}\nrubble\n${last}\n`)).toMatchObject({ outcome: 'incomplete', usage: NONE });
  });
});

describe('ollama-chat answers', () => {
  it('end when they say done, and nothing after that is taken', () => {
    expect(lines(says('a')).outcome).toBe('incomplete');
    expect(lines(says('a'), says('b', { done: 'true' })).outcome).toBe('incomplete');
    expect(lines(says('a'), DONE, says('b'), { error: 'late' })).toMatchObject({
      text: 'a',
      outcome: 'complete',
      stop: 'stop',
    });
  });

  it('may be done without a reason', () => {
    expect(lines(says('a'), { done: true })).toMatchObject({ text: 'a', outcome: 'complete', stop: null });
    expect(lines({ ...DONE, done_reason: 'length' })).toMatchObject({ outcome: 'complete', stop: 'length' });
  });

  it('null and absent content is no text', () => {
    expect(lines(says(null), says(undefined), {}, { message: null }, DONE)).toMatchObject({ text: '', outcome: 'complete' });
  });

  it('an error inside a 200 is an error, and keeps the text', () => {
    expect(lines(says('Par'), { error: 'an error was encountered while running the model' })).toMatchObject({
      text: 'Par',
      outcome: 'error',
    });
    expect(decode('{"error":"model requires more memory"}').outcome).toBe('error');
    expect(lines({ error: { message: 'x' } }).outcome).toBe('error');
  });

  it('thinking is kept apart from text', () => {
    expect(
      lines({ message: { content: '', thinking: 'h' } }, { message: { content: 'a', thinking: 'm' } }, DONE),
    ).toMatchObject({
      reasoning: 'hm',
      text: 'a',
    });
  });

  it('every call is whole and its own, whether in one document or several, alike or not', () => {
    const call = (args: unknown): object => ({ function: { name: 'f', arguments: args } });
    const answer = lines(
      { message: { content: '', tool_calls: [call({ b: 1, a: 2 }), call({ b: 1, a: 2 })] } },
      { message: { tool_calls: [call('{"x":1}'), call(null), { function: null }, 7] } },
      DONE,
    );
    expect(answer.calls).toEqual([
      { name: 'f', arguments: '{"a":2,"b":1}' },
      { name: 'f', arguments: '{"a":2,"b":1}' },
      { name: 'f', arguments: '{"x":1}' },
      { name: 'f', arguments: '{}' },
    ]);
  });
});

describe('ollama-chat usage', () => {
  it('is what the last document says; a prompt that was cached is not told, and unknown is not zero', () => {
    expect(lines({ ...DONE, prompt_eval_count: 26, eval_count: 7 }).usage).toEqual({ ...NONE, fresh: 26, output: 7 });
    expect(lines({ ...DONE, eval_count: 7 }).usage).toEqual({ ...NONE, output: 7 });
    expect(lines({ ...DONE, prompt_eval_count: -1, eval_count: '7' }).usage).toEqual(NONE);
  });

  it('is unknown when the answer broke off', () => {
    expect(lines(says('a', { prompt_eval_count: 26 })).usage).toEqual(NONE);
  });
});
