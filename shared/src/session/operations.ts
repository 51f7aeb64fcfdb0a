/**
 * What the owner of a session may do to it besides taking turns. Each builder returns one commit, one revision; what does not fit
 * any more (a late summary, an unfold of what is not folded) is dropped with a code and changes nothing.
 */
import type { BlockId } from '#base/brand';
import type { Block } from '#fold/block';
import { backoffTurns } from '#fold/budget';
import type { TranscriptRow } from '#fold/ledger';
import type { Proposal } from '#fold/proposal';
import { originalSeqs } from '#fold/unfold';
import type { SessionEvent, SessionRecord } from './records.ts';
import type { Commit } from './store.ts';

export type DroppedCode =
  | 'already-folded'
  | 'block-taken'
  | 'children-gone'
  | 'pinned'
  | 'rows-unknown'
  | 'folding-off'
  | 'not-folded'
  | 'not-open';
export interface Dropped {
  readonly dropped: DroppedCode;
}

type Change = Partial<SessionRecord>;

function commitOf(
  record: SessionRecord,
  at: number,
  kind: SessionEvent['kind'],
  data: SessionEvent['data'],
  change: { readonly record?: Change; readonly blocks?: readonly Block[]; readonly rows?: readonly TranscriptRow[] } = {},
): Commit {
  const rev = record.rev + 1;
  return {
    record: { ...record, ...change.record, rev },
    links: [],
    rows: change.rows ?? [],
    blocks: (change.blocks ?? []).map((block) => ({ ...block, rev })),
    event: { at, rev, kind, data },
  };
}

/** Why the proposal does not fit the session any more, or null. */
function misfit(
  record: SessionRecord,
  blocks: readonly Block[],
  { block, consumes }: Proposal,
  pinned: ReadonlySet<number>,
): DroppedCode | null {
  if (record.mode === 'off') return 'folding-off';
  if (block.blockId !== `b${record.nextBlock}`) return 'block-taken';
  if (block.seqs.length === 0 || block.seqs.some((seq) => seq < 0 || seq >= record.nextSeq)) return 'rows-unknown';
  if (block.seqs.some((seq) => pinned.has(seq))) return 'pinned';
  const children = new Set<BlockId>(consumes);
  const standing = blocks.filter((one) => children.has(one.blockId) && one.state === 'folded');
  if (standing.length !== children.size) return 'children-gone';
  // A block that lost some of its messages may be folded over; one that still speaks for all of these may not.
  const others = blocks.filter((one) => one.state !== 'consumed' && !children.has(one.blockId));
  const claimed = others.some((one) => {
    const seqs = new Set(one.seqs);
    return block.seqs.every((seq) => seqs.has(seq));
  });
  return claimed ? 'already-folded' : null;
}

/**
 * Makes the proposal a block of the session, used from the next request on. `pinned`: rows that the person has pinned (possibly
 * since the plan was made).
 */
export function acceptBlock(
  record: SessionRecord,
  blocks: readonly Block[],
  proposal: Proposal,
  at: number,
  pinned: ReadonlySet<number> = new Set(),
): Commit | Dropped {
  const dropped = misfit(record, blocks, proposal, pinned);
  if (dropped !== null) return { dropped };
  const { block, cost } = proposal;
  const children = new Set<BlockId>(proposal.consumes);
  const consumed = blocks.filter((one) => children.has(one.blockId)).map((one) => ({ ...one, state: 'consumed' as const }));
  const { tier, tokensBefore, tokensAfter, author } = block;
  return commitOf(
    record,
    at,
    'fold',
    { block: block.blockId, tier, tokensBefore, tokensAfter, author, cost },
    {
      record: {
        nextBlock: record.nextBlock + 1,
        nextRun: record.nextRun + 1,
        turnsSinceFold: 0,
        backoff: { wait: 0, failures: 0 },
        stats: { ...record.stats, folds: record.stats.folds + 1, foldCost: record.stats.foldCost + cost },
      },
      blocks: [...consumed, { ...block, state: 'folded' }],
    },
  );
}

/** The person opens a block: its originals go out again until it is folded again. */
export function unfold(record: SessionRecord, block: Block, at: number): Commit | Dropped {
  if (block.state !== 'folded') return { dropped: 'not-folded' };
  return commitOf(record, at, 'unfold', { block: block.blockId }, { blocks: [{ ...block, state: 'expanded' }] });
}

/** The person folds an opened block again (also one that a provider had refused): the same bytes as before. */
export function refold(record: SessionRecord, block: Block, at: number): Commit | Dropped {
  if (block.state !== 'expanded' && block.state !== 'quarantined') return { dropped: 'not-open' };
  return commitOf(record, at, 'refold', { block: block.blockId }, { blocks: [{ ...block, state: 'folded' }] });
}

/** Pins or unpins a message. Pinning one that a block hides unfolds the block. */
export function pinRow(
  record: SessionRecord,
  row: TranscriptRow,
  pinned: boolean,
  blocks: readonly Block[],
  at: number,
): Commit {
  const hiding = pinned ? blocks.filter((one) => one.state === 'folded' && originalSeqs(one, blocks).includes(row.seq)) : [];
  return commitOf(
    record,
    at,
    'pin',
    { seq: row.seq, pinned, unfolded: hiding.length },
    {
      rows: [{ ...row, pinned }],
      blocks: hiding.map((one) => ({ ...one, state: 'expanded' })),
    },
  );
}

/** Folding on or off for this session. Off sends every request as the page wrote it; blocks are kept. */
export function setMode(record: SessionRecord, mode: SessionRecord['mode'], at: number): Commit {
  return commitOf(record, at, 'mode', { mode }, { record: { mode } });
}

/** A summary failed or was refused: wait 1, 2, 4 … 64 turns. What it cost is counted all the same. */
export function foldFailed(record: SessionRecord, code: string, at: number, cost = 0): Commit {
  const failures = record.backoff.failures + 1;
  const wait = backoffTurns(failures);
  return commitOf(
    record,
    at,
    'fold-failed',
    { code, failures, wait, cost },
    {
      record: { backoff: { wait, failures }, stats: { ...record.stats, foldCost: record.stats.foldCost + cost } },
    },
  );
}

/** The companion was lost behind dispatch and the page's own request went out natively: it may have been billed twice. */
export function possibleDoubleBill(record: SessionRecord, at: number): Commit {
  const { stats } = record;
  return commitOf(
    record,
    at,
    'resend',
    { double: true },
    {
      record: { stats: { ...stats, possibleDoubleBills: stats.possibleDoubleBills + 1 } },
    },
  );
}
