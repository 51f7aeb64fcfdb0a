import { describe, expect, it } from 'vitest';
import type { BlockId, ScopeId, SessionId } from '#base/brand';
import type { Resolution } from '#chain/resolution';
import { ledgerOf, observe } from '#fold/ledger';
import { birth } from '#session/birth';
import { acceptBlock, foldFailed, pinRow, possibleDoubleBill, refold, setMode, unfold } from '#session/operations';
import { assistant, blockOver, cores, exchangeOf, user } from '../fold/conversation.ts';

const exchange = exchangeOf([user('a'), assistant('b'), user('c'), assistant('d'), user('e')]);
const rows = observe(ledgerOf([]), exchange, cores(exchange)).rows;
const resolution: Resolution = {
  via: 'new',
  session: 's' as SessionId,
  depth: 0,
  incoming: 5,
  domain: null,
  lineage: null,
  reason: { compared: 0, head: null, next: null, code: 'nothing-known' },
};
const born = birth({ scope: 'sc' as ScopeId, session: 's' as SessionId, exchange, resolution, signal: null, at: 1 });
const record = { ...born, rev: 4, nextSeq: 5, turnsSinceFold: 9, backoff: { wait: 0, failures: 3 } };
const block = blockOver(exchange, [0, 1, 2, 3]);
const proposal = { block, consumes: [], cost: 70 };

describe('a proposed block', () => {
  it('is committed in one revision and resets the wait', () => {
    const commit = acceptBlock(record, [], proposal, 8);
    expect(commit).toMatchObject({
      record: {
        rev: 5,
        nextBlock: 2,
        nextRun: 2,
        turnsSinceFold: 0,
        backoff: { wait: 0, failures: 0 },
        stats: { folds: 1, foldCost: 70 },
      },
      blocks: [{ blockId: 'b1', rev: 5, state: 'folded' }],
      event: { kind: 'fold', rev: 5, at: 8 },
    });
  });

  it('marks the blocks it consumes', () => {
    const parent = { ...block, blockId: 'b2' as BlockId, tier: 2 as const, directBlockIds: [block.blockId] };
    const commit = acceptBlock({ ...record, nextBlock: 2 }, [block], { block: parent, consumes: [block.blockId], cost: 0 }, 8);
    expect(commit).toMatchObject({
      blocks: [
        { blockId: 'b1', state: 'consumed' },
        { blockId: 'b2', state: 'folded' },
      ],
    });
  });

  it('is dropped when the session moved on', () => {
    const late = (change: Partial<typeof record>, blocks = [block], pinned?: ReadonlySet<number>) =>
      acceptBlock({ ...record, ...change }, blocks, proposal, 8, pinned);
    expect(late({ nextBlock: 2 })).toEqual({ dropped: 'block-taken' });
    expect(late({})).toEqual({ dropped: 'already-folded' });
    expect(late({ nextSeq: 3 }, [])).toEqual({ dropped: 'rows-unknown' });
    expect(late({ mode: 'off' }, [])).toEqual({ dropped: 'folding-off' });
    expect(late({}, [], new Set([2]))).toEqual({ dropped: 'pinned' });
    const orphaned = { block: { ...block, tier: 2 as const }, consumes: ['b9' as BlockId], cost: 0 };
    expect(acceptBlock(record, [], orphaned, 8)).toEqual({ dropped: 'children-gone' });
    const opened = { ...block, blockId: 'b9' as BlockId, state: 'expanded' as const };
    expect(acceptBlock(record, [opened], orphaned, 8)).toEqual({ dropped: 'children-gone' });
  });
});

describe('unfold and refold', () => {
  it('change the state and nothing else', () => {
    const opened = unfold(record, block, 8);
    expect(opened).toMatchObject({ record: { ...record, rev: 5 }, blocks: [{ ...block, state: 'expanded', rev: 5 }] });
    const again = refold({ ...record, rev: 5 }, { ...block, state: 'expanded' }, 9);
    expect(again).toMatchObject({ blocks: [{ ...block, state: 'folded', rev: 6 }], event: { kind: 'refold' } });
  });

  it('do nothing to what is already so, or belongs to a higher block', () => {
    for (const state of ['expanded', 'consumed', 'quarantined'] as const) {
      expect(unfold(record, { ...block, state }, 8)).toEqual({ dropped: 'not-folded' });
    }
    expect(refold(record, block, 8)).toEqual({ dropped: 'not-open' });
    expect(refold(record, { ...block, state: 'consumed' }, 8)).toEqual({ dropped: 'not-open' });
  });
});

describe('a pin', () => {
  it('unfolds the block that hides the message, through its children', () => {
    const row = rows[2] ?? ([] as never);
    const child = { ...block, state: 'consumed' as const };
    const parent = { ...block, blockId: 'b2' as BlockId, tier: 2 as const, directBlockIds: [block.blockId], seqs: [] };
    const commit = pinRow(record, row, true, [child, parent], 8);
    expect(commit.rows).toEqual([{ ...row, pinned: true }]);
    expect(commit.blocks).toMatchObject([{ blockId: 'b2', state: 'expanded' }]);
    expect(pinRow(record, row, false, [block], 8).blocks).toEqual([]);
    expect(pinRow(record, rows[4] ?? row, true, [block], 8).blocks).toEqual([]);
  });
});

describe('a failed fold', () => {
  it('waits longer each time, up to 64 turns, and its cost is counted', () => {
    let now = { ...record, backoff: { wait: 0, failures: 0 } };
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      const commit = foldFailed(now, 'too-short', 8, 10);
      waits.push(commit.record.backoff.wait);
      expect(commit.blocks).toEqual([]);
      now = { ...now, ...commit.record };
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
    expect(now.stats.foldCost).toBe(90);
  });
});

it('mode and double bill are one revision each', () => {
  expect(setMode(record, 'off', 8)).toMatchObject({ record: { mode: 'off', rev: 5 }, event: { kind: 'mode' } });
  expect(possibleDoubleBill(record, 8).record.stats.possibleDoubleBills).toBe(1);
});
