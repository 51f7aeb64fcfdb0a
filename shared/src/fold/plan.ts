/**
 * Whether to fold now, and what.
 *
 * A plan takes the oldest foldable range: whole turns of the person (so that alternation survives), whole units (pairs.ts), nothing
 * protected (protect.ts), enough to come down to the target. When the standing summaries have grown so much that folding four or
 * more of them gains more than folding messages, they are folded into one of the next tier. Automatic folds wait for the
 * trigger, for enough turns since the last one, and for the back-off after a failure; `force` (the person asked) and `goal` (the request
 * would not fit) wait for nothing, and still fold nothing that is protected.
 */
import type { BlockId, CoreId, Ref } from '#base/brand';
import type { Exchange } from '#neutral/message';
import type { Block, Tier } from './block.ts';
import { CHILDREN_MIN, type FoldSettings, sourceLimit, summaryTokens } from './budget.ts';
import type { Core } from './core.ts';
import type { Observation } from './ledger.ts';
import type { Outgoing } from './outgoing.ts';
import type { Placed } from './presence.ts';
import { oldestRange } from './range.ts';
import { type SourceItem, sourceOf } from './source.ts';

/** What of a session's record planning needs; a `SessionRecord` is one. */
export interface PlanState {
  readonly nextBlock: number;
  readonly nextRun: number;
  readonly turnsSinceFold: number;
  readonly backoff: { readonly wait: number };
  readonly mode: 'auto' | 'off';
}

export interface PlanInput {
  readonly state: PlanState;
  readonly exchange: Exchange;
  readonly cores: readonly Core[];
  readonly observation: Pick<Observation, 'refs' | 'seqOfMessage' | 'ledger'>;
  /** Every block of the session, whatever its state. */
  readonly blocks: readonly Block[];
  readonly outgoing: Outgoing;
  /** Tokens, or null when unknown. */
  readonly window: number | null;
  readonly settings: FoldSettings;
  readonly force?: boolean;
  /**
   * The request would not fit: tokens to come down to, at once. No model is asked, so only messages are folded (a block's summary is
   * worth more than an extract of it) and the limits that belong to asking do not apply.
   */
  readonly goal?: number;
}

export interface FoldPlan {
  readonly blockId: BlockId;
  readonly runId: string;
  readonly tier: Tier;
  /** Messages the block will hide, ascending. */
  readonly messages: readonly number[];
  readonly directIds: readonly CoreId[];
  readonly effectiveIds: readonly CoreId[];
  readonly directBlockIds: readonly BlockId[];
  readonly refs: readonly [Ref, Ref];
  readonly seqs: readonly number[];
  /** Tokens of the originals. */
  readonly tokensBefore: number;
  /** Tokens that leave the request: the originals, or the children's summaries. */
  readonly replaces: number;
  /** What the summary is made from. */
  readonly source: readonly SourceItem[];
  readonly sourceTokens: number;
  /** Length to ask for, in tokens. */
  readonly asked: number;
  readonly model: string;
  readonly window: number | null;
}

/** Why nothing is folded. */
export type NothingCode =
  | 'off'
  | 'no-window'
  | 'below-trigger'
  | 'too-soon'
  | 'backing-off'
  | 'nothing-foldable'
  | 'too-small'
  | 'no-room';

export type Planned = FoldPlan | { readonly nothing: NothingCode };

function whyNotNow(input: PlanInput): NothingCode | null {
  const { state, settings, window } = input;
  if (input.force === true || input.goal !== undefined) return null;
  if (settings.mode === 'off' || state.mode === 'off') return 'off';
  if (window === null) return 'no-window';
  if (input.outgoing.tokens.sent < window * settings.triggerRatio) return 'below-trigger';
  // Before the first fold there is nothing to keep a distance from.
  if (state.nextBlock > 1 && state.turnsSinceFold < settings.minTurnsBetween) return 'too-soon';
  return state.backoff.wait > 0 ? 'backing-off' : null;
}

/** The oldest run of at least four standing blocks of one tier below the top; null when there is none. */
function childrenToFold(input: PlanInput): readonly Placed[] | null {
  const { placed } = input.outgoing;
  for (let first = 0; first < placed.length; ) {
    const tier = placed[first]?.block.tier;
    let end = first;
    while (end < placed.length && placed[end]?.block.tier === tier) end++;
    if (tier !== 3 && end - first >= CHILDREN_MIN) return placed.slice(first, end);
    first = end;
  }
  return null;
}

function planOf(input: PlanInput, messages: readonly number[], children: readonly Placed[]): FoldPlan {
  const { exchange, cores, observation, outgoing, state, settings } = input;
  const inside = new Set(messages);
  const ids: CoreId[] = [];
  const refs: Ref[] = [];
  cores.forEach((core, index) => {
    const ref = observation.refs[index];
    if (!inside.has(core.message) || ref === undefined) return;
    ids.push(core.id);
    refs.push(ref);
  });
  const tier: Tier = children[0] === undefined ? 1 : children[0].block.tier === 1 ? 2 : 3;
  const tokensBefore = messages.reduce((sum, message) => sum + (outgoing.weights.messages[message] ?? 0), 0);
  const replaces = children.length === 0 ? tokensBefore : children.reduce((sum, { block }) => sum + block.tokensAfter, 0);
  const whole = tokensBefore <= sourceLimit(input.window);
  const source = sourceOf(exchange, messages, observation.refs, cores, whole ? [] : children);
  const seqs = new Set(messages.map((message) => observation.seqOfMessage[message] as number));
  return {
    blockId: `b${state.nextBlock}` as BlockId,
    runId: `r${state.nextRun}`,
    tier,
    messages,
    directIds: children.length === 0 ? ids : [],
    effectiveIds: ids,
    directBlockIds: children.map(({ block }) => block.blockId),
    refs: [refs[0] as Ref, refs.at(-1) as Ref],
    seqs: [...seqs].sort((a, b) => a - b),
    tokensBefore,
    replaces,
    source,
    sourceTokens: whole ? tokensBefore : replaces,
    asked: summaryTokens(replaces, tier),
    model: settings.summaryModel ?? exchange.environment.model ?? '',
    window: input.window,
  };
}

/** The next fold of this session, or why there is none. */
export function planFold(input: PlanInput): Planned {
  const not = whyNotNow(input);
  if (not !== null) return { nothing: not };
  const goal = input.goal ?? (input.force === true || input.window === null ? 0 : input.window * input.settings.targetRatio);
  const range = oldestRange(input, Math.max(0, input.outgoing.tokens.sent - goal));
  const children = input.goal === undefined ? childrenToFold(input) : null;
  const folded = children?.reduce((sum, { block }) => sum + block.tokensAfter, 0) ?? 0;
  const gainUp = children === null ? 0 : folded - summaryTokens(folded, 2);
  const gain = 'nothing' in range ? 0 : range.tokens - summaryTokens(range.tokens, 1);
  if (children !== null && gainUp > gain && folded >= input.settings.minTokens && folded <= sourceLimit(input.window)) {
    const messages = children.flatMap((child) => child.messages).sort((a, b) => a - b);
    return planOf(input, messages, children);
  }
  return 'nothing' in range ? range : planOf(input, range.messages, []);
}
