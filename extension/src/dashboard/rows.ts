/** Messages of a conversation with the fold boundaries between them, as one list of rows. Pure. */
import type { BlockLine, MessageLine } from '../panel-messages.ts';
import { seqsOf } from '../ui/blocks.ts';

export type Row =
  | { readonly kind: 'message'; readonly message: MessageLine }
  | { readonly kind: 'boundary'; readonly block: BlockLine };

/** Each boundary stands before the first message its block covers. */
export function rowsOf(messages: readonly MessageLine[], blocks: readonly BlockLine[]): readonly Row[] {
  const starts = new Map<number, BlockLine[]>();
  for (const block of blocks) {
    if (block.state === 'consumed') continue;
    const first = seqsOf(block, messages)[0];
    if (first !== undefined) starts.set(first, [...(starts.get(first) ?? []), block]);
  }
  return messages.flatMap((message): Row[] => [
    ...(starts.get(message.seq) ?? []).map((block): Row => ({ kind: 'boundary', block })),
    { kind: 'message', message },
  ]);
}

/** A key that stays with its row. */
export function rowKey(row: Row): string {
  return row.kind === 'message' ? `m${row.message.seq}` : row.block.blockId;
}
