/**
 * From a plan and its text to a block that an owner can commit.
 *
 * A proposal changes nothing: the owner of the session checks that it still fits (session/operations.ts) and commits it.
 */
import type { BlockId } from '#base/brand';
import type { Block } from './block.ts';
import { extractOf } from './extract.ts';
import type { FoldPlan } from './plan.ts';

export interface Proposal {
  readonly block: Block;
  /** Blocks it consumes. */
  readonly consumes: readonly BlockId[];
  /** Tokens spent on making it. */
  readonly cost: number;
}

/** The block that this text makes of the plan. `rev` is set when it is committed. */
export function proposalOf(
  plan: FoldPlan,
  text: { readonly summary: string; readonly topic: string; readonly tokens: number },
  made: { readonly author: Block['author']; readonly cost: number; readonly at: number },
): Proposal {
  const block: Block = {
    blockId: plan.blockId,
    runId: plan.runId,
    tier: plan.tier,
    topic: text.topic,
    summary: text.summary,
    directIds: plan.directIds,
    effectiveIds: plan.effectiveIds,
    directBlockIds: plan.directBlockIds,
    refs: plan.refs,
    seqs: plan.seqs,
    tokensBefore: plan.tokensBefore,
    tokensAfter: text.tokens,
    createdAt: made.at,
    state: 'folded',
    rev: 0,
    author: made.author,
  };
  return { block, consumes: plan.directBlockIds, cost: made.cost };
}

/** A deterministic extract in place of a model's summary, or null when it would not be smaller by half. */
export function extractProposal(plan: FoldPlan, at: number): Proposal | null {
  const text = extractOf(plan);
  return text === null ? null : proposalOf(plan, text, { author: 'extract', cost: 0, at });
}
