/** A request over its window goes out with an extract that both stores hold afterwards; nothing of it stays when the turn fails. */
import type { SessionId } from '@throughline/shared/base/brand';
import { originalSeqs } from '@throughline/shared/fold/unfold';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Wired } from './support/browser.ts';
import { createOwner, type Owner } from './support/owner.ts';
import { type Answering, answerWith, type Seen, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let line: Wired;
let owner: Owner;
const start = async (flags: Record<string, unknown>): Promise<void> => {
  world = await startWorld({ flags: { 'fold.keepTokens': 300, ...flags } });
  line = await world.connect();
  owner = createOwner(line.scope);
  owner.serve(line);
};
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const session = 'tl-test' as SessionId;
const url = (): string => `${upstream.origin}/v1/chat/completions`;
const asked = (i: number): string => `My question ${i}: how long is river ${i}?`;
const words = (i: number): string => `Answer ${i} about river number ${i}, its sources, its towns and its length. `.repeat(8);
const body = (turns: number): string =>
  JSON.stringify({
    model: 'demo',
    messages: Array.from({ length: 2 * turns - 1 }, (_, i) =>
      i % 2 === 0 ? { role: 'user', content: asked(i) } : { role: 'assistant', content: words(i) },
    ),
  });
const isFold = (seen: Seen): boolean => seen.body.includes('Throughline fold request');
const sent = (): string[] => upstream.seen.filter((seen) => !isFold(seen)).map((seen) => seen.body);
const key = () => [line.scope as never, session] as const;
const ours = async (rev: number) => {
  for (let i = 0; i < 400 && (await world.companion.store.load(...key()))?.rev !== rev; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return world.companion.store.snapshot(...key());
};
const overflow =
  (message: string): Answering =>
  (_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message, code: 'context_length_exceeded' } }));
  };

describe('a request over its known window', () => {
  it("goes out with the person's own words standing in for the oldest part, labelled, at once and without a model", async () => {
    await start({ 'fold.windowTokens': 2000 });
    const end = await owner.turn(line, url(), body(20));
    expect(end).toMatchObject({
      t: 'turn.end',
      outcome: 'complete',
      resent: false,
      extract: { blockId: 'b1', author: 'extract' },
    });
    expect(line.frames.find((one) => one.t === 'turn.dispatched')).toMatchObject({ blocks: ['b1'], note: 'extract' });
    const [first = ''] = sent();
    expect(first).toContain('[Earlier conversation, folded: b1 · m00001-');
    expect(first).toContain('Extract, not a summary');
    expect(first).toContain(asked(0));
    expect(first).not.toContain(words(1).trim());
    expect(first).toContain(JSON.stringify({ role: 'user', content: asked(38) }));
    if (end.t === 'turn.end') expect(end.tokens.sent).toBeLessThan(2000);
  });

  it('leaves both stores with the same block and its originals, and the same bytes in every later request', async () => {
    await start({ 'fold.windowTokens': 2000, 'fold.minTurnsBetween': 50 });
    await owner.turn(line, url(), body(20));
    const [held, theirs] = [await ours(1), await owner.store.snapshot(...key())];
    expect(held).toEqual(theirs);
    const [block] = theirs?.blocks ?? [];
    if (block === undefined) throw new Error('no block was committed');
    expect(block).toMatchObject({ state: 'folded', author: 'extract', rev: 1 });
    const rows = await owner.store.rowsAt(...key(), originalSeqs(block, theirs?.blocks ?? []));
    expect(rows.map((row) => JSON.parse(row.raw).content)).toEqual(
      rows.map((row) => (row.role === 'user' ? asked(row.seq) : words(row.seq))),
    );
    const start0 = (text: string): string => text.slice(0, text.indexOf('"content":"My question') + 1);
    for (const turns of [21, 22]) {
      await owner.turn(line, url(), body(turns));
      expect(
        sent()
          .at(-1)
          ?.startsWith(start0(sent()[0] ?? '')),
      ).toBe(true);
      expect((await ours(turns - 19))?.blocks).toEqual([block]);
    }
    expect((await ours(3))?.record).toEqual(await owner.store.load(...key()));
  });

  it('leaves nothing behind when the turn fails', async () => {
    await start({ 'fold.windowTokens': 2000 });
    upstream.answer = (_, response) => response.destroy();
    expect(await owner.turn(line, url(), body(20))).toMatchObject({ t: 'turn.error' });
    expect(await world.companion.store.list({ scope: line.scope as never })).toEqual([]);
    expect(await owner.store.list({ scope: line.scope as never })).toEqual([]);
  });

  it('goes out as the page wrote it where the provider refuses it with an extract, and no extract is tried again', async () => {
    await start({ 'fold.windowTokens': 2000, 'fold.triggerRatio': 1 });
    upstream.answer = (seen, response) => {
      if (!seen.body.includes('Extract, not a summary')) return answerWith('Whole.')(seen, response);
      response.writeHead(400, {});
      response.end('{"error":"no"}');
    };
    const end = await owner.turn(line, url(), body(20));
    expect(end).toMatchObject({ outcome: 'complete', resent: true, extract: null, quarantine: [] });
    expect((await ours(1))?.blocks).toEqual([]);
    upstream.answer = answerWith('Whole.');
    await owner.turn(line, url(), body(21));
    expect(sent().at(-1)).toBe(body(21));
  });

  it.each([
    ['is not touched when folding is off for it', { fold: 'off' as const }, {}],
    ['is not touched when folding is off', {}, { 'fold.mode': 'off' }],
    ['is not touched when nothing outside the protected end would make it fit', {}, { 'fold.keepMessages': 39 }],
  ])('%s', async (_, options, flags) => {
    await start({ 'fold.windowTokens': 2000, ...flags });
    expect(await owner.turn(line, url(), body(20), options)).toMatchObject({ extract: null });
    expect(sent()).toEqual([body(20)]);
  });
});

describe('a window nobody knows', () => {
  it('is no reason for an extract, however long the request', async () => {
    await start({});
    await owner.turn(line, url(), body(60));
    expect(sent()).toEqual([body(60)]);
  });

  it('is learned from the refusal of a turn that failed, used for the next one, and in both records then', async () => {
    await start({ 'fold.minTurnsBetween': 50 });
    upstream.answer = overflow("This model's maximum context length is 2000 tokens. Your messages resulted in 2600 tokens.");
    expect(await owner.turn(line, url(), body(20))).toMatchObject({ outcome: 'error', window: 2000 });
    upstream.answer = answerWith('It fits.');
    expect(await owner.turn(line, url(), body(20))).toMatchObject({
      outcome: 'complete',
      window: 2000,
      extract: { blockId: 'b1' },
    });
    const held = await ours(1);
    expect(held?.record.window).toEqual({ tokens: 2000, source: 'upstream' });
    expect(held).toEqual(await owner.store.snapshot(...key()));
  });

  it('and not stated in the refusal either: the next request is brought below the one that was refused', async () => {
    await start({});
    upstream.answer = overflow('The request exceeds the context window of this model.');
    await owner.turn(line, url(), body(20));
    upstream.answer = answerWith('It fits.');
    const end = await owner.turn(line, url(), body(21));
    expect(end).toMatchObject({ outcome: 'complete', window: null, extract: { blockId: 'b1' } });
    expect((await ours(1))?.record.window).toEqual({ tokens: null, source: 'unknown' });
  });

  it('is not taken from a refusal of another session or another model', async () => {
    await start({});
    upstream.answer = overflow("This model's maximum context length is 2000 tokens.");
    await owner.turn(line, url(), body(20), { session: 'tl-other' });
    upstream.answer = answerWith('It fits.');
    await owner.turn(line, url(), body(20));
    expect(sent().at(-1)).toBe(body(20));
  });
});
