/**
 * What is never folded: the environment, the last user turn and all after it, the recent zone, pinned messages, and messages
 * that hold media or anything a wire does not know.
 */
import type { Exchange, Message } from '#neutral/message';

/** System text and known client frames: carried and sent, never folded, wherever they stand. */
export function isEnvironment(message: Message): boolean {
  return message.role === 'system' || message.role === 'developer' || message.environment === true;
}

/** A message in which the person speaks; one that only carries tool results is not, whatever role the wire gives it. */
export function isUserTurn(message: Message): boolean {
  if (message.role !== 'user' || isEnvironment(message)) return false;
  return message.parts.length === 0 || message.parts.some((part) => part.kind !== 'result');
}

/** Index of the newest message of the person, or -1. Only the client's own messages are looked at, so never a summary of ours. */
export function lastUserTurn(exchange: Exchange): number {
  return exchange.messages.findLastIndex(isUserTurn);
}

/** Media cannot be told in words, and the unknown cannot be told at all. */
function isUntellable(message: Message): boolean {
  if (message.opaque !== undefined || message.role === 'unknown') return true;
  return message.parts.some(
    (part) => part.kind === 'media' || part.kind === 'unknown' || (part.kind === 'result' && (part.media?.length ?? 0) > 0),
  );
}

/**
 * First message of the recent zone: the shortest suffix with at least `keepMessages` messages (environment not counted) and
 * `keepTokens` tokens. 0 when the whole history is recent.
 */
export function recentZone(
  exchange: Exchange,
  tokens: readonly number[],
  keep: { readonly keepMessages: number; readonly keepTokens: number },
): number {
  let messages = 0;
  let sum = 0;
  for (let i = exchange.messages.length; i > 0; ) {
    if (messages >= keep.keepMessages && sum >= keep.keepTokens) return i;
    i -= 1;
    const message = exchange.messages[i];
    if (message === undefined || isEnvironment(message)) continue;
    messages += 1;
    sum += tokens[i] ?? 0;
  }
  return 0;
}

/** `free` may be folded, `pass` is environment that stays where it is, `stop` is protected. */
export type Freedom = 'free' | 'pass' | 'stop';

/** The freedom of every message. `taken`: messages that a block already speaks for (or spoke for, until the person opened it). */
export function freedomOf(input: {
  readonly exchange: Exchange;
  /** First message that is protected by its place. */
  readonly boundary: number;
  readonly seqOfMessage: readonly number[];
  readonly pinned: ReadonlySet<number>;
  readonly taken: ReadonlySet<number>;
}): readonly Freedom[] {
  return input.exchange.messages.map((message, index) => {
    if (isEnvironment(message)) return 'pass';
    if (index >= input.boundary) return 'stop';
    const seq = input.seqOfMessage[index];
    if (seq === undefined || input.pinned.has(seq) || input.taken.has(index)) return 'stop';
    return isUntellable(message) ? 'stop' : 'free';
  });
}
