/** An abort ends the call at the provider at once; an answer whose own end had been seen by then counts as delivered. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFrame, sendTurn, type Wired } from './support/browser.ts';
import { sse, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let line: Wired;
beforeEach(async () => {
  [world, upstream] = await Promise.all([startWorld(), startUpstream()]);
  line = await world.connect();
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const url = (): string => `${upstream.origin}/v1/chat/completions`;
const messages = [{ role: 'user', content: 'Tell me something about rivers, please.' }];
const hello = JSON.stringify({ model: 'demo', stream: true, messages });
const written = () => world.companion.store.list({ scope: line.scope as never });
/** Everything that was said before this has been acted on, and what follows an answer has run. */
const quiet = async (id: number): Promise<void> => {
  line.send({ t: 'inspect', id, what: 'stats' });
  await line.wait('inspected', (frame) => frame.id === id);
};

describe('a page that leaves', () => {
  it("after the wire's own end, before the provider closes, has had its answer: the turn is complete and recorded", async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // Written, and never ended: clients do not wait for that.
      response.write(sse('Rivers run to the sea.').join(''));
    };
    sendTurn(line, openFrame(url(), hello, { stream: 3 }));
    await line.until(() => Buffer.concat(line.chunks.map((one) => one.bytes)).includes('[DONE]'));
    line.send({ t: 'turn.abort', stream: 3 });
    expect(await line.wait('turn.end')).toMatchObject({ outcome: 'complete', resent: false });
    await upstream.aborted(0);
    let stored = 0;
    await line.until(() => {
      void written().then((all) => {
        stored = all.length;
      });
      return stored === 1;
    });
    expect(await written()).toMatchObject([{ session: 'tl-test', rev: 1, stats: { requests: 1 } }]);
    expect(line.frames.filter((frame) => frame.t === 'turn.end')).toHaveLength(1);
  });

  it("before the wire's own end has aborted the turn, whatever the provider still says", async () => {
    let more: () => void = () => undefined;
    const [first = '', ...rest] = sse('Rivers run to the sea.');
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(first);
      more = () => response.end(rest.join(''));
    };
    sendTurn(line, openFrame(url(), hello, { stream: 3 }));
    await line.until(() => line.chunks.length > 0);
    line.send({ t: 'turn.abort', stream: 3 });
    expect(await line.wait('turn.end')).toMatchObject({ outcome: 'aborted' });
    await upstream.aborted(0);
    more();
    await quiet(1);
    expect(line.frames.filter((frame) => frame.t === 'turn.end')).toHaveLength(1);
    expect(await written()).toEqual([]);
  });

  it('after the end is told nothing more', async () => {
    sendTurn(line, openFrame(url(), hello, { stream: 3 }));
    expect(await line.wait('turn.end')).toMatchObject({ outcome: 'complete' });
    line.send({ t: 'turn.abort', stream: 3 });
    await quiet(1);
    expect(line.frames.filter((frame) => frame.t === 'turn.end')).toHaveLength(1);
  });

  it('while the provider refuses has aborted the turn', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(429, { 'content-type': 'text/event-stream' });
      response.write(sse('Not now.').join(''));
    };
    sendTurn(line, openFrame(url(), hello, { stream: 3 }));
    await line.until(() => line.chunks.length > 0);
    line.send({ t: 'turn.abort', stream: 3 });
    expect(await line.wait('turn.end')).toMatchObject({ outcome: 'aborted' });
    expect(await written()).toEqual([]);
  });
});
