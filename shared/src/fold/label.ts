/**
 * A block as the model reads it: one label line, then the summary inside a fence.
 *
 * The text depends only on what never changes in a block (id, refs, tier, summary), so it is the same bytes for the block's whole
 * life: no counters, no clock. The fence is longer than any run of its mark in the summary, so a summary cannot end it and
 * speak outside it.
 */
import type { Block } from './block.ts';
import { fenceFor } from './text.ts';

type Labelled = Pick<Block, 'blockId' | 'refs' | 'tier'>;

/** `[Earlier conversation, folded: b3 · m00012-m00031 · tier 1]` */
export function blockLabel(block: Labelled): string {
  return `[Earlier conversation, folded: ${block.blockId} · ${block.refs[0]}-${block.refs[1]} · tier ${block.tier}]`;
}

/** The whole text of the message that stands in for the block's originals. */
export function blockMessage(block: Labelled & Pick<Block, 'summary'>): string {
  const fence = fenceFor(block.summary);
  return `${blockLabel(block)}\n${fence}\n${block.summary}\n${fence}`;
}
