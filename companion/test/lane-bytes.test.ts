/** The http lane is a pipe: what a client receives through it is what the provider sent, read by read, and a break is a break. */
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask, type Got, type Lane, laneOf, until } from './support/lane.ts';
import { answerWith, completion, sse, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let lane: Lane;
const start = async (flags: Readonly<Record<string, unknown>> = {}): Promise<void> => {
  upstream = await startUpstream();
  world = await startWorld({ flags: { 'upstream.allow': [upstream.origin], ...flags } });
  lane = laneOf(world);
};
const stop = async (): Promise<void> => {
  await world.close();
  await upstream.close();
};
beforeEach(() => start());
afterEach(() => stop());

const url = (): string => `${upstream.origin}/v1/chat/completions`;
const hello = JSON.stringify({
  model: 'demo',
  stream: true,
  messages: [{ role: 'user', content: 'Tell me something about rivers, please.' }],
});

/** Header lines without those of the connection and those that are ours; in their order. */
function shown({ rawHeaders }: Got): string[] {
  const lines: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!/^(connection|keep-alive|transfer-encoding|x-throughline-.*)$/.test(name))
      lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return lines;
}

/** The same request to the provider itself and through the lane. */
async function both(target: string, asking: Parameters<typeof ask>[1]): Promise<{ native: Got; ours: Got }> {
  const native = await ask(target, asking);
  const ours = await ask(lane.at(target), asking);
  return { native, ours };
}

const same = (one: Got): unknown => ({
  status: one.status,
  text: one.statusText,
  headers: shown(one),
  body: one.body,
  whole: one.whole,
});

describe('an answer', () => {
  it('arrives read by read as the provider wrote it, also inside events and characters', async () => {
    const whole = Buffer.from(sse('Grüße ', '世界 ', '😀').join(''));
    const cuts = [0, 1, 7, 40, 41, 42, 150, 151, 300, whole.length];
    const pieces = cuts.slice(1).map((cut, i) => whole.subarray(cuts[i], cut));
    let reads = 0;
    upstream.answer = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [i, piece] of pieces.entries()) {
        response.write(piece);
        await until('the piece was read', () => reads > i);
      }
      response.end();
    };
    const onRead = (): void => {
      reads += 1;
    };
    const got = await lane.post(url(), hello, {}, { onRead });
    expect(got.reads.map((read) => read.toString('hex'))).toEqual(pieces.map((piece) => piece.toString('hex')));
    expect(got.whole).toBe(true);
  });

  it('shows its head before its first byte', async () => {
    let headed = false;
    upstream.answer = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      await until('the head was seen', () => headed);
      response.end(sse('late').join(''));
    };
    const onHead = (): void => {
      headed = true;
    };
    expect((await lane.post(url(), hello, {}, { onHead })).whole).toBe(true);
  });

  const refused = '{"error":{"message":"no"}}';
  it.each([
    { status: 400, type: 'application/json', body: refused },
    { status: 401, type: 'application/json', body: refused },
    { status: 403, type: 'text/html', body: '<html>blocked</html>' },
    { status: 404, type: 'application/json', body: refused },
    { status: 413, type: 'text/html', body: '<html>too large</html>' },
    { status: 429, type: 'application/json', body: refused, more: { 'retry-after': '7', 'x-ratelimit-remaining': '0' } },
    { status: 500, type: 'application/json', body: refused },
    { status: 502, type: 'text/html', body: '<html>bad gateway</html>' },
    { status: 529, type: 'application/json', body: '{"type":"error","error":{"type":"overloaded_error","message":"x"}}' },
    { status: 301, type: 'text/plain', body: 'moved', more: { location: 'https://elsewhere.example/v1' } },
    { status: 307, type: 'text/plain', body: 'moved', more: { location: '/v2/chat/completions' } },
    { status: 204, type: 'application/json', body: '' },
    { status: 304, type: 'application/json', body: '' },
    { status: 200, type: 'application/json', body: completion('fine'), more: { 'set-cookie': ['a=1; Path=/', 'b=2'] } },
    {
      status: 200,
      type: 'application/json',
      body: completion('fine'),
      more: { 'content-length': String(completion('fine').length) },
    },
  ])('of status $status ($type) is the same with and without us, asked once', async ({ status, type, body, more }) => {
    upstream.answer = (_, response) => {
      response.writeHead(status, `Reason ${status}`, { 'content-type': type, date: 'Tue, 01 Dec 2026 00:00:00 GMT', ...more });
      response.end(body);
    };
    const { native, ours } = await both(url(), { headers: { 'content-type': 'application/json' }, body: hello });
    expect(same(ours)).toEqual(same(native));
    expect(upstream.seen).toHaveLength(2);
    expect(ours.headers['x-throughline-via']).toBe('new');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const)(
    'packed as %s stays packed for a client that asked for it, and is understood all the same',
    async (coding, pack) => {
      upstream.answer = (seen, response) => {
        expect(seen.headers['accept-encoding']).toBe('gzip, br, deflate');
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding });
        response.end(pack(completion('fine')));
      };
      const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip, br, deflate' };
      const { native, ours } = await both(url(), { headers, body: hello });
      expect(ours.body).toEqual(native.body);
      expect(ours.headers['content-encoding']).toBe(coding);
      await until('the turn is kept', async () => (await sessions()).length === 1);
      expect((await sessions())[0]?.stats.lastReported).toBe(100);
    },
  );

  it('whose packing is broken or unknown passes as it is', async () => {
    for (const [coding, bytes] of [
      ['gzip', Buffer.from('this is no gzip')],
      ['rot13', Buffer.from('uryyb')],
    ] as const) {
      upstream.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding });
        response.end(bytes);
      };
      const got = await lane.post(url(), hello);
      expect([got.status, got.body, got.whole]).toEqual([200, bytes, true]);
    }
    expect(await sessions()).toEqual([]);
  });

  it('keeps its trailers', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', trailer: 'x-sum' });
      response.write(sse('hi').join(''));
      response.addTrailers({ 'x-sum': 'abc' });
      response.end();
    };
    const got = await lane.post(url(), hello);
    expect(got.trailers).toEqual({ 'x-sum': 'abc' });
  });

  const sessions = () => world.companion.store.list({ scope: lane.scope as never });
});

describe('a break', () => {
  it('at every byte of a stream is the same prefix and an error, and leaves no session', async () => {
    const whole = Buffer.from(sse('Grüße 世界').join(''));
    for (let cut = 0; cut < whole.length; cut += 1) {
      upstream.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(whole.subarray(0, cut), () => response.destroy());
        if (cut === 0) response.flushHeaders();
      };
      const got = await lane.post(url(), hello);
      expect([cut, got.status, got.whole]).toEqual([cut, 200, false]);
      expect(got.body.equals(whole.subarray(0, cut)), `prefix of ${cut}`).toBe(true);
    }
    const done = whole.indexOf('data: [DONE]');
    expect(done).toBeGreaterThan(0);
    expect(upstream.seen).toHaveLength(whole.length);
  }, 120_000);

  it('of an answer with a length is an error too', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":', () => response.destroy());
    };
    const got = await lane.post(url(), hello);
    expect([got.whole, got.text]).toEqual([false, '{"id":']);
  });

  it('by silence longer than allowed is an error, after what came', async () => {
    await stop();
    await start({ 'upstream.idleSeconds': 0.3 });
    const [first = ''] = sse('hi');
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(first);
    };
    const got = await lane.post(url(), hello);
    expect([got.whole, got.text]).toEqual([false, first]);
  });

  it('is no clean end for a client of HTTP/1.0 either', async () => {
    const [first = ''] = sse('hi');
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(first, () => setTimeout(() => response.destroy(), 20));
    };
    const { port } = world.companion;
    const ended = await new Promise<string>((resolve) => {
      const tcp = connect(port, '127.0.0.1');
      tcp.on('data', () => undefined);
      tcp.on('error', () => resolve('error'));
      tcp.on('end', () => resolve('clean end'));
      const path = lane.at(url()).slice(`http://127.0.0.1:${port}`.length);
      tcp.write(`POST ${path} HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`);
      tcp.write(`Content-Length: ${Buffer.byteLength(hello)}\r\n\r\n${hello}`);
    });
    expect(ended).toBe('error');
  });

  it('before an answer is told in the words of the wire, with a code and what to do, and no key', async () => {
    upstream.answer = (_, response) => response.socket?.destroy();
    const openai = await lane.post(url(), hello, { authorization: 'Bearer sk-secret' });
    const claude = JSON.stringify({ ...JSON.parse(hello), max_tokens: 500 });
    const anthropic = await lane.post(`${upstream.origin}/v1/messages`, claude, { 'x-api-key': 'sk-secret' });
    for (const got of [openai, anthropic]) {
      expect(got.status).toBe(502);
      const { message } = JSON.parse(got.text).error;
      expect(message).toMatch(/\w+.*\. \w+/);
      expect(got.text).toMatch(/throughline_/);
      expect(got.text).not.toMatch(new RegExp(`sk-secret|${lane.key}`));
    }
    expect(JSON.parse(anthropic.text).type).toBe('error');
  });
});

describe('a client that leaves', () => {
  it('ends the call at the provider, and nothing is kept', async () => {
    const [first = ''] = sse('hi');
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(first);
    };
    const got = await lane.post(url(), hello, {}, { onRead: (_, leave) => leave() });
    expect(got.whole).toBe(false);
    await upstream.aborted(0);
    expect(await world.companion.store.list({ scope: lane.scope as never })).toEqual([]);
  });

  it('before the head ends the call too', async () => {
    let arrived: () => void = () => undefined;
    const leave = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    upstream.answer = () => arrived();
    await expect(lane.post(url(), hello, {}, { leave })).rejects.toThrow();
    await upstream.aborted(0);
  });

  it("after the wire's own end has had its answer: the turn is kept", async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse('all of it').join(''));
    };
    await lane.post(url(), hello, {}, { onRead: (read, leave) => read.includes('[DONE]') && leave() });
    await until(
      'the turn is kept',
      async () => (await world.companion.store.list({ scope: lane.scope as never })).length === 1,
    );
  });

  it('or reads slowly holds the provider back', async () => {
    const piece = Buffer.alloc(256 * 1024, 0x61);
    let written = 0;
    upstream.answer = async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      for (let i = 0; i < 400 && !response.destroyed; i += 1) {
        written += piece.length;
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    };
    const { port } = world.companion;
    const tcp = connect(port, '127.0.0.1');
    tcp.pause();
    const path = lane.at(`${upstream.origin}/file`).slice(`http://127.0.0.1:${port}`.length);
    tcp.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    let before = -1;
    await until('nothing more is written', async () => {
      const still = written === before && written > 0;
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 250));
      return still;
    });
    expect(written).toBeLessThan(32 * 1024 * 1024);
    tcp.destroy();
  });
});

describe('what is no turn of a wire', () => {
  const wildest = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 37) % 256));
  it.each([
    { name: 'a list of models', method: 'GET', path: '/v1/models?limit=2&after=a%2Fb', body: undefined, type: undefined },
    {
      name: 'an embedding',
      method: 'POST',
      path: '/v1/embeddings',
      body: '{"input":"x" , "model":"e"}',
      type: 'application/json',
    },
    { name: 'an upload', method: 'POST', path: '/v1/files', body: wildest, type: 'multipart/form-data; boundary=x' },
    { name: 'a deletion', method: 'DELETE', path: '/v1/files/f-1', body: undefined, type: undefined },
    { name: 'a change', method: 'PATCH', path: '/v1/things/1', body: '{"a":1e400}', type: 'application/json' },
    { name: 'a head', method: 'HEAD', path: '/v1/models', body: undefined, type: undefined },
    {
      name: 'a chat that is not JSON',
      method: 'POST',
      path: '/v1/chat/completions',
      body: '{"messages":',
      type: 'application/json',
    },
    { name: 'a chat that is not UTF-8', method: 'POST', path: '/v1/chat/completions', body: wildest, type: 'application/json' },
    {
      name: 'a request whose history the provider holds',
      method: 'POST',
      path: '/v1/responses',
      body: '{"model":"m","previous_response_id":"resp_1","input":"and then? tell me more of it"}',
      type: 'application/json',
    },
  ])('$name passes byte for byte, and we say why', async ({ method, path, body, type }) => {
    upstream.answer = (seen, response) => {
      response.writeHead(200, { 'content-type': 'application/x-thing', date: 'Tue, 01 Dec 2026 00:00:00 GMT', 'x-own': 'ü' });
      response.end(seen.method === 'HEAD' ? undefined : wildest);
    };
    const asking = {
      method,
      headers: type === undefined ? {} : { 'Content-Type': type },
      ...(body === undefined ? {} : { body }),
    };
    const { native, ours } = await both(`${upstream.origin}${path}`, asking);
    expect(same(ours)).toEqual(same(native));
    const [first, second] = upstream.seen;
    expect([second?.method, second?.path, second?.body]).toEqual([first?.method, first?.path, first?.body]);
    expect(ours.headers['x-throughline-via']).toBe('bypass');
    expect(ours.headers['x-throughline-note']).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(ours.headers['x-throughline-session']).toBeUndefined();
  });

  it('and what a client says to us stays here; everything else goes on as it was said', async () => {
    const headers = {
      Authorization: 'Bearer sk-own',
      'X-Custom': 'a  b',
      session_id: 'codex-1',
      'x-throughline-conversation': 'mine',
      'X-Throughline-Fold': 'off',
      cookie: 'own=1',
      'accept-encoding': 'gzip;q=0.5, *',
    };
    const { native, ours } = await both(url(), { headers: { 'content-type': 'application/json', ...headers }, body: hello });
    expect(ours.status).toBe(native.status);
    const [first, second] = upstream.seen.map(({ headers: { host: _, connection: __, ...rest } }) => rest);
    const { 'x-throughline-conversation': _, 'x-throughline-fold': __, ...kept } = first ?? {};
    expect(second).toEqual(kept);
  });
});

describe('the spelling of a base URL', () => {
  const ask1 = async (path: string): Promise<string | undefined> => {
    const before = upstream.seen.length;
    await ask(`http://127.0.0.1:${world.companion.port}/lane/${lane.key}/${path}`, {
      headers: { 'content-type': 'application/json' },
      body: hello,
    });
    return upstream.seen[before]?.path;
  };

  it('may have lost a slash, be encoded, or hold a query', async () => {
    const { host } = new URL(upstream.origin);
    upstream.answer = answerWith('fine');
    expect(await ask1(`http://${host}/v1/chat/completions`)).toBe('/v1/chat/completions');
    expect(await ask1(`http:/${host}/v1/chat/completions`)).toBe('/v1/chat/completions');
    expect(await ask1(`${encodeURIComponent(`http://${host}/v1`)}/chat/completions`)).toBe('/v1/chat/completions');
    expect(await ask1(`http://${host}/v1/chat/completions?key=a%2Fb&x=%20`)).toBe('/v1/chat/completions?key=a%2Fb&x=%20');
    expect(await ask1(`http://${host}/v1/mod%65ls/a%2Fb:x`)).toBe('/v1/mod%65ls/a%2Fb:x');
  });

  it.each([
    'ftp://files.example/x',
    'api.openai.com/v1/chat/completions',
    'https://',
    'https://user:pass@api.example/v1/chat/completions',
    'http://api.example/v1/chat/completions',
    'http://10.0.0.1/v1/chat/completions',
    'https://169.254.169.254/latest/meta-data',
    'https://127.0.0.1:9/v1/chat/completions',
  ])('that is %s is refused with what to do, and nothing is called', async (target) => {
    const got = await ask(`http://127.0.0.1:${world.companion.port}/lane/${lane.key}/${target}`, {
      headers: { 'content-type': 'application/json' },
      body: hello,
    });
    expect([400, 403, 404]).toContain(got.status);
    expect(JSON.parse(got.text).error.code).toMatch(/^[a-z-]+$/);
    expect(got.text).not.toContain(lane.key);
    expect(upstream.connections()).toBe(0);
  });
});

describe('limits', () => {
  it('a body over 64 MiB is refused with what to do, announced or not', async () => {
    const big = Buffer.alloc(64 * 1024 * 1024 + 1, 0x20);
    for (const headers of [{ 'content-length': String(big.length) }, { 'transfer-encoding': 'chunked' }]) {
      const { port } = world.companion;
      const status = await new Promise<string>((resolve, reject) => {
        const tcp = connect(port, '127.0.0.1');
        let text = '';
        tcp.on('data', (part) => {
          text += part.toString('latin1');
          if (/\}\s*(0\s*)?$/.test(text)) tcp.end();
        });
        tcp.on('close', () => resolve(text));
        tcp.on('error', (error) => (text === '' ? reject(error) : resolve(text)));
        const path = lane.at(url()).slice(`http://127.0.0.1:${port}`.length);
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        tcp.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines.join('')}\r\n`);
        if ('transfer-encoding' in headers) tcp.write(`${big.length.toString(16)}\r\n`);
        tcp.write(big);
        if ('transfer-encoding' in headers) tcp.write('\r\n0\r\n\r\n');
      });
      expect(status).toMatch(/^HTTP\/1\.1 413/);
      expect(status).toMatch(/"code":"[a-z-]+"/);
    }
    expect(upstream.seen).toEqual([]);
  });

  it('a body of many megabytes passes byte for byte, however it is cut', async () => {
    const text = JSON.stringify({ ...JSON.parse(hello), user: 'x'.repeat(6 * 1024 * 1024) });
    upstream.answer = answerWith('fine');
    expect((await lane.post(url(), text)).status).toBe(200);
    expect(upstream.seen[0]?.body === text).toBe(true);
  });
});

describe('silence', () => {
  const quick = async (): Promise<void> => {
    await stop();
    upstream = await startUpstream();
    world = await startWorld({ flags: { 'upstream.allow': [upstream.origin] }, silenceMilliseconds: 30 });
    lane = laneOf(world);
  };
  /** Writes a piece, then is silent for several times as long as makes a comment. */
  const silently = (type: string, pieces: readonly string[], more: Record<string, string> = {}): void => {
    upstream.answer = async (_, response) => {
      response.writeHead(200, { 'content-type': type, ...more });
      response.flushHeaders();
      for (const piece of pieces) {
        await new Promise((resolve) => setTimeout(resolve, 150));
        response.write(piece);
      }
      response.end();
    };
  };

  it('of an event stream is filled with comments between events, and never inside one', async () => {
    await quick();
    const [first = '', second = '', ...rest] = sse('one');
    const torn = [second.slice(0, 20), second.slice(20, -1), '\n'];
    silently('text/event-stream; charset=utf-8', [first, ...torn, rest.join('')]);
    const got = await lane.post(url(), hello);
    expect(got.whole).toBe(true);
    const comments = got.reads.filter((read) => read.toString().startsWith(':'));
    expect(comments.length).toBeGreaterThan(2);
    // Without them it is the provider's stream, byte for byte.
    for (const comment of new Set(comments.map(String))) expect(comment).toMatch(/^:[^\n]*\n\n$/);
    expect(got.text.replaceAll(/^:[^\n]*\n\n/gm, '')).toBe([first, second, ...rest].join(''));
    // The pieces of the torn event follow each other.
    expect(got.text).toContain(second);
    await until(
      'the turn is kept',
      async () => (await world.companion.store.list({ scope: lane.scope as never })).length === 1,
    );
  });

  it.each([
    { type: 'application/json', pieces: ['{"a":', '1}'], more: {} },
    { type: 'application/x-ndjson', pieces: ['{"a":1}\n\n', '{"b":2}\n'], more: {} },
    { type: 'text/event-stream', pieces: ['data: 1\n\n', 'data: 2\n\n'], more: { 'content-length': '18' } },
    { type: 'text/event-stream', pieces: ['data: 1\n\n', 'data: 2\n\n'], more: { 'content-encoding': 'gzip' } },
  ])('of $type ($more) stays silence', async ({ type, pieces, more }) => {
    await quick();
    silently(type, pieces, more);
    expect((await lane.post(url(), hello)).text).toBe(pieces.join(''));
  });
});
