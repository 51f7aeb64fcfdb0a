/**
 * One turn of a session: what stands before the request goes out (`openTurn`) and the change it makes when it has completed
 * (`completeTurn`). Both shells call these, so both stores write the same record.
 *
 * Pure: clock, hash and stored state arrive as arguments. Nothing is committed unless the response completed, so a failed or
 * aborted request leaves the session exactly as it was.
 */
import type { ScopeId, SessionId } from '#base/brand';
import type { Sha256 } from '#base/digest';
import type { Chains } from '#chain/chain';
import type { ClientSignal, Resolution } from '#chain/resolution';
import type { Block } from '#fold/block';
import type { FoldSettings } from '#fold/budget';
import { type Core, coresOf } from '#fold/core';
import { type Ledger, ledgerOf, type Observation, observe, type TranscriptRow } from '#fold/ledger';
import { type Outgoing, outgoing } from '#fold/outgoing';
import { type Planned, planFold } from '#fold/plan';
import { windowOf } from '#fold/windows';
import type { Exchange } from '#neutral/message';
import type { Usage } from '#wire/wire';
import { birth } from './birth.ts';
import { gaugeOf } from './gauge.ts';
import { newLinks, nextHeads } from './moves.ts';
import type { SessionEvent, SessionRecord } from './records.ts';
import { takeStopgap } from './stopgap.ts';
import type { Commit } from './store.ts';

export interface OpenInput {
  readonly scope: ScopeId;
  readonly session: SessionId;
  /** Null for a session that this turn gives birth to. */
  readonly record: SessionRecord | null;
  readonly rows: readonly TranscriptRow[] | Ledger;
  /** Every block of the session, whatever its state. */
  readonly blocks: readonly Block[];
  readonly exchange: Exchange;
  readonly chains: Chains;
  readonly resolution: Resolution;
  readonly signal: ClientSignal | null;
  /** The id by which a client of the http lane calls the conversation, with the field it came in. */
  readonly conversation?: string | null;
  readonly at: number;
  readonly hash: Sha256;
  /** Configured window for this model, or null. */
  readonly configuredWindow: number | null;
  /** Window that the upstream told in a refusal, which no record holds because nothing was committed. */
  readonly toldWindow?: number | null;
  /** The session's previous request, when still in memory: only what follows its bytes is hashed. */
  readonly previous?: { readonly exchange: Exchange; readonly cores: readonly Core[] };
  /** `off` sends the body exactly as it is, whatever blocks there are. */
  readonly fold?: 'auto' | 'off';
}

export interface OpenedTurn {
  /** The record this turn starts from; `rev` 0 at a birth. */
  readonly record: SessionRecord;
  readonly exchange: Exchange;
  readonly chains: Chains;
  readonly resolution: Resolution;
  readonly signal: ClientSignal | null;
  readonly cores: readonly Core[];
  readonly observation: Observation;
  readonly blocks: readonly Block[];
  readonly outgoing: Outgoing;
  readonly window: SessionRecord['window'];
  readonly configuredWindow: number | null;
  /** Folding is off for this request. */
  readonly raw: boolean;
}

export interface Outcome {
  readonly at: number;
  readonly usage: Usage;
  readonly tokens: { readonly received: number; readonly sent: number };
  /** The folded request was refused and the original was sent once more. */
  readonly resent: boolean;
  /** Ids of blocks to quarantine. */
  readonly quarantine: readonly string[];
  /** Window that the upstream told, or null. */
  readonly window: number | null;
  /** The extract that stood in this request so that it fit (stopgap.ts): committed with the turn. */
  readonly extract?: Block | null;
}

/** Reads a request against its session. Nothing is changed by it. */
export function openTurn(input: OpenInput): OpenedTurn {
  const { exchange } = input;
  const record = input.record ?? birth(input);
  const cores = coresOf(exchange, input.hash, input.previous);
  const ledger = 'instances' in input.rows ? input.rows : ledgerOf(input.rows, record);
  const { model, window: asked } = exchange.environment;
  const recorded = record.window.source === 'upstream' && record.model === model ? record.window.tokens : null;
  const told = asked ?? input.toldWindow ?? recorded;
  const raw = input.fold === 'off' || record.mode === 'off';
  return {
    record,
    exchange,
    chains: input.chains,
    resolution: input.resolution,
    signal: input.signal,
    cores,
    observation: observe(ledger, exchange, cores),
    blocks: input.blocks,
    outgoing: outgoing(exchange, cores, raw ? [] : input.blocks),
    window: windowOf(model, input.configuredWindow, told),
    configuredWindow: input.configuredWindow,
    raw,
  };
}

/** Input tokens as the provider reported them, or null when it said nothing. */
function reportedInput(usage: Usage): number | null {
  const parts = [usage.fresh, usage.cached, usage.written].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0);
}

function turnEvent(
  opened: OpenedTurn,
  outcome: Outcome,
  rev: number,
  quarantined: number,
  extract: Block | undefined,
): SessionEvent {
  const { resolution, outgoing: sent } = opened;
  const { system, tools, pinned, summaries, recent } = gaugeOf(opened);
  const kind = quarantined > 0 ? 'quarantine' : outcome.resent ? 'resend' : 'turn';
  const data = {
    via: resolution.via,
    depth: resolution.depth,
    incoming: resolution.incoming,
    received: outcome.tokens.received,
    sent: outcome.tokens.sent,
    reported: reportedInput(outcome.usage),
    cached: outcome.usage.cached,
    output: outcome.usage.output,
    blocks: sent.blocks.length,
    quarantined,
    ...(extract === undefined ? {} : { extract: extract.blockId }),
    ...{ system, tools, pinned, summaries, recent },
  };
  return { at: outcome.at, rev, kind, data };
}

/** The change that this completed request makes: one revision. */
export function completeTurn(opened: OpenedTurn, outcome: Outcome): Commit {
  const { record, exchange, resolution, signal, observation } = opened;
  const rev = record.rev + 1;
  const { stats } = record;
  const quarantine = new Set(outcome.quarantine);
  const refused = opened.blocks.filter((block) => quarantine.has(block.blockId) && block.state === 'folded');
  const next: SessionRecord = {
    ...record,
    rev,
    wire: exchange.wire,
    heads: nextHeads(opened),
    site: signal?.site ?? record.site,
    document: signal?.document ?? record.document,
    conversation: signal?.conversation ?? record.conversation,
    model: exchange.environment.model ?? record.model,
    usedAt: outcome.at,
    last: {
      via: resolution.via,
      depth: resolution.depth,
      incoming: resolution.incoming,
      domain: resolution.domain,
      reason: resolution.reason,
    },
    nextSeq: observation.ledger.nextSeq,
    nextRef: observation.ledger.nextRef,
    turnsSinceFold: record.turnsSinceFold + 1,
    backoff: { ...record.backoff, wait: Math.max(0, record.backoff.wait - 1) },
    stats: {
      ...stats,
      requests: stats.requests + 1,
      received: stats.received + outcome.tokens.received,
      sent: stats.sent + outcome.tokens.sent,
      lastReceived: outcome.tokens.received,
      lastSent: outcome.tokens.sent,
      lastReported: reportedInput(outcome.usage),
    },
    window:
      outcome.window === null ? opened.window : windowOf(exchange.environment.model, opened.configuredWindow, outcome.window),
  };
  const stopgap = outcome.extract == null ? null : takeStopgap(opened, next, outcome.extract, outcome.at);
  const sent = stopgap === null ? opened : { ...opened, outgoing: stopgap.outgoing };
  return {
    record: stopgap?.record ?? next,
    links: newLinks(opened.chains, record),
    rows: observation.rows,
    blocks: [...refused.map((block) => ({ ...block, state: 'quarantined' as const, rev })), ...(stopgap?.blocks ?? [])],
    event: turnEvent(sent, outcome, rev, refused.length, stopgap?.blocks[0]),
  };
}

/**
 * Whether to fold after this turn, and what. `record` is the committed one, `blocks` the session's blocks now; `force` when the
 * person asked, or when the request would not fit its window.
 */
export function planAfter(
  opened: OpenedTurn,
  now: { readonly record: SessionRecord; readonly blocks: readonly Block[] },
  settings: FoldSettings,
  force = false,
): Planned {
  const { exchange, cores, observation } = opened;
  return planFold({
    state: now.record,
    exchange,
    cores,
    observation,
    blocks: now.blocks,
    // Not the opened one: that may have been sent raw, and a block may have come since.
    outgoing: outgoing(exchange, cores, now.blocks),
    window: opened.window.tokens,
    settings,
    force,
  });
}
