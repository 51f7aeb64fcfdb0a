/**
 * What both stores keep, in the same words. Every key is `(scope, session)`.
 *
 * A session's record is small and rewritten each turn; transcript rows are only appended; blocks are rewritten one at a time.
 * So the bytes written for a turn follow the new tail, not the history.
 */
import type { Digest, ScopeId, SessionId } from '#base/brand';
import type { Lineage, Reason, Via } from '#chain/resolution';
import type { Block } from '#fold/block';
import type { TranscriptRow } from '#fold/ledger';
import type { WireId } from '#neutral/message';
import type { Domain } from '#neutral/turn';

/** A chain's last link in one domain. Depth counts turns. */
export interface Head {
  readonly link: Digest;
  readonly depth: number;
}

export interface SessionStats {
  /** Requests of this session that completed. */
  readonly requests: number;
  /** Estimated input tokens the client sent, summed over requests. */
  readonly received: number;
  /** Estimated input tokens sent upstream, summed over requests. */
  readonly sent: number;
  /** Input plus output tokens spent on summaries (reported by the provider where it reports, else estimated). */
  readonly foldCost: number;
  readonly folds: number;
  /** Requests sent twice because the companion was lost after dispatch. */
  readonly possibleDoubleBills: number;
  /** Last request: what the client sent, what went upstream, and what the provider reported (input), if it did. */
  readonly lastReceived: number;
  readonly lastSent: number;
  readonly lastReported: number | null;
}

export interface SessionRecord {
  readonly scope: ScopeId;
  readonly session: SessionId;
  /** Monotonic; every committed change is exactly `rev + 1`. */
  readonly rev: number;
  readonly wire: WireId;
  readonly heads: { readonly [D in Domain]: Head };
  /** Page origin, or null on the http lane. */
  readonly site: string | null;
  /** Page instance that last used it (page lane). */
  readonly document: string | null;
  readonly conversation: string | null;
  readonly model: string | null;
  /** First words of the first user message, for people. */
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly usedAt: number;
  readonly via: Via;
  readonly lineage: Lineage | null;
  /** How the most recent request was attached. */
  readonly last: {
    readonly via: Via;
    readonly depth: number;
    readonly incoming: number;
    readonly domain: Domain | null;
    readonly reason: Reason;
  };
  readonly nextSeq: number;
  readonly nextRef: number;
  readonly nextBlock: number;
  readonly nextRun: number;
  /** Completed requests since the last fold (or since birth). */
  readonly turnsSinceFold: number;
  /** Turns to wait after a failed fold: 0, then 1, 2, 4 … 64; counted down. */
  readonly backoff: { readonly wait: number; readonly failures: number };
  readonly stats: SessionStats;
  /** Context window in tokens and where the figure came from. */
  readonly window: { readonly tokens: number | null; readonly source: 'config' | 'table' | 'upstream' | 'unknown' };
  /** Per-session fold mode override by the person. */
  readonly mode: 'auto' | 'off';
}

export interface LinkRow {
  readonly domain: Domain;
  readonly link: Digest;
  readonly parent: Digest | null;
  readonly item: Digest;
  /** 1 for the first turn. */
  readonly depth: number;
}

/** Something that happened to a session, for the Events view. Newest last. */
export interface SessionEvent {
  readonly at: number;
  readonly rev: number;
  readonly kind: 'turn' | 'fold' | 'fold-failed' | 'unfold' | 'refold' | 'quarantine' | 'bypass' | 'resend' | 'pin' | 'mode';
  /** Numbers and codes only; no message text. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

/** Outranks every restore. `session: null` means the whole scope or site. */
export interface Tombstone {
  readonly scope: ScopeId;
  readonly session: SessionId | null;
  readonly site: string | null;
  readonly at: number;
}

/** Everything about one session: what is pushed when the two sides disagree. */
export interface SessionSnapshot {
  readonly record: SessionRecord;
  readonly rows: readonly TranscriptRow[];
  readonly links: readonly LinkRow[];
  readonly blocks: readonly Block[];
}
