/**
 * Every number that decides when and how much to fold, in one place, and the weighing of a request by category.
 *
 * Trigger and target scale with the model's window. All figures are estimates in tokens.
 */
import type { Exchange } from '#neutral/message';
import { estimateTokens, MESSAGE_OVERHEAD } from '#tokens/estimate';
import type { Core } from './core.ts';
import { isEnvironment } from './protect.ts';

export interface FoldSettings {
  /** `off` never folds by itself; `tools` is reserved for clients that declare tools and folds in the background until then. */
  readonly mode: 'auto' | 'background' | 'tools' | 'off';
  /** Overrides what is known about the model; null where nothing is configured. */
  readonly windowTokens: number | null;
  /** Fold when the outgoing request passes this part of the window … */
  readonly triggerRatio: number;
  /** … until it is down to this part. */
  readonly targetRatio: number;
  /** The newest messages that stay as they are: at least this many … */
  readonly keepMessages: number;
  /** … and at least this many tokens. */
  readonly keepTokens: number;
  /** Below this a fold is not worth its cost. */
  readonly minTokens: number;
  /** Completed requests between two automatic folds. */
  readonly minTurnsBetween: number;
  /** A cheaper model for summaries; null for the conversation's own. */
  readonly summaryModel: string | null;
}

export const DEFAULT_FOLD: FoldSettings = {
  mode: 'auto',
  windowTokens: null,
  triggerRatio: 0.5,
  targetRatio: 0.25,
  keepMessages: 6,
  keepTokens: 4000,
  minTokens: 500,
  minTurnsBetween: 4,
  summaryModel: null,
};

/** Blocks of one tier that a block of the next tier folds, at least. */
export const CHILDREN_MIN = 4;
/** Characters a summary may have. */
export const SUMMARY_CHARS: readonly [number, number] = [50, 20_000];
/** Longest pause after failed folds, in turns. */
export const BACKOFF_MAX = 64;
/** Part of the window that a summary request may fill with its source; the estimate may be 15 % low. */
const SOURCE_RATIO = 0.75;
/** Our instruction and the marks around the source. */
const INSTRUCTION_TOKENS = 600;
const OUTPUT_TOKENS: readonly [number, number] = [256, 4096];

/** Pause after the n-th failure in a row: 1, 2, 4 … 64 turns. */
export function backoffTurns(failures: number): number {
  return failures <= 0 ? 0 : Math.min(BACKOFF_MAX, 2 ** (failures - 1));
}

/** Most source tokens one summary request may carry; unlimited when the window is unknown. */
export function sourceLimit(window: number | null): number {
  return window === null ? Number.POSITIVE_INFINITY : Math.floor(window * SOURCE_RATIO) - INSTRUCTION_TOKENS;
}

/** Length to ask for: a tenth of the source, within reason. A summary of summaries is cut to a third of them. */
export function summaryTokens(replaces: number, tier: number): number {
  const part = tier === 1 ? replaces / 10 : replaces / 3;
  return Math.round(Math.min(1000, Math.max(100, part)));
}

/** Output budget of the summary request: headroom over what is asked for (models that think pay for it here), if it fits. */
export function outputLimit(asked: number, source: number, window: number | null): number {
  const wanted = Math.min(OUTPUT_TOKENS[1], Math.max(OUTPUT_TOKENS[0], asked * 4));
  if (window === null) return wanted;
  return Math.max(OUTPUT_TOKENS[0], Math.min(wanted, window - source - INSTRUCTION_TOKENS));
}

export interface Weights {
  readonly system: number;
  readonly tools: number;
  /** Per message; the leading system run is in `system` and weighs 0 here. */
  readonly messages: readonly number[];
  readonly total: number;
}

/** Estimated input tokens of the request as the client sent it. */
export function weigh(exchange: Exchange, cores: readonly Core[]): Weights {
  const { environment } = exchange;
  const system = environment.system === '' ? 0 : estimateTokens(environment.system) + MESSAGE_OVERHEAD;
  const tools = environment.tools === null ? 0 : estimateTokens(environment.tools);
  const messages = exchange.messages.map(() => MESSAGE_OVERHEAD);
  for (const core of cores) messages[core.message] = (messages[core.message] ?? 0) + core.tokens;
  for (const message of exchange.messages) {
    if (message.environment === true || !isEnvironment(message)) break;
    messages[message.index] = 0;
  }
  const total = messages.reduce((sum, one) => sum + one, system + tools);
  return { system, tools, messages, total };
}

/** A block message's tokens. */
export function messageTokens(text: string): number {
  return estimateTokens(text) + MESSAGE_OVERHEAD;
}
