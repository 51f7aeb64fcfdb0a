/** An opening that ends late finds a session that went on without it: it adds its turn and undoes nothing. */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFrame, sendTurn, type Wired } from './support/browser.ts';
import { createOwner, type Owner } from './support/owner.ts';
import { body, FOLDING, isFold, SUMMARY } from './support/rivers.ts';
import { answerWith, startUpstream, type Upstream } from './support/upstream.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let upstream: Upstream;
let line: Wired;
let owner: Owner;
beforeEach(async () => {
  [world, upstream] = await Promise.all([startWorld({ flags: FOLDING }), startUpstream()]);
  line = await world.connect();
  owner = createOwner(line.scope);
  owner.serve(line);
});
afterEach(async () => {
  await world.close();
  await upstream.close();
});

const url = (): string => `${upstream.origin}/v1/chat/completions`;
const session = 'tl-test' as SessionId;
/** What both sides keep, once the companion has written `rev`. */
const bothAt = async (rev: number) => {
  const key = [line.scope as ScopeId, session] as const;
  let ours = await world.companion.store.snapshot(...key);
  for (let i = 0; i < 400 && ours?.record.rev !== rev; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ours = await world.companion.store.snapshot(...key);
  }
  return [ours, await owner.store.snapshot(...key)];
};

describe('an identical opening that was sent twice', () => {
  it('ends late, after the other completed, folded and went on: nothing is lost and the sides agree', async () => {
    let finish: () => void = () => undefined;
    let held = false;
    upstream.answer = (seen, response) => {
      const answer = answerWith(isFold(seen) ? SUMMARY : 'A fine answer.');
      if (held) return answer(seen, response);
      held = true;
      finish = () => answer(seen, response);
      return undefined;
    };
    const at = 1_700_000_000_050;
    sendTurn(line, openFrame(url(), body(1), { stream: 1, session, at }));
    await line.until(() => upstream.seen.length === 1);
    expect(await owner.turn(line, url(), body(1))).toMatchObject({ t: 'turn.end', outcome: 'complete' });
    await bothAt(1);
    await owner.turn(line, url(), body(14));
    const { block } = await line.wait('fold.proposed');
    const [before] = await bothAt(3);
    expect(before?.blocks).toMatchObject([{ blockId: block.blockId, state: 'folded' }]);

    finish();
    const end = await line.wait('turn.end', (frame) => frame.stream === 1);
    expect(end.outcome).toBe('complete');
    await owner.complete(url(), body(1), end, { session, at });
    const [ours, theirs] = await bothAt(4);
    expect(ours).toEqual(theirs);
    expect(ours?.blocks).toMatchObject([{ blockId: block.blockId, state: 'folded' }]);
    expect(ours?.rows.length).toBe(before?.rows.length);

    expect(await owner.turn(line, url(), body(15))).toMatchObject({ t: 'turn.end', outcome: 'complete' });
    expect(line.frames.filter((frame) => frame.t === 'turn.dispatched').at(-1)).toMatchObject({ blocks: [block.blockId] });
    expect(line.frames.some((frame) => frame.t === 'session.pull')).toBe(false);
  });
});
