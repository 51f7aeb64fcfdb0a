/** A provider that says nothing is given up after `upstream.firstByteSeconds`, one that stops talking after `upstream.idleSeconds`. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { delivered, type Wired } from './support/browser.ts';
import { createOwner } from './support/owner.ts';
import { completion, sse, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let line: Wired;
const open = async (flags: Record<string, number>) => {
  world = await startWorld({ flags });
  line = await world.connect();
  return createOwner(line.scope);
};
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const url = (): string => `${upstream.origin}/v1/chat/completions`;
const body = JSON.stringify({
  model: 'demo',
  stream: true,
  messages: [{ role: 'user', content: 'Tell me something about rivers, please.' }],
});
const written = () => world.companion.store.list({ scope: line.scope as never });

describe('a silent provider', () => {
  it('is given up after firstByteSeconds without an answer', async () => {
    const owner = await open({ 'upstream.firstByteSeconds': 0.2, 'upstream.idleSeconds': 600 });
    upstream.answer = () => undefined;
    expect(await owner.turn(line, url(), body)).toMatchObject({
      t: 'turn.error',
      side: 'upstream',
      code: 'UND_ERR_HEADERS_TIMEOUT',
    });
    await upstream.aborted(0);
    expect(await written()).toEqual([]);
  });

  it('is given up after idleSeconds of silence inside an answer; what came was delivered', async () => {
    const owner = await open({ 'upstream.firstByteSeconds': 600, 'upstream.idleSeconds': 0.2 });
    const [first = ''] = sse('On and on.');
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(first);
    };
    const end = await owner.turn(line, url(), body);
    expect(end).toMatchObject({ t: 'turn.error', side: 'upstream', code: 'UND_ERR_BODY_TIMEOUT' });
    expect(delivered(line, end.stream).toString()).toBe(first);
    await upstream.aborted(0);
    expect(await written()).toEqual([]);
  });

  it('is not given up by idleSeconds before its answer begins', async () => {
    const owner = await open({ 'upstream.firstByteSeconds': 600, 'upstream.idleSeconds': 0.05 });
    upstream.answer = (_, response) => {
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(completion('Late.')), 400);
    };
    expect(await owner.turn(line, url(), body)).toMatchObject({ t: 'turn.end', outcome: 'complete' });
  });
});
