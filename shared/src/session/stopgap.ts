/**
 * A request that would not fit its window: an extract stands in for its oldest messages, at once, without asking a model.
 *
 * The companion makes the extract and names it in what it reports about the turn; when the turn completes, both stores commit it
 * in the same change as the turn. So nothing is used in a later request before it was committed, a birth can have one too, and a turn
 * that failed leaves nothing behind. Failure direction: unsure whether it would not fit, or unable to make it fit, sends what would
 * have been sent anyway.
 */

import type { Block } from '#fold/block';
import type { FoldSettings } from '#fold/budget';
import type { Core } from '#fold/core';
import type { Observation } from '#fold/ledger';
import { exceedsWindow, type Outgoing, outgoing } from '#fold/outgoing';
import { planFold } from '#fold/plan';
import { extractProposal } from '#fold/proposal';
import type { Exchange } from '#neutral/message';
import { acceptBlock } from './operations.ts';
import type { SessionRecord } from './records.ts';

interface Opened {
  readonly record: SessionRecord;
  readonly exchange: Exchange;
  readonly cores: readonly Core[];
  readonly observation: Observation;
  readonly blocks: readonly Block[];
  readonly outgoing: Outgoing;
  readonly window: SessionRecord['window'];
  readonly raw: boolean;
}

export interface Stopgap {
  readonly block: Block;
  /** The request with it. */
  readonly outgoing: Outgoing;
}

/**
 * The extract that makes this request fit, or null: it fits, or nobody knows, or folding is off, or nothing foldable makes it fit.
 * `overflowed`: tokens of the session's smallest request that its provider called too long, by our estimate, if one was.
 */
export function stopgapFor(opened: Opened, settings: FoldSettings, overflowed: number | null, at: number): Stopgap | null {
  if (opened.raw || settings.mode === 'off') return null;
  const { exchange, cores, observation, blocks, window } = opened;
  const tooLong = (sent: number): boolean =>
    exceedsWindow(sent, exchange.environment.maxOutput, window.tokens) || (overflowed !== null && sent >= overflowed);
  if (!tooLong(opened.outgoing.tokens.sent)) return null;
  const most = Math.min(window.tokens ?? Number.POSITIVE_INFINITY, overflowed ?? Number.POSITIVE_INFINITY);
  for (const goal of [most * settings.targetRatio, 0]) {
    const plan = planFold({
      ...{ state: opened.record, exchange, cores, observation, blocks, outgoing: opened.outgoing, settings, goal },
      // No model reads the source, so no window limits it.
      window: null,
    });
    if ('nothing' in plan) return null;
    const block = extractProposal(plan, at)?.block;
    if (block === undefined) continue;
    const sent = outgoing(exchange, cores, [...blocks, block]);
    if (sent.blocks.includes(block) && !tooLong(sent.tokens.sent)) return { block, outgoing: sent };
  }
  return null;
}

/** What accepting the turn's own extract changes, on top of the completed turn's record; null when it does not fit (any more). */
export function takeStopgap(
  opened: Opened,
  next: SessionRecord,
  block: Block,
  at: number,
): { readonly record: SessionRecord; readonly blocks: readonly Block[]; readonly outgoing: Outgoing } | null {
  if (opened.raw || block.author !== 'extract' || block.directBlockIds.length > 0) return null;
  const { exchange, cores, observation } = opened;
  const sent = outgoing(exchange, cores, [...opened.blocks, block]);
  const hidden = sent.placed.find((one) => one.block === block)?.messages;
  if (hidden === undefined) return null;
  const seqs = new Set(hidden.map((message) => observation.seqOfMessage[message]));
  if (seqs.size !== block.seqs.length || !block.seqs.every((seq) => seqs.has(seq))) return null;
  const proposal = { block, consumes: [], cost: 0 };
  const accepted = acceptBlock({ ...next, rev: next.rev - 1 }, opened.blocks, proposal, at, observation.ledger.pinned);
  return 'dropped' in accepted ? null : { record: accepted.record, blocks: accepted.blocks, outgoing: sent };
}
