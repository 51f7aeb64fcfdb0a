import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReceived } from '../../src/page/received.ts';

const head = (headers: [string, string][] = []) => ({ status: 200, statusText: 'OK', headers });
const receive = (type: string, chunks: readonly Uint8Array[], headers: [string, string][] = []) => {
  const received = createReceived(head(headers), 'https://a.example/v1/messages#part', () => type);
  for (const chunk of chunks) received.add(chunk);
  received.end();
  return received;
};
const encode = (text: string) => new TextEncoder().encode(text);

describe('what an XMLHttpRequest shows of an answer', () => {
  it('is the same text and bytes, wherever the chunks are cut', () => {
    const cut = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.array(fc.nat(60), { maxLength: 5 }));
    fc.assert(
      fc.property(cut, ([text, places]) => {
        const bytes = encode(text);
        const at = [0, ...places.filter((place) => place < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((to, i) => bytes.slice(at[i], to));
        expect(receive('', chunks).text).toBe(text.replace(/^\u{FEFF}/u, ''));
        expect(new Uint8Array(receive('arraybuffer', chunks).whole() as ArrayBuffer)).toEqual(bytes);
        expect(receive('text', chunks).loaded).toBe(bytes.length);
      }),
    );
  });

  it('grows by whole characters', () => {
    const received = createReceived(head(), 'https://a.example/', () => 'text');
    const [first, second] = [encode('é').slice(0, 1), encode('é').slice(1)];
    received.add(first);
    expect(received.text).toBe('');
    received.add(second);
    expect(received.text).toBe('é');
  });

  it('has the charset of its content type, and UTF-8 for one nobody knows', () => {
    const latin = Uint8Array.of(0xe9);
    expect(receive('text', [latin], [['content-type', 'text/plain; charset="ISO-8859-1"']]).text).toBe('é');
    expect(receive('text', [encode('é')], [['content-type', 'text/plain; charset=none']]).text).toBe('é');
    expect(receive('json', [encode('"é"')], [['content-type', 'text/plain; charset=iso-8859-1']]).whole()).toBe('é');
  });

  it('is null for broken JSON, and the same object each time', () => {
    expect(receive('json', [encode('{')]).whole()).toBeNull();
    const received = receive('json', [encode('{"a":1}')]);
    expect(received.whole()).toBe(received.whole());
  });

  it('counts against the announced length only while that can be true', () => {
    expect(receive('text', [encode('abc')], [['content-length', '5']]).total).toBe(5);
    expect(receive('text', [encode('abc')], [['content-length', '2']]).total).toBe(0);
    expect(receive('text', [encode('abc')]).total).toBe(0);
  });

  it('lists its headers sorted, in lower case, one a line', () => {
    const received = receive(
      'text',
      [],
      [
        ['X-B', '2'],
        ['Content-Type', 'a/b'],
        ['x-b', '3'],
      ],
    );
    expect(received.allHeaders()).toBe('content-type: a/b\r\nx-b: 2, 3\r\n');
    expect([received.header('X-b'), received.header('none'), received.url]).toEqual([
      '2, 3',
      null,
      'https://a.example/v1/messages',
    ]);
  });
});
