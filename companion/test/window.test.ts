/** What is known about a model's window is known to both stores, wherever it came from. */
import type { SessionId } from '@throughline/shared/base/brand';
import { afterEach, describe, expect, it } from 'vitest';
import type { Wired } from './support/browser.ts';
import { createOwner, type Owner } from './support/owner.ts';
import { startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let line: Wired;
let owner: Owner;
const start = async (flags: (origin: string) => Record<string, unknown>): Promise<void> => {
  upstream = await startUpstream();
  world = await startWorld({ flags: flags(upstream.origin) });
  line = await world.connect();
  owner = createOwner(line.scope);
  owner.serve(line);
};
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const session = 'tl-test' as SessionId;
const url = (): string => `${upstream.origin}/v1/chat/completions`;
const body = (turns: number, model = 'demo'): string =>
  JSON.stringify({
    model,
    messages: Array.from({ length: 2 * turns - 1 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `message ${i} of this talk`,
    })),
  });
/** Both stores' records, once the companion has written the owner's revision. */
const records = async () => {
  const key = [line.scope as never, session] as const;
  const theirs = await owner.store.load(...key);
  let ours = await world.companion.store.load(...key);
  for (let i = 0; i < 400 && ours?.rev !== theirs?.rev; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ours = await world.companion.store.load(...key);
  }
  return { ours, theirs };
};

describe('a configured window', () => {
  it.each([
    ['for every model', () => ({ 'fold.windowTokens': 5000 }), 5000],
    ['for this model of the provider', (origin: string) => ({ windows: { [origin]: { demo: 6000 } } }), 6000],
    [
      'for this model, before the general one',
      (origin: string) => ({ 'fold.windowTokens': 5000, windows: { [origin]: { demo: 6000 } } }),
      6000,
    ],
  ])('%s is in both records, as configured', async (_, flags, tokens) => {
    await start(flags);
    for (const turns of [1, 2]) expect(await owner.turn(line, url(), body(turns))).toMatchObject({ outcome: 'complete' });
    const { ours, theirs } = await records();
    expect(theirs?.window).toEqual({ tokens, source: 'config' });
    expect(ours).toEqual(theirs);
  });

  it('for another model or another provider says nothing about this one', async () => {
    await start((origin) => ({ windows: { [origin]: { other: 6000 }, 'https://elsewhere.example': { demo: 7000 } } }));
    await owner.turn(line, url(), body(1));
    const { ours, theirs } = await records();
    expect(theirs?.window).toEqual({ tokens: null, source: 'unknown' });
    expect(ours).toEqual(theirs);
  });
});
