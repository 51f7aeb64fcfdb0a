import { describe, expect, it } from 'vitest';
import type { BlockId } from '#base/brand';
import { closureOf, originalSeqs } from '#fold/unfold';
import { assistant, blockOver, exchangeOf, user } from './conversation.ts';

const exchange = exchangeOf([user('a'), assistant('b'), user('c'), assistant('d'), user('e')]);
const one = blockOver(exchange, [0, 1], { state: 'consumed' });
const two = blockOver(exchange, [2, 3], { blockId: 'b2' as BlockId, state: 'consumed' });
const top = blockOver(exchange, [], {
  blockId: 'b3' as BlockId,
  tier: 2,
  directBlockIds: ['b1', 'b2'] as BlockId[],
  refs: one.refs,
});

describe('a block opens to all its originals', () => {
  it('through the blocks it consumed, each row once, in order', () => {
    expect(originalSeqs(top, [one, two, top])).toEqual([0, 1, 2, 3]);
    expect(originalSeqs({ ...top, seqs: [3, 1] }, [one, two, top])).toEqual([0, 1, 2, 3]);
    expect(originalSeqs(two, [one, two, top])).toEqual([2, 3]);
  });

  it('also when a child is missing or damaged data runs in a circle', () => {
    expect(originalSeqs(top, [top, two])).toEqual([2, 3]);
    const circle = { ...one, directBlockIds: ['b3'] as BlockId[] };
    expect(closureOf(top, [circle, two, top]).map((block) => block.blockId)).toEqual(['b3', 'b1', 'b2']);
  });
});
