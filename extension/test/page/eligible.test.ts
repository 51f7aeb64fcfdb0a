import { describe, expect, it } from 'vitest';
import { type Captured, capture as captureOrPass, mayBeWire, type PageContext } from '../../src/page/eligible.ts';

/** What is taken; a request that is passed by counts as not taken. */
const capture = (args: readonly unknown[], context: PageContext): Captured | null => {
  const found = captureOrPass(args, context);
  return found !== null && 'passed' in found ? null : found;
};

const page: PageContext = { base: 'https://chat.example/app/', origin: 'https://chat.example', cookies: () => '' };
const API = 'https://api.example/v1/chat/completions';
const post = (more: Record<string, unknown> = {}) => ({ method: 'POST', body: '{}', ...more });
const bytes = async (request: Request | undefined) => [...new Uint8Array((await request?.arrayBuffer()) ?? new ArrayBuffer(0))];

describe('which requests are candidates', () => {
  it('knows the paths of every wire and nothing else', () => {
    const wires = [
      API,
      'http://localhost:8080/v1/responses',
      'https://api.anthropic.example/v1/messages',
      'https://g.example/v1beta/models/m:generateContent?key=k',
      'https://g.example/v1/models/m:streamGenerateContent?alt=sse',
      'http://localhost:11434/api/chat',
      'https://relay.example/any/prefix/chat/completions/',
    ];
    expect(wires.filter((url) => !mayBeWire(new URL(url)))).toEqual([]);
    const others = [
      'https://api.example/v1/models',
      'https://api.example/chat',
      'https://u:p@api.example/v1/messages',
      'ftp://a/api/chat',
    ];
    expect(others.filter((url) => mayBeWire(new URL(url)))).toEqual([]);
  });

  it('takes every form of the arguments, with the exact bytes', async () => {
    const raw = Uint8Array.from({ length: 256 }, (_, i) => i);
    const forms: readonly (readonly unknown[])[] = [
      [API, post({ body: raw })],
      [new URL(API), post({ body: raw.buffer.slice(0) })],
      [API, post({ body: new DataView(raw.buffer.slice(0)) })],
      [API, post({ body: new Blob([raw]) })],
      [new Request(API, { method: 'POST', body: raw })],
      [new Request(API, { method: 'POST', body: 'other' }), { body: raw }],
    ];
    for (const form of forms) expect(await bytes(capture(form, page)?.request)).toEqual([...raw]);
    expect(await capture(['/v1/messages', post()], page)?.request.url).toBe('https://chat.example/v1/messages');
    expect(await capture([API, post({ body: new URLSearchParams({ a: 'é' }) })], page)?.request.text()).toBe('a=%C3%A9');
  });

  it('leaves alone what it could not reproduce', () => {
    const stream = () => new ReadableStream({ start: (c) => c.close() });
    const left: readonly (readonly unknown[])[] = [
      [API],
      [API, { method: 'POST' }],
      [API, { method: 'PUT', body: '{}' }],
      ['https://api.example/v1/models', post()],
      [API, post({ body: new FormData() })],
      [API, post({ body: stream(), duplex: 'half' })],
      [API, post({ body: { toString: () => '{}' } })],
      [API, post({ mode: 'no-cors' })],
      [API, post({ mode: 'same-origin' })],
      [API, post({ cache: 'no-store' })],
      [API, post({ redirect: 'error' })],
      [API, post({ integrity: 'sha256-x' })],
      [API, post({ keepalive: true })],
      [API, post({ credentials: 'include' })],
      [API, post({ signal: AbortSignal.abort() })],
      [new Request(API, { method: 'POST', body: '{}', keepalive: true })],
      [new Request(API, { method: 'POST', body: new FormData() })],
      [{ toString: () => API }, post()],
    ];
    expect(left.filter((form) => capture(form, page) !== null)).toEqual([]);
  });

  it('says why a request of a wire is passed by, and says nothing of any other', () => {
    const withCookies = { ...page, cookies: () => 'session=1' };
    const own = 'https://chat.example/v1/chat/completions';
    expect(captureOrPass([own, post()], withCookies)).toEqual({ passed: 'cookies', url: own });
    expect(captureOrPass([API, post({ cache: 'no-store' })], page)).toEqual({ passed: 'options', url: API });
    expect(captureOrPass([API, post({ body: new FormData() })], page)).toEqual({ passed: 'body-kind', url: API });
    expect(captureOrPass(['https://api.example/v1/models', post({ cache: 'no-store' })], page)).toBeNull();
  });

  it('takes no request that would carry cookies', () => {
    const own = 'https://chat.example/v1/chat/completions';
    const withCookies = { ...page, cookies: () => 'session=1' };
    expect(capture([own, post()], withCookies)).toBeNull();
    expect(capture([own, post({ credentials: 'omit' })], withCookies)).not.toBeNull();
    expect(capture([own, post()], page)).not.toBeNull();
    // Across origins the default sends none.
    expect(capture([API, post()], withCookies)).not.toBeNull();
  });

  it('touches no body of a request it does not take', async () => {
    const refused = new Request(API, { method: 'POST', body: 'x', credentials: 'include' });
    capture([refused], page);
    expect([refused.bodyUsed, await refused.text()]).toEqual([false, 'x']);
  });

  it('shows a Request as used at once, like the native call, and keeps it sendable', async () => {
    const given = new Request(API, { method: 'POST', body: 'whole', headers: { a: 'b' } });
    const captured = capture([given, { headers: { a: 'c' } }], page) ?? expect.fail('not taken');
    expect(given.bodyUsed).toBe(true);
    const again = new Request(...(captured.nativeArgs as [Request, RequestInit]));
    expect([await captured.request.text(), await again.text(), again.headers.get('a')]).toEqual(['whole', 'whole', 'c']);
  });

  it('sends natively what the page passed at the time of the call', async () => {
    const body = new Uint8Array([1, 2, 3]);
    const init = post({ body });
    const captured = capture([API, init], page) ?? expect.fail('not taken');
    body.fill(9);
    const [input, later] = captured.nativeArgs as [string, RequestInit];
    expect(input).toBe(API);
    expect(await bytes(new Request(input, later))).toEqual([1, 2, 3]);
    const text = post();
    expect(capture([API, text], page)?.nativeArgs[1]).toBe(text);
  });
});
