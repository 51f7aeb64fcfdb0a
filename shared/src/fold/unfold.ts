/**
 * What a block opens to: the stored rows of all its originals, through every block it consumed.
 */
import type { BlockId } from '#base/brand';
import type { Block } from './block.ts';

/** The block and all blocks below it, nearest first. Cycle-guarded; unknown children are left out. */
export function closureOf(block: Block, blocks: readonly Block[]): readonly Block[] {
  const byId = new Map<BlockId, Block>(blocks.map((one) => [one.blockId, one]));
  const closure: Block[] = [block];
  const seen = new Set<BlockId>([block.blockId]);
  for (let i = 0; i < closure.length; i++) {
    for (const id of closure[i]?.directBlockIds ?? []) {
      const child = byId.get(id);
      if (child === undefined || seen.has(id)) continue;
      seen.add(id);
      closure.push(child);
    }
  }
  return closure;
}

/** Transcript rows that hold the originals of the block, ascending, each once. */
export function originalSeqs(block: Block, blocks: readonly Block[]): readonly number[] {
  const seqs = new Set(closureOf(block, blocks).flatMap((one) => one.seqs));
  return [...seqs].sort((a, b) => a - b);
}

/** Which folded block hides which row now. */
export function hiddenBy(blocks: readonly Block[]): ReadonlyMap<number, BlockId> {
  const hidden = new Map<number, BlockId>();
  for (const block of blocks) {
    if (block.state !== 'folded') continue;
    for (const seq of originalSeqs(block, blocks)) hidden.set(seq, block.blockId);
  }
  return hidden;
}
