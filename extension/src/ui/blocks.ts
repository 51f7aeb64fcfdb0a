/**
 * Blocks as people see them: message numbers instead of refs, newest first, consumed ones under the block that took them. Pure.
 *
 * Message numbers start at 1 on screen; stored rows start at 0.
 */
import type { BlockLine, MessageLine } from '../panel-messages.ts';
import { ranges } from './format.ts';

/** Number of a stored row, as shown. */
export function shown(seq: number): number {
  return seq + 1;
}

/** Messages a block stands for: those it hides now, else those between its first and last ref. */
export function seqsOf(block: BlockLine, messages: readonly MessageLine[]): readonly number[] {
  const hidden = messages.filter((message) => message.block === block.blockId).map((message) => message.seq);
  if (hidden.length > 0) return hidden;
  const first = messages.findIndex((message) => message.refs.includes(block.refs[0]));
  const last = messages.findIndex((message) => message.refs.includes(block.refs[1]));
  if (first === -1 || last === -1) return [];
  return messages.slice(first, last + 1).map((message) => message.seq);
}

/** "12–31", or the refs themselves when the messages are not at hand. */
export function rangeOf(block: BlockLine, messages: readonly MessageLine[]): string {
  const seqs = seqsOf(block, messages);
  return seqs.length > 0 ? ranges(seqs.map(shown)) : `${block.refs[0]}–${block.refs[1]}`;
}

/** Blocks a person acts on: all but the consumed ones, the latest part of the conversation first. */
export function standing(blocks: readonly BlockLine[]): readonly BlockLine[] {
  return blocks.filter((block) => block.state !== 'consumed').toSorted((a, b) => number(b) - number(a));
}

/** Every block, in the order of the conversation. */
export function inOrder(blocks: readonly BlockLine[]): readonly BlockLine[] {
  return blocks.toSorted((a, b) => number(a) - number(b));
}

function number(block: BlockLine): number {
  return Number(block.blockId.slice(1));
}

/** What the one button of a block does, or null when there is nothing to do. */
export function blockVerb(block: BlockLine): 'unfold' | 'refold' | null {
  if (block.state === 'folded') return 'unfold';
  return block.state === 'consumed' ? null : 'refold';
}
