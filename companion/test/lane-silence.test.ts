/** What a client of the lane hears while its provider is silent: a comment between two events, and never anything anywhere else. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientAnswer } from '../src/lane/answer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SSE = ['content-type', 'text/event-stream; charset=utf-8'] as const;

function client() {
  const written: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    headersSent: false,
    sendDate: true,
    socket: null,
    writeHead() {
      response.headersSent = true;
    },
    write: (bytes: string | Uint8Array) => {
      const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1');
      if (text !== '') written.push(text);
      return true;
    },
    addTrailers: () => undefined,
    end: () => undefined,
    destroy: () => undefined,
  });
  return { written, response, answer: clientAnswer(response as unknown as ServerResponse, () => []) };
}
const say = (text: string) => Buffer.from(text, 'latin1');
const comments = (written: readonly string[]) => written.filter((text) => /^:.*\n\n$/.test(text)).length;

describe('a silent event stream', () => {
  it('is kept alive by a comment every 10 s, before its first event and between events', () => {
    const { written, answer } = client();
    vi.advanceTimersByTime(60_000);
    // Before the provider's head nothing is begun.
    expect(written).toEqual([]);
    answer.head(200, 'OK', [SSE]);
    vi.advanceTimersByTime(9_999);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(20_001);
    expect(comments(written)).toBe(3);
    for (const end of ['\n\n', '\r\n\r\n', '\r\r']) {
      const before = comments(written);
      answer.chunk(say(`data: 1${end}`));
      vi.advanceTimersByTime(9_999);
      expect(comments(written)).toBe(before);
      vi.advanceTimersByTime(1);
      expect(comments(written)).toBe(before + 1);
    }
  });

  it('is left alone inside an event, also when its end was cut', () => {
    for (const pieces of [
      ['data: 1'],
      ['data: 1\n'],
      ['data: 1\r\n'],
      ['data: 1\r\n', '\r'],
      ['data: 1\n\ndata: 2'],
      ['\u00e6'],
    ]) {
      const { written, answer } = client();
      answer.head(200, 'OK', [SSE]);
      for (const piece of pieces) answer.chunk(say(piece));
      vi.advanceTimersByTime(60_000);
      expect(written).toEqual(pieces);
    }
    const { written, answer } = client();
    answer.head(200, 'OK', [SSE]);
    for (const piece of ['data: 1\n', '\n']) answer.chunk(say(piece));
    vi.advanceTimersByTime(10_000);
    expect(comments(written)).toBe(1);
  });

  it('is left alone once it is over, broken off, or its client is gone', () => {
    for (const over of ['end', 'break', 'close']) {
      const { written, response, answer } = client();
      answer.head(200, 'OK', [SSE]);
      if (over === 'end') answer.end([]);
      else if (over === 'break') answer.break();
      else response.emit('close');
      vi.advanceTimersByTime(60_000);
      expect(written).toEqual([]);
    }
  });
});

it.each([
  ['JSON', 200, [['content-type', 'application/json']]],
  ['lines of JSON', 200, [['content-type', 'application/x-ndjson']]],
  ['nothing named', 200, []],
  ['an event stream with a length', 200, [SSE, ['content-length', '9']]],
  ['a packed event stream', 200, [SSE, ['content-encoding', 'gzip']]],
  ['a refusal', 429, [SSE]],
] as const)('%s is never touched', (_what, status, headers) => {
  const { written, answer } = client();
  answer.head(status, '', headers);
  vi.advanceTimersByTime(60_000);
  answer.chunk(say('data: 1\n\n'));
  vi.advanceTimersByTime(60_000);
  expect(written).toEqual(['data: 1\n\n']);
});
