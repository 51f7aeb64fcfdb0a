/**
 * Conversations for the fold's tests: neutral messages with real spans in a real body, and a renderer that splices raw slices.
 */

import type { BlockId } from '#base/brand';
import { sha256 } from '#base/digest';
import type { Block } from '#fold/block';
import { DEFAULT_FOLD, type FoldSettings } from '#fold/budget';
import { type Core, coresOf } from '#fold/core';
import { type Ledger, ledgerOf, observe } from '#fold/ledger';
import { outgoing } from '#fold/outgoing';
import { type FoldPlan, type Planned, type PlanState, planFold } from '#fold/plan';
import { proposalOf } from '#fold/proposal';
import type { Exchange, Message, MessageRole, Part } from '#neutral/message';
import type { RenderPlan } from '#wire/wire';

export interface Said {
  readonly role: MessageRole;
  readonly parts: readonly Part[];
  readonly opaque?: string;
  readonly environment?: boolean;
}

export const text = (words: string): Part => ({ kind: 'text', text: words });
export const call = (name: string, args: string, callId?: string): Part => ({
  kind: 'call',
  name,
  arguments: args,
  source: args,
  ...(callId === undefined ? {} : { callId }),
});
export const result = (words: string, callId?: string): Part => ({
  kind: 'result',
  text: words,
  ...(callId === undefined ? {} : { callId }),
});
export const user = (words: string): Said => ({ role: 'user', parts: [text(words)] });
export const assistant = (words: string): Said => ({ role: 'assistant', parts: [text(words)] });
export const system = (words: string): Said => ({ role: 'system', parts: [text(words)] });
export const calls = (...parts: Part[]): Said => ({ role: 'assistant', parts });
export const tool = (words: string, callId?: string): Said => ({ role: 'tool', parts: [result(words, callId)] });
export const image = (media = 'sha256:aa'): Said => ({ role: 'user', parts: [{ kind: 'media', media }] });

/** Long enough to be worth folding. */
export const long = (seed: string, words = 120): string =>
  Array.from({ length: words }, (_, i) => `${seed}${i % 7}${i}`).join(' ');

export function exchangeOf(said: readonly Said[], environment: Partial<Exchange['environment']> = {}): Exchange {
  let source = '{"messages":[';
  const start = source.length - 1;
  const messages: Message[] = said.map((one, index) => {
    if (index > 0) source += ',';
    const from = source.length;
    source += JSON.stringify(one);
    return { index, ...one, source: { start: from, end: source.length } };
  });
  source += ']}';
  const leading = said.findIndex((one) => one.role !== 'system');
  const systemText = said
    .slice(0, leading === -1 ? said.length : leading)
    .flatMap((one) => one.parts.map((part) => (part.kind === 'text' ? part.text : '')))
    .join('\n');
  return {
    wire: 'openai-chat',
    source,
    environment: {
      model: 'demo',
      system: systemText,
      tools: null,
      constrained: false,
      maxOutput: null,
      ...environment,
    },
    messages,
    stream: true,
    list: { start, end: source.length - 1 },
  };
}

export const rawOf = (exchange: Exchange, index: number): string => {
  const span = exchange.messages[index]?.source;
  return span === undefined ? '' : exchange.source.slice(span.start, span.end);
};

/** The items that go upstream: raw slices, and block messages as `{block}`. */
export function rendered(exchange: Exchange, plan: RenderPlan): (string | { block: string })[] {
  const items: (string | { block: string })[] = [];
  exchange.messages.forEach((message) => {
    for (const insert of plan.inserts) if (insert.before === message.index) items.push({ block: insert.text });
    if (!plan.omit.has(message.index)) items.push(rawOf(exchange, message.index));
  });
  return items;
}

/** What an untouched request renders to. */
export const untouched = (exchange: Exchange): string[] => exchange.messages.map((_, index) => rawOf(exchange, index));

export const cores = (exchange: Exchange): readonly Core[] => coresOf(exchange, sha256);

export const SETTINGS: FoldSettings = { ...DEFAULT_FOLD, keepMessages: 2, keepTokens: 0, minTokens: 40 };
export const STATE: PlanState = { nextBlock: 1, nextRun: 1, turnsSinceFold: 10, backoff: { wait: 0 }, mode: 'auto' };

/** Plans a fold of this exchange, by force unless told otherwise. */
export function planned(
  exchange: Exchange,
  options: {
    blocks?: readonly Block[];
    ledger?: Ledger;
    settings?: Partial<FoldSettings>;
    state?: Partial<PlanState>;
    window?: number | null;
    force?: boolean;
  } = {},
): Planned {
  const blocks = options.blocks ?? [];
  const list = cores(exchange);
  return planFold({
    state: { ...STATE, nextBlock: blocks.length + 1, ...options.state },
    exchange,
    cores: list,
    observation: observe(options.ledger ?? ledgerOf([]), exchange, list),
    blocks,
    outgoing: outgoing(exchange, list, blocks),
    window: options.window === undefined ? 100_000 : options.window,
    settings: { ...SETTINGS, ...options.settings },
    force: options.force ?? true,
  });
}

export function isPlan(plan: Planned): plan is FoldPlan {
  return !('nothing' in plan);
}

export const SUMMARY =
  'The user and the assistant talked about the plan and settled on the second option because it is cheaper.';

/** The block that a plan becomes with a short summary. */
export function blockFrom(plan: FoldPlan, change: Partial<Block> = {}): Block {
  const made = { author: 'model' as const, cost: 0, at: 1 };
  return { ...proposalOf(plan, { summary: SUMMARY, topic: 'A plan', tokens: 40 }, made).block, ...change };
}

/** A block over these messages of the exchange, as if it had been folded earlier. */
export function blockOver(exchange: Exchange, messages: readonly number[], change: Partial<Block> = {}): Block {
  const inside = new Set(messages);
  const list = cores(exchange);
  const seen = observe(ledgerOf([]), exchange, list);
  const ids = list.filter((core) => inside.has(core.message)).map((core) => core.id);
  const refs = seen.refs.filter((_, index) => inside.has(list[index]?.message ?? -1));
  return {
    blockId: 'b1' as BlockId,
    runId: 'r1',
    tier: 1,
    topic: 'A plan',
    summary: SUMMARY,
    directIds: ids,
    effectiveIds: ids,
    directBlockIds: [],
    refs: [refs[0], refs.at(-1)] as Block['refs'],
    seqs: messages.map((message) => seen.seqOfMessage[message] as number),
    tokensBefore: 1000,
    tokensAfter: 40,
    createdAt: 1,
    state: 'folded',
    rev: 1,
    author: 'model',
    ...change,
  };
}
