/**
 * A block: a summary that stands in for messages and can always be opened again.
 */
import type { BlockId, CoreId, Ref } from '#base/brand';

export type Tier = 1 | 2 | 3;

export interface Block {
  readonly blockId: BlockId;
  readonly runId: string;
  readonly tier: Tier;
  readonly topic: string;
  readonly summary: string;
  /** Core ids this block covers itself, frozen, in order (with repeats). */
  readonly directIds: readonly CoreId[];
  /** Direct plus those of consumed children, in order: what it hides. */
  readonly effectiveIds: readonly CoreId[];
  /** Blocks it consumed. */
  readonly directBlockIds: readonly BlockId[];
  /** First and last ref it stands for, as shown in its label. */
  readonly refs: readonly [Ref, Ref];
  /** Transcript rows that hold its originals, ascending. */
  readonly seqs: readonly number[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Milliseconds since the epoch, from the shell's clock; shown only. */
  readonly createdAt: number;
  /** `folded`, or `expanded` while the person has it unfolded, or `consumed` by a higher tier, or `quarantined` after a 4xx. */
  readonly state: 'folded' | 'expanded' | 'consumed' | 'quarantined';
  /** Session revision at which this version was written. */
  readonly rev: number;
  /** `model` wrote it, or `extract` stood in. */
  readonly author: 'model' | 'extract';
}
