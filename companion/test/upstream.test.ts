/** Which upstreams may be called: by the text of the URL, by the address behind a name, and never by a redirect. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressKind } from '../src/upstream/address.ts';
import { pageHeaders, upstreamHeaders } from '../src/upstream/headers.ts';
import { approvedOrigin, judgeUpstream } from '../src/upstream/rules.ts';
import { openFrame, sendTurn, type Wired } from './support/browser.ts';
import { startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

const SITE = 'https://chat.example';

describe('addresses', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['1.1.1.1', 'public'],
    ['172.32.0.1', 'public'],
    ['100.128.0.1', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['127.0.0.1', 'local'],
    ['127.255.255.254', 'local'],
    ['10.1.2.3', 'local'],
    ['172.16.0.1', 'local'],
    ['192.168.1.1', 'local'],
    ['100.64.0.1', 'local'],
    ['::1', 'local'],
    ['fd00::1', 'local'],
    ['fc00::1', 'local'],
    ['::ffff:127.0.0.1', 'local'],
    ['::ffff:7f00:1', 'local'],
    ['64:ff9b::7f00:1', 'local'],
    ['2002:7f00:1::', 'local'],
    ['::127.0.0.1', 'local'],
    ['::ffff:0:127.0.0.1', 'local'],
    ['0.0.0.0', 'forbidden'],
    ['0.1.2.3', 'forbidden'],
    ['169.254.169.254', 'forbidden'],
    ['::', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['ff02::1', 'forbidden'],
    ['224.0.0.1', 'forbidden'],
    ['255.255.255.255', 'forbidden'],
    ['::ffff:169.254.169.254', 'forbidden'],
    ['2001:db8::1', 'forbidden'],
    ['198.18.0.1', 'forbidden'],
    ['', 'forbidden'],
    ['localhost', 'forbidden'],
  ])('%s is %s', (address, kind) => expect(addressKind(address)).toBe(kind));
});

describe('upstream URLs', () => {
  it.each([
    'http://api.example/v1/chat/completions',
    'ftp://api.example/x',
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
    '',
    'x',
    '//api.example/x',
    'https://user@api.example/x',
    'https://user:secret@api.example/x',
    'https://:secret@api.example/x',
    'http://127.0.0.1:11434/x',
    'https://127.0.0.1/x',
    'https://localhost/x'.replace('localhost', '127.1'),
    'https://0x7f.1/x',
    'https://2130706433/x',
    'https://0177.0.0.1/x',
    'https://①②⑦.⓪.⓪.①/x',
    'https://[::1]/x',
    'https://[::ffff:7f00:1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[fd00::1]/x',
    'https://10.0.0.1/x',
    'https://192.168.0.1/x',
    'https://172.16.0.1/x',
    'https://169.254.169.254/latest',
    'http://169.254.169.254/latest',
    'https://0.0.0.0/x',
    'https://[::]/x',
    'https://100.64.0.1/x',
    'https://[64:ff9b::7f00:1]/x',
    'https://[2002:7f00:1::]/x',
    'wss://api.example/x',
    'blob:https://api.example/x',
  ])('%s is refused', (url) => expect(judgeUpstream(url, SITE, []).ok).toBe(false));

  it.each([
    ['https://api.example/v1/chat/completions?key=1#part', SITE, []],
    ['https://api.example:8443/x', SITE, []],
    ['http://127.0.0.1:11434/api/chat', SITE, ['http://localhost:11434']],
    ['http://localhost:11434/api/chat', SITE, ['http://127.0.0.1:11434']],
    ['http://192.168.1.5:8080/x', 'http://192.168.1.5:8080', []],
    ['http://localhost:3000/x', 'http://127.0.0.1:3000', []],
    ['https://10.0.0.5/x', SITE, ['https://10.0.0.5']],
  ] as [string, string, string[]][])('%s from %s with %j may be called', (url, site, allow) =>
    expect(judgeUpstream(url, site, allow).ok).toBe(true),
  );

  it.each([
    ['http://127.0.0.1:11434/x', SITE, ['http://127.0.0.1:11435']],
    ['http://127.0.0.1:11434/x', SITE, ['https://127.0.0.1:11434']],
    ['http://127.0.0.1:11434/x', 'http://127.0.0.1:80', []],
    ['http://127.0.0.2:11434/x', SITE, ['http://127.0.0.1:11434']],
    ['http://127.0.0.1.evil.example:11434/x', SITE, ['http://127.0.0.1:11434']],
    ['http://8.8.8.8/x', SITE, ['http://8.8.8.8']],
    ['http://169.254.169.254/x', 'http://169.254.169.254', ['http://169.254.169.254']],
  ] as [string, string, string[]][])('%s from %s with %j may not', (url, site, allow) =>
    expect(judgeUpstream(url, site, allow).ok).toBe(false),
  );

  it('keeps the path and query verbatim', () => {
    expect(judgeUpstream('https://api.example/a%2Fb/../c?x=%20y&x=2', SITE, [])).toMatchObject({ path: '/c?x=%20y&x=2' });
  });

  it.each([
    'http://a.example/path',
    'http://a.example?x',
    'http://u@a.example',
    'a.example',
    'ws://a.example',
    'http://',
    '*',
    'http://*',
  ])('%s is no origin that can be approved as it stands', (text) =>
    expect(approvedOrigin(text) === null || text === 'http://*').toBe(true),
  );
});

describe('headers', () => {
  it.each([
    [['x', 'a\r\nb: c']],
    [['x', 'a\nb']],
    [['x', 'a\0b']],
    [['x\r\ny', 'a']],
    [['x y', 'a']],
    [['', 'a']],
    [['x', 'sn\u2028ow']],
    [['ü', 'a']],
    [['x:', 'a']],
  ] as [[string, string]][])('%j cannot be carried', (header) => expect(upstreamHeaders([header])).toBeNull());

  it('drop what belongs to a connection, a cookie jar or a proxy', () => {
    const dropped = [
      'Connection',
      'Keep-Alive',
      'Proxy-Authorization',
      'TE',
      'Trailer',
      'Transfer-Encoding',
      'Upgrade',
      'Host',
      'Cookie',
      'Content-Length',
      'Sec-Fetch-Site',
      'Expect',
    ];
    expect(upstreamHeaders([...dropped.map((name) => [name, 'x'] as const), ['X-Kept', 'y']])).toEqual([
      'accept-encoding',
      'identity',
      'x-kept',
      'y',
    ]);
  });

  it('of an answer stay within what a frame may carry', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x-${i}`, 'v']));
    expect(pageHeaders({ ...many, 'x-long': 'v'.repeat(20_000) }, false)).toHaveLength(128);
  });
});

describe('at connect', () => {
  let world: World;
  let line: Wired;
  let upstream: Upstream;
  let canary: { port: number; hits: number; close(): void };
  const names: Record<string, string[]> = {};
  const body = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'A question that is long enough.' }] });
  let stream = 0;

  beforeAll(async () => {
    const server = createServer((socket) => {
      canary.hits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    canary = { port: (server.address() as AddressInfo).port, hits: 0, close: () => server.close() };
    upstream = await startUpstream();
    world = await startWorld({
      resolve: (hostname, done) =>
        done(
          null,
          (names[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
    });
    line = await world.connect();
  });
  afterAll(async () => {
    canary.close();
    await world.close();
    await upstream.close();
  });

  const ending = async (url: string, site = SITE, approved: string[] = []) => {
    stream += 1;
    sendTurn(line, openFrame(url, body, { stream, session: `tl-${stream}`, site, over: { approved } }));
    const mine = stream;
    await line.until(() =>
      line.frames.some((frame) => 'stream' in frame && frame.stream === mine && frame.t !== 'turn.dispatched'),
    );
    return line.frames.filter((frame) => 'stream' in frame && frame.stream === mine);
  };

  it.each([
    ['a name that means this machine', ['127.0.0.1']],
    ['a name that means the local network', ['10.0.0.1']],
    ['a name of which one address is private', ['93.184.216.34', '127.0.0.1']],
    ['a name of a mapped address', ['::ffff:127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['a name with no address', []],
  ])('%s is never reached over https', async (_, addresses) => {
    names['api.test'] = addresses;
    const frames = await ending(`https://api.test:${canary.port}/v1/chat/completions`);
    // Refused before dispatch: the page's own request goes out, under the browser's own rules.
    expect(frames.map((frame) => frame.t)).toEqual(['turn.refused']);
    expect(canary.hits).toBe(0);
  });

  it('an approved plain origin may not lead out of the local network', async () => {
    names['box.test'] = ['93.184.216.34'];
    const frames = await ending('http://box.test:8080/v1/chat/completions', 'http://box.test:8080');
    expect(frames.map((frame) => frame.t)).toEqual(['turn.refused']);
  });

  it('an approved name on the local network is reached', async () => {
    names['box.test'] = ['127.0.0.1'];
    const { port } = new URL(upstream.origin);
    await ending(`http://box.test:${port}/v1/chat/completions`, `http://box.test:${port}`);
    await line.wait('turn.end');
  });

  it('an origin that the person approved for the site is reached, and no other', async () => {
    const url = `${upstream.origin}/v1/chat/completions`;
    expect((await ending(url)).map((frame) => frame.t)).toEqual(['turn.refused']);
    expect((await ending(url, SITE, ['http://127.0.0.1:1'])).map((frame) => frame.t)).toEqual(['turn.refused']);
    const before = upstream.seen.length;
    await ending(url, SITE, [upstream.origin]);
    expect(await line.wait('turn.end', (frame) => frame.stream === stream)).toMatchObject({ outcome: 'complete' });
    expect(upstream.seen.length - before).toBe(1);
    // Approval is for one request: the next one that does not carry it is refused again.
    expect((await ending(url)).map((frame) => frame.t)).toEqual(['turn.refused']);
  });

  it('an origin that the person approved still may not lead to a forbidden or a public address', async () => {
    for (const address of ['169.254.169.254', '93.184.216.34']) {
      names['model.test'] = [address];
      const frames = await ending('http://model.test:8080/v1/chat/completions', SITE, ['http://model.test:8080']);
      expect(
        frames.map((frame) => frame.t),
        address,
      ).toEqual(['turn.refused']);
    }
  });

  it.each([301, 302, 303, 307, 308])('a %i is returned, not followed', async (status) => {
    upstream.answer = (_, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${canary.port}/stolen` });
      response.end();
    };
    const before = upstream.seen.length;
    await ending(`${upstream.origin}/v1/chat/completions`, upstream.origin);
    expect(await line.wait('turn.head', (frame) => frame.stream === stream)).toMatchObject({ status });
    expect(upstream.seen.length - before).toBe(1);
    expect(canary.hits).toBe(0);
  });

  it('a provider that cannot be reached leaves the request to the page', async () => {
    const frames = await ending('http://127.0.0.1:1/v1/chat/completions', 'http://127.0.0.1:1');
    expect(frames).toMatchObject([{ t: 'turn.refused', code: 'upstream-unreachable' }]);
  });
});
