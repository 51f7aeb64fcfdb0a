/**
 * The answer to "which conversation is this request?", with everything a person needs to see why.
 */
import type { Digest, SessionId } from '#base/brand';
import type { Domain } from '#neutral/turn';

export type Via = 'declared' | 'prefix' | 'signal' | 'new' | 'side' | 'bypass';

export type LineageKind = 'forked' | 'truncated' | 'derived' | 'continued';

/** How a new session relates to others. Shown and logged; never used for matching. */
export interface Lineage {
  readonly kind: LineageKind;
  /** Primary parent first. */
  readonly parents: readonly SessionId[];
  /** Turns shared with the primary parent; 0 where the kind has no such count. */
  readonly shared: number;
}

/** What the extension knows about where a request came from. Positive evidence, never a partition. */
export interface ClientSignal {
  /** Page origin. */
  readonly site: string;
  /** One page instance: tab, frame and navigation. */
  readonly document: string;
  /** A high-entropy id the page shows for its conversation, when it has one. */
  readonly conversation?: string;
}

/** Why this session: stored with every decision, read by the popup. */
export interface Reason {
  /** Sessions whose head was a prefix candidate. */
  readonly compared: number;
  /** Head that matched, or the head of the nearest candidate. */
  readonly head: Digest | null;
  /** The next best candidate and where it first differs (turn index), when one was looked at. */
  readonly next: { readonly session: SessionId; readonly depth: number; readonly differsAt: number } | null;
  /** A code the UI has a sentence for. */
  readonly code:
    | 'head-extended'
    | 'head-repeated'
    | 'nothing-known'
    | 'history-diverged'
    | 'head-in-flight'
    | 'other-document'
    | 'session-raced'
    | 'too-little'
    | 'no-user-turn'
    | 'server-held'
    | 'side-budget'
    | 'not-utf8'
    | 'too-large';
}

export interface Resolution {
  readonly via: Via;
  /** Null for `side` and `bypass`. */
  readonly session: SessionId | null;
  /** Turns matched, in `domain`; 0 when new. */
  readonly depth: number;
  /** Turns of the request, in `domain` (domain 2 when new). */
  readonly incoming: number;
  readonly domain: Domain | null;
  readonly lineage: Lineage | null;
  readonly reason: Reason;
}
