/**
 * The covered range in plain words, as the source of a summary: every message whole, in order, with its refs and role. Nothing is
 * trimmed, and nothing outside the range is in it.
 */
import type { Ref } from '#base/brand';
import type { Exchange, Message } from '#neutral/message';
import type { Core } from './core.ts';
import type { Placed } from './presence.ts';
import { isUserTurn } from './protect.ts';

export interface SourceItem {
  /** Ref of its first core, or the block's id when a child's summary stands for it. */
  readonly ref: string;
  readonly role: string;
  readonly text: string;
  /** What an extract keeps word for word: the person's own text, and short results (a person's answer may come as one). */
  readonly keep: string;
}

const SHORT_RESULT = 500;

function wordsOf(message: Message): string {
  const words: string[] = [];
  for (const part of message.parts) {
    if (part.kind === 'text' || part.kind === 'refusal') words.push(part.text);
    else if (part.kind === 'reasoning' && part.text !== '') words.push(`(thinking) ${part.text}`);
    else if (part.kind === 'call') words.push(`(calls ${part.name}) ${part.arguments}`);
    else if (part.kind === 'result') words.push(`(result) ${part.text}`);
  }
  return words.join('\n');
}

function keepOf(message: Message): string {
  const kept: string[] = [];
  for (const part of message.parts) {
    if (part.kind === 'text' && isUserTurn(message)) kept.push(part.text);
    else if (part.kind === 'result' && part.text.length <= SHORT_RESULT) kept.push(part.text);
  }
  return kept.join('\n');
}

/** Items of these messages; of the children's summaries where originals are too large to be read again. */
export function sourceOf(
  exchange: Exchange,
  messages: readonly number[],
  refs: readonly Ref[],
  cores: readonly Core[],
  children: readonly Placed[],
): readonly SourceItem[] {
  if (children.length > 0) {
    return children.map(({ block }) => ({ ref: block.blockId, role: 'summary', text: block.summary, keep: '' }));
  }
  const firstRef = new Map<number, Ref>();
  cores.forEach((core, index) => {
    const ref = refs[index];
    if (ref !== undefined && !firstRef.has(core.message)) firstRef.set(core.message, ref);
  });
  const items: SourceItem[] = [];
  for (const index of messages) {
    const message = exchange.messages[index];
    if (message === undefined) continue;
    items.push({ ref: firstRef.get(index) ?? '', role: message.role, text: wordsOf(message), keep: keepOf(message) });
  }
  return items;
}
