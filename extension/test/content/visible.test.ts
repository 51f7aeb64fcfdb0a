import { describe, expect, it } from 'vitest';
import { visibleHeaders } from '../../src/content/visible.ts';

const API = 'https://api.example/v1/messages';
const PAGE = 'https://chat.example';

describe('what a page may see of an answer', () => {
  it('is nothing across origins unless the upstream allows this one', () => {
    const allow = (value: string) => visibleHeaders(200, [['Access-Control-Allow-Origin', value]], API, PAGE);
    expect(allow('*')).not.toBeNull();
    expect(allow(PAGE)).not.toBeNull();
    for (const other of ['https://other.example', 'null', `${PAGE}, *`]) expect(allow(other)).toBeNull();
    expect(visibleHeaders(200, [], API, PAGE)).toBeNull();
    expect(visibleHeaders(200, [], API, 'https://api.example')).toEqual([]);
  });

  it('is across origins only safelisted and exposed headers, and never cookies', () => {
    const headers: [string, string][] = [
      ['Access-Control-Allow-Origin', '*'],
      ['Access-Control-Expose-Headers', 'X-Request-Id, x-left'],
      ['Content-Type', 'text/event-stream'],
      ['X-Request-Id', '1'],
      ['X-Secret', '2'],
      ['Set-Cookie', 'a=b'],
    ];
    expect(visibleHeaders(200, headers, API, PAGE)).toEqual([
      ['content-type', 'text/event-stream'],
      ['x-request-id', '1'],
    ]);
    const own = visibleHeaders(200, headers, API, 'https://api.example');
    expect(own?.map(([name]) => name)).toEqual([
      'access-control-allow-origin',
      'access-control-expose-headers',
      'content-type',
      'x-request-id',
      'x-secret',
    ]);
  });

  it('is of a redirect only that it is one: the browser follows it by its own rules', () => {
    expect(visibleHeaders(307, [['location', 'https://elsewhere.example/']], API, PAGE)).toEqual([]);
  });
});
