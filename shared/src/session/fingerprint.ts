/**
 * What two copies of a session must agree on before one acts for the other.
 *
 * The revision alone does not say it: two sides that were apart can each have made their own `rev + 1`. The fingerprint covers where
 * the chain ends, what was allocated and the state of every block, so that equal means: same history, same numbering, same folds.
 */
import type { Digest } from '#base/brand';
import type { Sha256 } from '#base/digest';
import type { Block } from '#fold/block';
import type { SessionRecord } from './records.ts';

/** Digest of the parts of a session that decide what a request is rendered to. Blocks in any order. */
export function fingerprint(record: SessionRecord, blocks: readonly Block[], hash: Sha256): Digest {
  const { rev, heads, nextSeq, nextRef, nextBlock, nextRun, mode } = record;
  const states = blocks
    .map(({ blockId, rev: at, state, summary }) => [blockId, at, state, summary.length])
    .sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
  return hash(JSON.stringify([rev, heads[2], heads[3], nextSeq, nextRef, nextBlock, nextRun, mode, states]));
}
