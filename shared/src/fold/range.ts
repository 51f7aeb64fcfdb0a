/**
 * The oldest range of messages worth folding.
 *
 * A range is made of *spans*: from one message of the person up to before the next. It therefore starts at a user message (or at the
 * very beginning of the history) and ends right before one, so leaving it out keeps roles alternating, and it never cuts a unit.
 */
import { sourceLimit, summaryTokens } from './budget.ts';
import { type Unit, unitsOf } from './pairs.ts';
import type { NothingCode, PlanInput } from './plan.ts';
import { frameOf, locate } from './presence.ts';
import { type Freedom, freedomOf, isUserTurn, recentZone } from './protect.ts';

export interface Range {
  readonly messages: readonly number[];
  readonly tokens: number;
}

interface Span extends Range {
  /** False when any message of it is protected. */
  readonly free: boolean;
}

/** Messages that a block hides or that the person opened (or a provider refused): not folded again. */
function takenMessages(input: PlanInput): ReadonlySet<number> {
  const taken = new Set(input.outgoing.placed.flatMap((one) => one.messages));
  const opened = input.blocks.filter((block) => block.state === 'expanded' || block.state === 'quarantined');
  if (opened.length === 0) return taken;
  const byId = new Map(input.blocks.map((block) => [block.blockId, block]));
  const frame = frameOf(input.exchange, input.cores);
  for (const block of opened) for (const message of locate(block, byId, frame) ?? []) taken.add(message);
  return taken;
}

function unitFreedom(unit: Unit, freedom: readonly Freedom[]): Freedom {
  if (unit.first === unit.last) return unit.open ? 'stop' : (freedom[unit.first] ?? 'stop');
  for (let i = unit.first; i <= unit.last; i++) if (freedom[i] !== 'free') return 'stop';
  return unit.open ? 'stop' : 'free';
}

/** The whole history in spans, oldest first. Environment messages between belong to none. */
function spansOf(input: PlanInput): readonly Span[] {
  const { exchange, observation, outgoing, settings } = input;
  const tokens = outgoing.weights.messages;
  const lastUser = exchange.messages.findLastIndex(isUserTurn);
  const boundary = Math.min(lastUser, recentZone(exchange, tokens, settings));
  const freedom = freedomOf({
    exchange,
    boundary,
    seqOfMessage: observation.seqOfMessage,
    pinned: observation.ledger.pinned,
    taken: takenMessages(input),
  });
  const spans: { messages: number[]; tokens: number; free: boolean }[] = [];
  for (const unit of unitsOf(exchange)) {
    const state = unitFreedom(unit, freedom);
    if (state === 'pass') continue;
    const first = exchange.messages[unit.first];
    let span = spans.at(-1);
    if (span === undefined || (first !== undefined && isUserTurn(first))) {
      span = { messages: [], tokens: 0, free: true };
      spans.push(span);
    }
    for (let i = unit.first; i <= unit.last; i++) {
      span.messages.push(i);
      span.tokens += tokens[i] ?? 0;
    }
    if (state === 'stop') span.free = false;
  }
  return spans;
}

/**
 * The oldest range of at least `minTokens` that brings the request down by `need`, or as far as it goes. No more than fits a
 * summary request.
 */
export function oldestRange(input: PlanInput, need: number): Range | { readonly nothing: NothingCode } {
  const limit = sourceLimit(input.window);
  // Nothing at all is never a range, whatever is configured.
  const least = Math.max(1, input.settings.minTokens);
  let messages: number[] = [];
  let tokens = 0;
  let why: NothingCode = 'nothing-foldable';
  for (const span of spansOf(input)) {
    const tooLarge = span.tokens > limit;
    if (span.free && tooLarge) why = 'no-room';
    if (!span.free || tooLarge || tokens + span.tokens > limit) {
      if (tokens >= least) return { messages, tokens };
      messages = [];
      tokens = 0;
      if (!span.free || tooLarge) continue;
    }
    messages.push(...span.messages);
    tokens += span.tokens;
    if (why === 'nothing-foldable') why = 'too-small';
    if (tokens >= least && tokens - summaryTokens(tokens, 1) >= need) break;
  }
  return tokens >= least ? { messages, tokens } : { nothing: why };
}
