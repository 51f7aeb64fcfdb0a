/** What every wire's decoder keeps to, whatever its provider: the framing of streams, and what comes where an answer was due. */
import { describe, expect, it } from 'vitest';
import { decodeChunks } from '../laws/wire.laws.ts';
import { anthropic, gemini, ollama, openai, responses } from './goldens.ts';

const WIRES = [openai, responses, anthropic, gemini, ollama];
const TYPES = ['text/event-stream', 'application/json', 'application/x-ndjson', 'text/html', ''];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const streams = WIRES.flatMap(({ wire, goldens }) =>
  goldens.answers.map(({ name, stream }) => {
    const text = new TextDecoder().decode(stream).replaceAll('\r\n', '\n');
    return { name: `${wire.id}, ${name}`, wire, text, whole: decodeChunks(wire, '', [stream]) };
  }),
);
const events = streams.filter(({ text }) => /^data:/m.test(text));
const lines = streams.filter(({ wire }) => wire.id === 'ollama-chat');

it('every wire has a recorded stream', () => {
  expect(new Set(streams.map(({ wire }) => wire.id)).size).toBe(WIRES.length);
  expect(new Set(events.map(({ wire }) => wire.id)).size).toBe(4);
});

describe.each(events)('the events of $name say the same', ({ wire, text, whole }) => {
  it.each([
    [
      'with comments between them, bare ones too',
      (all: string) => `: begun\n\n${all.replaceAll('\n\n', '\n\n: still here\n\n:\n\n')}`,
    ],
    ['with comments inside them', (all: string) => all.replace(/^data:/gm, ': busy\ndata:')],
    ['without a space after the colon', (all: string) => all.replace(/^(data|event): /gm, '$1:')],
    [
      'with ids, retries and fields nobody knows',
      (all: string) => all.replace(/^data:/gm, 'id: 7\nretry: 10\nfoo: bar\nbaz\ndata:'),
    ],
    ['with their data over several lines', (all: string) => all.replace(/^(data: \{)(".*)$/gm, '$1\ndata: $2')],
    ['with more blank lines than needed', (all: string) => `\n\n${all.replaceAll('\n\n', '\n\n\n\n')}`],
    ['without the last blank line', (all: string) => all.replace(/\n+$/, '\n')],
    ['without the last line end', (all: string) => all.replace(/\n+$/, '')],
  ])('%s', (_how, change) => {
    expect(decodeChunks(wire, 'text/event-stream', [bytes(change(text))])).toEqual(whole);
  });
});

describe.each(lines)('the lines of $name say the same', ({ wire, text, whole }) => {
  const documents = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
  it.each([
    ['with blank lines between them', text.replaceAll('\n', '\n\n \n')],
    ['pretty-printed', documents.map((one) => JSON.stringify(one, null, 2)).join('\n')],
    ['without the last line end', text.trimEnd()],
  ])('%s', (_how, changed) => {
    expect(decodeChunks(wire, 'application/x-ndjson', [bytes(changed)])).toEqual(whole);
  });
});

describe.each(WIRES.map(({ wire }) => [wire.id, wire] as const))('%s where an answer was due', (_id, wire) => {
  it.each(TYPES)('an error without framing is an error, whatever the type claims: %s', (type) => {
    for (const error of [
      '{"error":{"message":"too long","type":"invalid_request_error"}}',
      '{\n  "error": {\n    "code": 503\n  }\n}',
    ])
      for (let at = 0; at <= error.length; at += 1)
        expect(decodeChunks(wire, type, [bytes(error.slice(0, at)), bytes(error.slice(at))]).outcome).toBe('error');
  });

  it.each(TYPES)('what is no answer is incomplete and counts for nothing: %s', (type) => {
    for (const rubble of [
      '',
      ' ',
      '\n',
      '<html>busy</html>',
      '{',
      '{}',
      '[]',
      'null',
      '7',
      ': still here\n\n',
      'data:\n\n',
      'retry: 10\n\n',
    ])
      expect(decodeChunks(wire, type, [bytes(rubble)])).toEqual({
        text: '',
        reasoning: '',
        calls: [],
        usage: { fresh: null, cached: null, written: null, output: null },
        outcome: 'incomplete',
        stop: null,
      });
  });
});
