/**
 * What goes upstream: the messages to leave out, the block messages to put in, and what both sides weigh.
 *
 * With no standing block the plan is empty, and an empty plan renders the client's own bytes. Each block stands in place of the
 * earliest message it hides, which is always before the newest user message; the last item stays the client's last item.
 */
import type { Exchange } from '#neutral/message';
import type { Insert, RenderPlan } from '#wire/wire';
import type { Block } from './block.ts';
import { messageTokens, type Weights, weigh } from './budget.ts';
import type { Core } from './core.ts';
import { blockMessage } from './label.ts';
import { type Placed, place } from './presence.ts';

export interface Outgoing {
  readonly plan: RenderPlan;
  /** Blocks standing in this request, by place. */
  readonly blocks: readonly Block[];
  readonly placed: readonly Placed[];
  /** Folded blocks whose messages are not all there: their originals go out raw. */
  readonly absent: readonly Block[];
  /** Estimated input tokens, system and tools included. */
  readonly tokens: { readonly received: number; readonly sent: number };
  /** What the client's request weighs, by message. */
  readonly weights: Weights;
  /** Tokens of the block messages. */
  readonly summaries: number;
}

/** The outgoing request under these blocks. No blocks (or none that stands) gives the empty plan. */
export function outgoing(exchange: Exchange, cores: readonly Core[], blocks: readonly Block[]): Outgoing {
  const weights = weigh(exchange, cores);
  const { placed, absent } = place(blocks, cores, exchange);
  const omit = new Set<number>();
  const inserts: Insert[] = [];
  let summaries = 0;
  let sent = weights.total;
  for (const { block, messages } of placed) {
    const text = blockMessage(block);
    const tokens = messageTokens(text);
    summaries += tokens;
    sent += tokens;
    inserts.push({ before: messages[0] as number, text });
    for (const message of messages) {
      omit.add(message);
      sent -= weights.messages[message] ?? 0;
    }
  }
  return {
    plan: { omit, inserts },
    blocks: placed.map((one) => one.block),
    placed,
    absent,
    tokens: { received: weights.total, sent },
    weights,
    summaries,
  };
}

/** True when the request would not fit a known window. An unknown window is never exceeded. */
export function exceedsWindow(sent: number, maxOutput: number | null, window: number | null): boolean {
  return window !== null && sent + Math.min(maxOutput ?? 0, window / 2) > window;
}
