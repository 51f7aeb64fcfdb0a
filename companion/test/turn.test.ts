/** Forwarding: bytes, chunks, statuses and headers pass as they are; aborts arrive; nothing doubtful goes out. */
import { gzipSync } from 'node:zlib';
import { BODY_LAST, renderBinary } from '@throughline/shared/protocol/binary';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { delivered, type Heard, openFrame, sendTurn, type Wired } from './support/browser.ts';
import { createOwner, type Owner } from './support/owner.ts';
import { answerWith, completion, sse, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let line: Wired;
let owner: Owner;
beforeEach(async () => {
  [world, upstream] = await Promise.all([startWorld(), startUpstream()]);
  line = await world.connect();
  owner = createOwner(line.scope);
  owner.serve(line);
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const url = (): string => `${upstream.origin}/v1/chat/completions?key=in-the-query`;
const body = (...lines: string[]): string =>
  JSON.stringify({
    model: 'demo',
    stream: true,
    messages: lines.map((content, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content })),
  });
const hello = body('Tell me something about rivers, please.');
const ending = (frame: Heard, t: string): boolean => frame.t === t;

describe('a forwarded turn', () => {
  it('reaches the provider byte for byte, with the headers the page set and no others', async () => {
    const odd = `{ "model":"demo",\n "messages" : [ {"content":"Ünïcode \\u00fc \\ud83d\\ude00 and  spaces","role":"user", "x":9007199254740993} ],"stream":false}`;
    const headers: [string, string][] = [
      ['content-type', 'text/plain;charset=UTF-8'],
      ['authorization', 'Bearer page-key'],
      ['x-api-key', 'other'],
      ['x-custom', 'a  b'],
      ['cookie', 'session=1'],
      ['host', 'evil.example'],
      ['connection', 'close, x-hop'],
      ['x-hop', 'dropped'],
      ['content-length', '1'],
      ['transfer-encoding', 'chunked'],
      ['accept-encoding', 'gzip, zstd'],
    ];
    const end = await owner.turn(line, url(), odd, { headers });
    expect(end).toMatchObject({ t: 'turn.end', outcome: 'complete', resent: false });
    const [seen] = upstream.seen;
    expect(seen?.body).toBe(odd);
    expect(seen?.path).toBe('/v1/chat/completions?key=in-the-query');
    const names = (seen?.rawHeaders ?? []).filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
    expect(names.sort()).toEqual(
      [
        'accept-encoding',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'x-api-key',
        'x-custom',
      ].sort(),
    );
    expect(seen?.headers).toMatchObject({
      authorization: 'Bearer page-key',
      'accept-encoding': 'identity',
      host: new URL(upstream.origin).host,
    });
  });

  it('keeps the chunk boundaries of the provider, inside events and inside characters', async () => {
    const whole = Buffer.from(sse('Grüße ', '世界 ', '😀').join(''));
    const cuts = [0, 1, 7, 40, 41, 42, 150, 151, 300, whole.length];
    const pieces = cuts.slice(1).map((cut, i) => whole.subarray(cuts[i], cut));
    upstream.answer = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [i, piece] of pieces.entries()) {
        response.write(piece);
        await line.until(() => line.chunks.length > i);
      }
      response.end();
    };
    expect(await owner.turn(line, url(), hello)).toMatchObject({ outcome: 'complete' });
    expect(line.chunks.map(({ bytes }) => bytes.toString('hex'))).toEqual(pieces.map((piece) => piece.toString('hex')));
    expect(line.order.filter((one) => one !== 'session.pull')).toEqual([
      'turn.dispatched',
      'turn.head',
      ...pieces.map(() => 'chunk'),
      'turn.end',
    ]);
  });

  it.each([
    200, 201, 202, 301, 302, 303, 307, 308, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 500, 501, 502, 503, 504, 529,
  ])('passes status %i with its body and asks once', async (status) => {
    const text = `{"error":{"message":"status ${status}"}}`;
    upstream.answer = (_, response) => {
      response.writeHead(status, `Reason ${status}`, {
        'content-type': 'application/json',
        'retry-after': '7',
        location: `${upstream.origin}/elsewhere`,
      });
      response.end(text);
    };
    const end = await owner.turn(line, url(), hello);
    const head = await line.wait('turn.head');
    expect(head).toMatchObject({ status, statusText: `Reason ${status}` });
    expect(head.headers).toContainEqual(['retry-after', '7']);
    expect(delivered(line, head.stream).toString()).toBe(text);
    expect(upstream.seen).toHaveLength(1);
    expect(end.t).toBe('turn.end');
    if (status > 299) expect(end).toMatchObject({ outcome: 'error', quarantine: [] });
  });

  it('never passes cookies on, in either direction', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'], 'x-request-id': 'r1' });
      response.end(completion('fine'));
    };
    await owner.turn(line, url(), hello);
    const head = await line.wait('turn.head');
    expect(head.headers.map(([name]) => name)).not.toContain('set-cookie');
    expect(head.headers).toContainEqual(['x-request-id', 'r1']);
  });

  it('unpacks an answer that came packed unasked, so that bytes match their headers', async () => {
    upstream.answer = (_, response) => {
      const packed = gzipSync(completion('fine'));
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': packed.length,
      });
      response.end(packed);
    };
    expect(await owner.turn(line, url(), hello)).toMatchObject({ outcome: 'complete' });
    const head = await line.wait('turn.head');
    expect(head.headers.map(([name]) => name)).not.toContain('content-encoding');
    expect(head.headers.map(([name]) => name)).not.toContain('content-length');
    expect(delivered(line, head.stream).toString()).toBe(completion('fine'));
  });

  it('calls a torn packed answer broken, and a twofold or unknown packing too', async () => {
    for (const [encoding, bytes] of [
      ['gzip', gzipSync(completion('fine')).subarray(0, 60)],
      ['gzip, gzip', gzipSync(gzipSync('x'))],
      ['compress', Buffer.from('x')],
    ] as const) {
      upstream.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
        response.end(bytes);
      };
      expect(await owner.turn(line, url(), hello), encoding).toMatchObject({ t: 'turn.error', side: 'upstream' });
    }
  });

  it('ends honestly when the provider breaks off, and the next turn works', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse('half')[1], () => response.destroy());
    };
    expect(await owner.turn(line, url(), hello)).toMatchObject({ t: 'turn.error', side: 'upstream' });
    expect(delivered(line, 101).toString()).toBe(sse('half')[1]);
    upstream.answer = answerWith('back');
    expect(await owner.turn(line, url(), hello)).toMatchObject({ t: 'turn.end', outcome: 'complete' });
  });

  it('does not count a stream without its end as complete', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(sse('half')[1]);
    };
    expect(await owner.turn(line, url(), hello)).toMatchObject({ t: 'turn.end', outcome: 'incomplete' });
    expect(await world.companion.store.list({ scope: line.scope as never })).toEqual([]);
  });

  it.each(['reset', 'closed'])('%s by the provider in mid-stream reaches the page as an error of the provider', async (how) => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse('half')[1], () => (how === 'reset' ? response.socket?.resetAndDestroy() : response.destroy()));
    };
    expect(await owner.turn(line, url(), hello)).toMatchObject({ t: 'turn.error', side: 'upstream' });
    expect(line.frames.some((frame) => frame.t === 'turn.end')).toBe(false);
    expect(await world.companion.store.list({ scope: line.scope as never })).toEqual([]);
  });

  it("ends plainly without the wire's own end, and leaves the session where it was: no head, no fold", async () => {
    const told = body(...Array.from({ length: 41 }, (_, i) => `message number ${i} `.repeat(40)));
    await world.close();
    world = await startWorld({ flags: { 'fold.windowTokens': 4000, 'fold.keepTokens': 500, 'fold.triggerRatio': 0.9 } });
    line = await world.connect();
    owner = createOwner(line.scope);
    owner.serve(line);
    const key = [line.scope as never, 'tl-test' as never] as const;
    upstream.answer = answerWith('An answer.');
    await owner.turn(line, url(), hello);
    for (let i = 0; i < 400 && (await world.companion.store.load(...key)) === null; i += 1)
      await new Promise((go) => setTimeout(go, 5));
    const before = await world.companion.store.snapshot(...key);
    expect(before?.record.rev).toBe(1);
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(sse('half')[1]);
    };
    const end = await owner.turn(line, url(), told, { fold: 'off' });
    expect(end).toMatchObject({ t: 'turn.end', outcome: 'incomplete' });
    expect(delivered(line, end.stream).toString()).toBe(sse('half')[1]);
    line.send({ t: 'inspect', id: 4, what: 'health' });
    await line.wait('inspected');
    expect(await world.companion.store.snapshot(...key)).toEqual(before);
    expect(await owner.store.snapshot(...key)).toEqual(before);
    expect(upstream.seen.some((seen) => seen.body.includes('Throughline fold request'))).toBe(false);
  });

  it('holds the provider back when the reader is slow, and delivers everything in the end', async () => {
    const size = 6 * 1024 * 1024;
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.end(Buffer.alloc(size, 97));
    };
    sendTurn(line, openFrame(url(), hello, { stream: 9 }));
    await line.until(() => delivered(line, 9).length >= 1024 * 1024);
    line.send({ t: 'inspect', id: 1, what: 'health' });
    await line.wait('inspected');
    // One window, and what one read may add to it.
    expect(delivered(line, 9).length).toBeLessThan(1024 * 1024 + 256 * 1024);
    for (let credited = 0; credited < size; credited += 512 * 1024)
      line.send({ t: 'turn.credit', stream: 9, bytes: 512 * 1024 });
    let granted = delivered(line, 9).length;
    void line
      .until(() => {
        const now = delivered(line, 9).length;
        if (now > granted) line.send({ t: 'turn.credit', stream: 9, bytes: now - granted });
        granted = now;
        return now === size;
      })
      .catch(() => undefined);
    await line.wait('turn.end');
    expect(delivered(line, 9).length).toBe(size);
  });

  it('streams of one connection do not wait for each other', async () => {
    const held: (() => void)[] = [];
    upstream.answer = (seen, response) => {
      const finish = (): void => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(completion('done'));
      };
      if (seen.body.includes('slow')) held.push(finish);
      else finish();
    };
    sendTurn(line, openFrame(url(), body('A slow question that takes its time.'), { stream: 1, session: 'tl-a' }));
    await line.wait('turn.dispatched');
    sendTurn(line, openFrame(url(), body('A quick question in the same session.'), { stream: 2, session: 'tl-a' }));
    await line.wait('turn.end', (frame) => frame.stream === 2);
    await line.until(() => held.length === 1);
    held[0]?.();
    await line.wait('turn.end', (frame) => frame.stream === 1);
  });
});

describe('an abort', () => {
  it.each(['before the first byte', 'in mid-stream'])('%s ends the connection to the provider', async (when) => {
    upstream.answer = (_, response) => {
      if (when === 'in mid-stream') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(sse('on and on')[1]);
      }
    };
    sendTurn(line, openFrame(url(), hello, { stream: 3 }));
    await (when === 'in mid-stream' ? line.until(() => line.chunks.length > 0) : line.until(() => upstream.seen.length === 1));
    line.send({ t: 'turn.abort', stream: 3 });
    await upstream.aborted(0);
    expect(await line.wait('turn.end')).toMatchObject({ outcome: 'aborted' });
    expect(await world.companion.store.list({ scope: line.scope as never })).toEqual([]);
  });

  it('of the whole connection ends every call', async () => {
    upstream.answer = () => undefined;
    for (const stream of [1, 2, 3]) sendTurn(line, openFrame(url(), hello, { stream, session: `tl-${stream}` }));
    await line.until(() => upstream.seen.length === 3);
    line.close();
    await Promise.all([0, 1, 2].map((index) => upstream.aborted(index)));
  });

  it('before the body is complete lets nothing out', async () => {
    const { frame, middle } = openFrame(url(), hello, { stream: 4 });
    line.send(frame);
    line.send({ t: 'turn.abort', stream: 4 });
    await line.wait('turn.end', (end) => end.stream === 4);
    line.sendRaw(renderBinary(BODY_LAST, 4, middle));
    await owner.turn(line, url(), hello);
    expect(upstream.seen).toHaveLength(1);
  });
});

describe('the upload', () => {
  const reason = { compared: 1, head: 'ab'.repeat(32), next: null, code: 'history-diverged' };
  const lineage = { kind: 'forked', parents: ['tl-parent'], shared: 2 };
  const resolved = { via: 'new' as const, depth: 0, incoming: 1, domain: null, lineage: null, reason };

  it('follows the new tail: a delta against the last body is rebuilt byte for byte', async () => {
    const first = body(...Array.from({ length: 41 }, (_, i) => `message number ${i} `.repeat(40)));
    const second = body(...Array.from({ length: 43 }, (_, i) => `message number ${i} `.repeat(40)));
    await owner.turn(line, url(), first);
    const opened = openFrame(url(), second, { base: Buffer.from(first) });
    expect(opened.middle.length).toBeLessThan(3000);
    await owner.turn(line, url(), second, { base: Buffer.from(first) });
    expect(upstream.seen.map((seen) => seen.body)).toEqual([first, second]);
    expect(line.frames.some((frame) => frame.t === 'turn.resync')).toBe(false);
  });

  it('asks for the whole body when it does not know the base, and dispatches nothing before', async () => {
    const second = body('One thing.', 'An answer.', 'Another thing, then.');
    const { frame, middle } = openFrame(url(), second, { stream: 5, base: Buffer.from(body('One thing.')) });
    sendTurn(line, { frame, middle });
    await line.wait('turn.resync');
    expect(upstream.seen).toHaveLength(0);
    line.sendRaw(renderBinary(BODY_LAST, 5, Buffer.from(second)));
    await line.wait('turn.end');
    expect(upstream.seen[0]?.body).toBe(second);
  });

  it.each([
    ['a wrong digest', { body: { digest: 'ab'.repeat(32), length: Buffer.byteLength(hello) } }, 'body-digest'],
    ['a wrong length', { body: { digest: 'ab'.repeat(32), length: 3 } }, 'body-digest'],
    ['a length beyond the limit', { body: { digest: 'ab'.repeat(32), length: 65 * 1024 * 1024 } }, 'body-too-large'],
    [
      'a claimed head that is not its own',
      { heads: { 2: { link: 'ab'.repeat(32), depth: 1 }, 3: { link: 'ab'.repeat(32), depth: 1 } } },
      'heads-differ',
    ],
    ['another wire than it is', { wire: 'anthropic-messages' as const }, 'not-recognised'],
    [
      'a reason without a code',
      { resolution: { ...resolved, reason: { compared: 0, head: null, next: null } } },
      'bad-resolution',
    ],
    ['a reason of no known code', { resolution: { ...resolved, reason: { ...reason, code: '<b>x</b>' } } }, 'bad-resolution'],
    [
      'a head that is no digest',
      { resolution: { ...resolved, reason: { ...reason, head: 'x'.repeat(64) } } },
      'bad-resolution',
    ],
    ['a lineage of no known kind', { resolution: { ...resolved, lineage: { ...lineage, kind: 'stolen' } } }, 'bad-resolution'],
    [
      'a lineage whose parents are no list',
      { resolution: { ...resolved, lineage: { ...lineage, parents: {} } } },
      'bad-resolution',
    ],
    [
      'no domain at all',
      { resolution: { via: 'new' as const, depth: 0, incoming: 1, lineage: null, reason } },
      'bad-resolution',
    ],
    ['a revision we do not have and nobody pushes', { rev: 5, session: 'tl-nobody' }, 'replica-behind'],
  ])('with %s is refused before dispatch', async (_, over, code) => {
    sendTurn(line, openFrame(url(), hello, { stream: 6, over }));
    expect(await line.wait('turn.refused')).toMatchObject({ stream: 6, code });
    expect(upstream.connections()).toBe(0);
    expect(await owner.turn(line, url(), hello)).toMatchObject({ t: 'turn.end', outcome: 'complete' });
  });

  it('keeps of a resolution what both sides know, and nothing else', async () => {
    const said = { ...resolved, lineage: { ...lineage, extra: 'not ours' }, reason: { ...reason, html: 'not ours' } };
    sendTurn(line, openFrame(url(), hello, { stream: 6, over: { resolution: said } }));
    await line.wait('turn.end');
    const key = [line.scope as never, 'tl-test' as never] as const;
    for (let i = 0; i < 400 && (await world.companion.store.load(...key)) === null; i += 1)
      await new Promise((go) => setTimeout(go, 5));
    const record = await world.companion.store.load(...key);
    expect(record?.lineage).toEqual(lineage);
    expect(record?.last.reason).toEqual(reason);
  });

  it('of something that is not JSON is refused', async () => {
    for (const text of ['not json', '\ufeff{', '"x', '']) {
      const bytes = Buffer.from(text);
      const { frame } = openFrame(url(), hello, { stream: 8 });
      const { createHash } = await import('node:crypto');
      line.send({ ...frame, body: { digest: createHash('sha256').update(bytes).digest('hex'), length: bytes.length } });
      line.sendRaw(renderBinary(BODY_LAST, 8, bytes));
      await line.until(() => line.frames.filter((one) => ending(one, 'turn.refused')).length > 0);
    }
    expect(upstream.connections()).toBe(0);
  });
});

describe('a bad frame', () => {
  it.each([
    ['no JSON', 'x'],
    ['no object', '[]'],
    ['an unknown verb', '{"t":"settings.set"}'],
    ['wrong types', '{"t":"turn.credit","stream":"1","bytes":{}}'],
    ['a negative credit', '{"t":"turn.credit","stream":1,"bytes":-5}'],
    ['a prototype', '{"t":"turn.abort","stream":1e99,"__proto__":{"polluted":true}}'],
    ['hello once more', '{"t":"proof","mac":"00"}'],
    ['bytes of no kind', Buffer.from([9, 0, 0, 0, 1, 1])],
    ['too few bytes', Buffer.from([1])],
  ])('(%s) is refused with a code, and the next turn works', async (_, data) => {
    line.sendRaw(data);
    expect(await line.wait('refused')).toMatchObject({ code: 'bad-frame' });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(await owner.turn(line, url(), hello)).toMatchObject({ outcome: 'complete' });
  });

  it('about another scope changes nothing', async () => {
    const tombstone = { scope: 'scope-of-somebody', session: null, site: null, at: 9 };
    line.send({ t: 'forget', tombstone });
    expect(await line.wait('refused')).toMatchObject({ code: 'other-scope' });
    expect(await world.companion.store.tombstones('scope-of-somebody' as never)).toEqual([]);
  });

  it('that reuses a running stream does not disturb it', async () => {
    let finish: () => void = () => undefined;
    upstream.answer = (_, response) => {
      finish = () => answerWith('done')({} as never, response);
    };
    sendTurn(line, openFrame(url(), hello, { stream: 1 }));
    await line.wait('turn.dispatched');
    sendTurn(line, openFrame(url(), hello, { stream: 1 }));
    expect(await line.wait('refused')).toMatchObject({ code: 'stream-in-use' });
    await line.until(() => upstream.seen.length === 1);
    finish();
    expect(await line.wait('turn.end')).toMatchObject({ outcome: 'complete' });
  });
});

describe('keys', () => {
  it('are in no file and no log line, whatever happens to the request', async () => {
    const canary = 'sk-canary-0123456789abcdefghij';
    const carriers: [string, string][] = [
      ['authorization', `Bearer ${canary}`],
      ['x-api-key', canary],
      ['api-key', canary],
    ];
    const withKey = `${upstream.origin}/v1/chat/completions?key=${canary}`;
    await owner.turn(line, withKey, hello, { headers: carriers });
    upstream.answer = (_, response) => response.destroy();
    await owner.turn(line, withKey, hello, { headers: carriers });
    await owner.turn(line, withKey, hello, { headers: [['authorization', `Bearer ${canary}\r\nx-evil: 1`]] });
    await owner.turn(line, `http://127.0.0.1:1/v1/chat/completions?key=${canary}`, hello, { headers: carriers });
    await owner.turn(line, `https://user:${canary}@127.0.0.1/v1/chat/completions`, hello, {
      headers: carriers,
      site: 'https://x.example',
    });
    line.sendRaw(`{"t":"${canary}"}`);
    await line.wait('refused');
    const said = JSON.stringify(line.frames);
    await world.restart();
    const { readdirSync, readFileSync } = await import('node:fs');
    const { join } = await import('node:path');
    const files = readdirSync(world.files.directory).map((name) => readFileSync(join(world.files.directory, name), 'latin1'));
    expect([...files, ...world.log, said].filter((text) => text.includes('canary'))).toEqual([]);
    expect(world.log.length).toBeGreaterThan(3);
  });
});
