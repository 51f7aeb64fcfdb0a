/** Folding behind the answer: proposed, committed by the owner, used next time; refused requests go out again whole. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dial, type Paired, type Wired } from './support/browser.ts';
import { createOwner, type Owner } from './support/owner.ts';
import { body, FOLDING, isFold, SUMMARY, words } from './support/rivers.ts';
import { answerWith, completion, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let paired: Paired;
let line: Wired;
let owner: Owner;
beforeEach(async () => {
  [world, upstream] = await Promise.all([startWorld({ flags: FOLDING }), startUpstream()]);
  paired = await world.pair();
  line = await world.connect(paired);
  owner = createOwner(line.scope);
  upstream.answer = (seen, response) => answerWith(isFold(seen) ? SUMMARY : 'A fine answer.')(seen, response);
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const url = (): string => `${upstream.origin}/v1/chat/completions`;
const key: [string, string] = ['authorization', 'Bearer page-key'];
const long = 14;

describe('a fold', () => {
  it('is asked for after the answer, with the same key, and used from the next request on', async () => {
    owner.serve(line);
    const first = await owner.turn(line, url(), body(long), { headers: [key] });
    expect(first).toMatchObject({ t: 'turn.end', outcome: 'complete' });
    const { block } = await line.wait('fold.proposed');
    await line.until(() => upstream.seen.filter(isFold).length === 1);
    expect(upstream.seen.find(isFold)?.headers.authorization).toBe('Bearer page-key');
    expect(line.order.indexOf('turn.end')).toBeLessThan(line.order.indexOf('fold.proposed'));
    await settled();
    const second = await owner.turn(line, url(), body(long + 1), { headers: [key] });
    expect(second).toMatchObject({ t: 'turn.end', outcome: 'complete', resent: false });
    const sent = upstream.seen.filter((seen) => !isFold(seen))[1]?.body ?? '';
    expect(sent).toContain(`[Earlier conversation, folded: ${block.blockId} `);
    expect(sent).not.toContain(words(0).trim());
    expect(sent).toContain(words(2 * long).trim());
    expect(sent.length).toBeLessThan(body(long + 1).length);
    const dispatched = line.frames.filter((frame) => frame.t === 'turn.dispatched');
    expect(dispatched[1]).toMatchObject({ blocks: [block.blockId] });
  });

  /** The owner's commit of the block has arrived at the companion's store. */
  const settled = (): Promise<void> =>
    line.until(() => {
      void world.companion.store.blocks(line.scope as never, 'tl-test' as never).then((blocks) => {
        stored = blocks.length;
      });
      return stored > 0;
    });
  let stored = 0;
  beforeEach(() => {
    stored = 0;
  });

  it("that the session was told not to use sends the page's own bytes", async () => {
    owner.serve(line);
    await owner.turn(line, url(), body(long));
    await line.wait('fold.proposed');
    await settled();
    const raw = body(long + 1);
    await owner.turn(line, url(), raw, { fold: 'off' });
    expect(upstream.seen.filter((seen) => !isFold(seen)).at(-1)?.body).toBe(raw);
    expect(line.frames.filter((frame) => frame.t === 'turn.dispatched').at(-1)).toMatchObject({ blocks: [], note: 'fold-off' });
  });

  it.each([400, 413, 422])(
    'that the provider refuses with %i is sent once more as the page wrote it, and named',
    async (status) => {
      owner.serve(line);
      await owner.turn(line, url(), body(long));
      const { block } = await line.wait('fold.proposed');
      await settled();
      upstream.answer = (seen, response) => {
        if (!seen.body.includes('[Earlier conversation, folded')) return answerWith('Whole again.')(seen, response);
        response.writeHead(status, { 'content-type': 'application/json' });
        return response.end('{"error":{"message":"no"}}');
      };
      const raw = body(long + 1);
      const before = upstream.seen.length;
      const end = await owner.turn(line, url(), raw);
      expect(end).toMatchObject({ t: 'turn.end', outcome: 'complete', resent: true, quarantine: [block.blockId] });
      const asked = upstream.seen.slice(before).filter((seen) => !isFold(seen));
      expect(asked).toHaveLength(2);
      expect(asked[1]?.body).toBe(raw);
      // The page saw one answer only.
      expect(line.frames.filter((frame) => frame.t === 'turn.head' && frame.stream === end.stream)).toHaveLength(1);
      await owner.turn(line, url(), body(long + 2));
      expect(upstream.seen.filter((seen) => !isFold(seen)).at(-1)?.body).toBe(body(long + 2));
    },
  );

  it('refused also without our folding gives the page the refusal of its own request, and blames no block', async () => {
    owner.serve(line);
    await owner.turn(line, url(), body(long));
    await line.wait('fold.proposed');
    await settled();
    upstream.answer = (seen, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(`{"error":"${seen.body.includes('folded') ? 'folded' : 'original'}"}`);
    };
    const before = upstream.seen.length;
    const end = await owner.turn(line, url(), body(long + 1));
    expect(end).toMatchObject({ t: 'turn.end', outcome: 'error', resent: true, quarantine: [] });
    expect(upstream.seen.length - before).toBe(2);
    const told = line.chunks.filter((one) => one.stream === end.stream).map((one) => one.bytes.toString());
    expect(told.join('')).toBe('{"error":"original"}');
  });

  it("and a second attempt are not sent under the page's idempotency key, and a summary asks for JSON", async () => {
    const headers: [string, string][] = [
      ['Idempotency-Key', 'page-1'],
      ['x-idempotency-key', 'page-2'],
      ['accept', 'text/event-stream'],
      key,
    ];
    owner.serve(line);
    await owner.turn(line, url(), body(long), { headers });
    await line.wait('fold.proposed');
    const [page, summary] = upstream.seen;
    expect(page?.headers).toMatchObject({
      'idempotency-key': 'page-1',
      'x-idempotency-key': 'page-2',
      accept: 'text/event-stream',
    });
    expect(summary?.headers).toMatchObject({ accept: 'application/json', authorization: 'Bearer page-key' });
    expect(Object.keys(summary?.headers ?? {}).filter((name) => name.includes('idempotency'))).toEqual([]);
    await settled();
    upstream.answer = (seen, response) =>
      seen.body.includes('[Earlier conversation, folded')
        ? response.writeHead(400).end('{}')
        : answerWith('Whole again.')(seen, response);
    expect(await owner.turn(line, url(), body(long + 1), { headers })).toMatchObject({ outcome: 'complete', resent: true });
    const [folded, again] = upstream.seen.filter((seen) => !isFold(seen)).slice(-2);
    expect(folded?.headers['idempotency-key']).toBe('page-1');
    expect(again?.headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer page-key' });
    expect(Object.keys(again?.headers ?? {}).filter((name) => name.includes('idempotency'))).toEqual([]);
  });

  it('goes to an upstream that the person approved for the site, like the conversation itself', async () => {
    owner.serve(line);
    const options = { site: 'https://chat.example', over: { approved: [upstream.origin] } };
    expect(await owner.turn(line, url(), body(long), options)).toMatchObject({ outcome: 'complete' });
    await line.wait('fold.proposed');
    expect(upstream.seen.filter(isFold)).toHaveLength(1);
  });

  it("is asked for in the conversation's own spelling of the output budget", async () => {
    owner.serve(line);
    const spelled = JSON.stringify({ ...JSON.parse(body(long)), max_completion_tokens: 900 });
    await owner.turn(line, url(), spelled);
    await line.wait('fold.proposed');
    const asked = JSON.parse(upstream.seen.find(isFold)?.body ?? '{}');
    expect(asked).toHaveProperty('max_completion_tokens');
    expect(asked).not.toHaveProperty('max_tokens');
  });

  it('is not tried again at once after a bad summary, and changes nothing', async () => {
    owner.serve(line);
    upstream.answer = (seen, response) => answerWith(isFold(seen) ? 'no' : 'An answer.')(seen, response);
    await owner.turn(line, url(), body(long));
    expect(await line.wait('fold.status', (frame) => frame.state === 'failed')).toMatchObject({
      reason: 'too-short',
      cost: 120,
    });
    await owner.turn(line, url(), body(long + 1));
    expect(upstream.seen.filter((seen) => !isFold(seen)).at(-1)?.body).toBe(body(long + 1));
    expect(upstream.seen.filter(isFold)).toHaveLength(1);
  });

  it('waits for an extension that is away, and is offered when it comes back', async () => {
    let finish: () => void = () => undefined;
    upstream.answer = (seen, response) => {
      if (!isFold(seen)) return answerWith('An answer.')(seen, response);
      finish = () => response.writeHead(200, { 'content-type': 'application/json' }).end(completion(SUMMARY));
    };
    owner.serve(line);
    await owner.turn(line, url(), body(long));
    await line.until(() => upstream.seen.some(isFold));
    line.close();
    await line.closed;
    finish();
    const back = await dial(world.companion.port, paired);
    if (back === null) throw new Error('not accepted');
    expect(await back.wait('fold.proposed')).toMatchObject({ session: 'tl-test' });
    back.close();
  });

  it('of a session that is forgotten meanwhile is cut off and never offered', async () => {
    upstream.answer = (seen, response) => (isFold(seen) ? undefined : answerWith('An answer.')(seen, response));
    owner.serve(line);
    await owner.turn(line, url(), body(long));
    await line.until(() => upstream.seen.some(isFold));
    line.send({ t: 'forget', tombstone: { scope: line.scope, session: 'tl-test', site: null, at: 9e12 } });
    await upstream.aborted(upstream.seen.findIndex(isFold));
    line.close();
    await line.closed;
    const back = await dial(world.companion.port, paired);
    back?.send({ t: 'inspect', id: 3, what: 'stats' });
    await back?.wait('inspected');
    expect(back?.frames.some((frame) => frame.t === 'fold.proposed')).toBe(false);
    back?.close();
  });

  it('is single: a second turn while one runs starts no other', async () => {
    upstream.answer = (seen, response) => (isFold(seen) ? undefined : answerWith('An answer.')(seen, response));
    owner.serve(line);
    await owner.turn(line, url(), body(long));
    await line.until(() => upstream.seen.some(isFold));
    await owner.turn(line, url(), body(long + 1));
    await owner.turn(line, url(), body(long + 2));
    expect(upstream.seen.filter(isFold)).toHaveLength(1);
  });

  it('on request says why there is nothing to fold', async () => {
    owner.serve(line);
    line.send({ t: 'fold.now', session: 'tl-unknown' });
    expect(await line.wait('fold.status')).toMatchObject({ state: 'nothing', reason: 'no-recent-request' });
  });
});
