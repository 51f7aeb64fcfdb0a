import { describe, expect, it } from 'vitest';
import type { ScopeId, SessionId } from '#base/brand';
import { drive, sha256 } from '#base/digest';
import { parseJson } from '#base/json';
import { chainsOf } from '#chain/chain';
import type { Resolution } from '#chain/resolution';
import type { Block } from '#fold/block';
import { DEFAULT_FOLD } from '#fold/budget';
import { pinRow } from '#session/operations';
import { stopgapFor } from '#session/stopgap';
import { completeTurn, type OpenInput, openTurn } from '#session/turn';
import { wireOf } from '#wire/registry';
import { long } from '../fold/conversation.ts';

const HEAD = { method: 'POST', url: 'https://api.example/v1/chat/completions' };
const SETTINGS = { ...DEFAULT_FOLD, keepMessages: 2, keepTokens: 0 };
const asked = (i: number): string => `My question ${i}, with \ud83d\ude00 and "quotes" in it?`;
const NONE = { fresh: null, cached: null, written: null, output: null };

const open = (turns: number, change: Partial<OpenInput> = {}) => {
  const messages = Array.from({ length: 2 * turns - 1 }, (_, i) =>
    i % 2 === 0 ? { role: 'user', content: asked(i) } : { role: 'assistant', content: long(`a${i}`) },
  );
  const document = parseJson(JSON.stringify({ model: 'demo', messages }));
  const wire = wireOf('openai-chat');
  if (document === null || wire === null) throw new Error('the body is of this wire');
  const exchange = wire.parse(HEAD, document, sha256);
  const chains = drive(chainsOf(exchange), sha256);
  const resolution = { via: 'new', session: 'tl-1', depth: 0, incoming: 1, domain: null, lineage: null, reason: {} };
  return openTurn({
    scope: 'scope' as ScopeId,
    session: 'tl-1' as SessionId,
    record: null,
    rows: [],
    blocks: [],
    exchange,
    chains,
    resolution: resolution as unknown as Resolution,
    signal: null,
    at: 1,
    hash: sha256,
    configuredWindow: 2000,
    ...change,
  });
};
const done = (opened: ReturnType<typeof open>, extract: Block | null) =>
  completeTurn(opened, {
    at: 1,
    usage: NONE,
    tokens: opened.outgoing.tokens,
    resent: false,
    quarantine: [],
    window: null,
    extract,
  });
const madeFor = (opened: ReturnType<typeof open>): Block => {
  const stopgap = stopgapFor(opened, SETTINGS, null, 1);
  if (stopgap === null) throw new Error('an extract was expected');
  return stopgap.block;
};

describe('an extract in place of what does not fit', () => {
  it('brings the request inside the window, keeps every word of the person, and is the same each time', () => {
    const opened = open(12);
    const stopgap = stopgapFor(opened, SETTINGS, null, 1);
    expect(opened.outgoing.tokens.sent).toBeGreaterThan(2000);
    expect(stopgap?.outgoing.tokens.sent).toBeLessThan(2000);
    expect(stopgapFor(open(12), SETTINGS, null, 1)).toEqual(stopgap);
    const hidden = stopgap?.outgoing.plan.omit ?? new Set();
    for (const index of hidden) if (index % 2 === 0) expect(stopgap?.block.summary).toContain(asked(index));
    expect(stopgap?.block.summary.startsWith('Extract, not a summary')).toBe(true);
  });

  it('is not made when the request fits, when no window is known, or when folding is off', () => {
    expect(stopgapFor(open(3), SETTINGS, null, 1)).toBeNull();
    expect(stopgapFor(open(12, { configuredWindow: null }), SETTINGS, null, 1)).toBeNull();
    expect(stopgapFor(open(12, { fold: 'off' }), SETTINGS, null, 1)).toBeNull();
    expect(stopgapFor(open(12), { ...SETTINGS, mode: 'off' }, null, 1)).toBeNull();
  });

  it('is made below a request that was called too long, and not above one that was not', () => {
    const opened = open(12, { configuredWindow: null });
    const { sent } = opened.outgoing.tokens;
    expect(stopgapFor(opened, SETTINGS, sent, 1)?.outgoing.tokens.sent).toBeLessThan(sent);
    expect(stopgapFor(opened, SETTINGS, sent + 1, 1)).toBeNull();
  });

  it('is committed with the turn in one revision, and stands in the next request', () => {
    const opened = open(12);
    const block = madeFor(opened);
    const commit = done(opened, block);
    expect(commit.record).toMatchObject({ rev: 1, nextBlock: 2, turnsSinceFold: 0, stats: { folds: 1, foldCost: 0 } });
    expect(commit.blocks).toEqual([{ ...block, rev: 1 }]);
    expect(commit.event).toMatchObject({ kind: 'turn', rev: 1, data: { extract: 'b1', blocks: 1 } });
    expect(block.seqs.every((seq) => commit.rows.some((row) => row.seq === seq && row.raw !== ''))).toBe(true);
    const next = open(13, { record: commit.record, rows: commit.rows, blocks: commit.blocks });
    expect(next.outgoing.blocks).toEqual(commit.blocks);
  });

  it('is left out of the commit when it does not fit the session any more; the turn is committed all the same', () => {
    const opened = open(12);
    const block = madeFor(opened);
    const plain = done(opened, null);
    const wrong: Block[] = [
      { ...block, author: 'model' },
      { ...block, seqs: block.seqs.slice(1) },
      { ...block, effectiveIds: block.effectiveIds.slice(1) },
      { ...block, directBlockIds: ['b9' as Block['blockId']] },
      { ...block, blockId: 'b7' as Block['blockId'] },
    ];
    for (const one of wrong) expect(done(opened, one)).toEqual(plain);
    expect(done(open(12, { fold: 'off' }), block)).toEqual(done(open(12, { fold: 'off' }), null));
    expect(done(open(4), block)).toEqual(done(open(4), null));
    const first = done(open(12), null);
    const pinnedRow = first.rows[block.seqs[0] ?? 0];
    if (pinnedRow === undefined) throw new Error('the row is there');
    const pinned = pinRow(first.record, pinnedRow, true, [], 2);
    const rows = first.rows.map((row) => (row.seq === pinnedRow.seq ? { ...row, pinned: true } : row));
    expect(done(open(12, { record: pinned.record, rows }), block).blocks).toEqual([]);
  });
});
