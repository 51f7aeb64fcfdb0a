/**
 * What popup, dashboard and onboarding ask the background, and what they show. Readable alone: types only.
 */
import type { Lineage, Reason, Via } from '@throughline/shared/chain/resolution';
import type { SessionEvent, SessionStats } from '@throughline/shared/session/records';

// ── popup, dashboard, onboarding → background: runtime.sendMessage, answered with `Reply` ─────────────────────────────────

export type PanelRequest =
  /** `site` is the origin of the active tab, null when it has none. */
  | { readonly verb: 'snapshot'; readonly site: string | null; readonly tab: number | null }
  | { readonly verb: 'sessions'; readonly query: string; readonly site: string | null; readonly limit: number }
  | { readonly verb: 'session'; readonly session: string }
  | { readonly verb: 'block'; readonly session: string; readonly block: string }
  | { readonly verb: 'message'; readonly session: string; readonly seq: number }
  | { readonly verb: 'site.set'; readonly site: string; readonly on: boolean }
  /** The person switches the site on and the browser is about to ask: completed when it grants, even if this panel is gone by then. */
  | { readonly verb: 'site.want'; readonly site: string }
  /** Resending after a companion loss, for this site alone. */
  | { readonly verb: 'site.resend'; readonly site: string; readonly on: boolean }
  | { readonly verb: 'site.allowUpstream'; readonly site: string; readonly origin: string }
  /** `until`: ms since the epoch, null for no end; `tab`: only that tab. */
  | { readonly verb: 'pause'; readonly until: number | null; readonly tab: number | null }
  | { readonly verb: 'resume' }
  | { readonly verb: 'fold.now'; readonly session: string }
  | { readonly verb: 'fold.mode'; readonly session: string; readonly mode: 'auto' | 'off' }
  | { readonly verb: 'unfold'; readonly session: string; readonly block: string }
  | { readonly verb: 'refold'; readonly session: string; readonly block: string }
  | { readonly verb: 'pin'; readonly session: string; readonly seq: number; readonly pinned: boolean }
  | { readonly verb: 'pair'; readonly link: string }
  | { readonly verb: 'unpair' }
  | { readonly verb: 'forget'; readonly session: string | null; readonly site: string | null }
  | { readonly verb: 'export'; readonly session: string | null; readonly format: 'json' | 'markdown' }
  | { readonly verb: 'settings.get' }
  | { readonly verb: 'settings.set'; readonly settings: Partial<Settings> };

/** One sentence and what to do, or the data. */
export type Reply<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** What each verb answers with. Verbs not named here answer `null`. */
export interface PanelAnswers {
  readonly snapshot: PanelSnapshot;
  readonly sessions: readonly SessionSummary[];
  readonly session: SessionDetail;
  readonly block: BlockDetail;
  readonly message: { readonly raw: string };
  readonly export: { readonly name: string; readonly text: string };
  readonly 'settings.get': Settings;
}

/** Sent to every open panel over a runtime.Port named `panel` when something it shows may have changed: ask again. */
export interface PanelChanged {
  readonly t: 'changed';
}

// ── what panels show ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The twelve states of `ux`: each says what still works, the cause and one action. */
export type CompanionState =
  | 'connected'
  | 'connecting'
  | 'never-paired'
  | 'companion-off'
  | 'port-taken'
  | 'other-companion'
  | 'version-mismatch'
  | 'blocked-by-browser';

export type SiteState = 'not-enabled' | 'permission-missing' | 'waiting' | 'active' | 'paused' | 'no-site';

export interface PanelSnapshot {
  readonly companion: CompanionState;
  readonly companionPort: number | null;
  readonly site: string | null;
  readonly siteState: SiteState;
  /** Tokens not sent upstream thanks to folding, net of what the summaries cost, on this site and in all. */
  readonly saved: { readonly site: number; readonly all: number };
  readonly live: LiveStream | null;
  /** The session the active tab used last, or the newest of the site. */
  readonly session: SessionDetail | null;
  /** Last request of this tab that was not taken, and why. */
  readonly lastBypass: { readonly at: number; readonly code: string; readonly url: string } | null;
  /** The site works with workers, whose requests are not covered. Absent from a background that does not tell. */
  readonly workers?: boolean;
  /** Upstream origins this site asked for that need the person's word (loopback or LAN). */
  readonly askUpstream: readonly string[];
  /**
   * How well conversations are kept: `full` a full disk left originals or blocks out, `fresh` a broken database was set aside,
   * `memory` nothing outlives the browser, `newer` the database is of a newer version and is left alone.
   */
  readonly storage?: 'ok' | 'full' | 'fresh' | 'memory' | 'newer';
  readonly settings: Settings;
  /** Sites that are switched on, all of them. Absent from a background that does not tell. */
  readonly sites?: readonly string[];
  /** Upstream origins requests of `site` went to. Absent from a background that does not tell. */
  readonly upstreams?: readonly string[];
  /** Whether a request of `site` is sent once more after a companion loss: its own choice, else the setting. */
  readonly siteResend?: boolean;
}

export interface LiveStream {
  readonly session: string;
  readonly phase: 'resolving' | 'waiting' | 'streaming' | 'folding';
  readonly bytes: number;
  readonly startedAt: number;
}

export interface SessionSummary {
  readonly session: string;
  readonly title: string;
  readonly site: string | null;
  readonly model: string | null;
  readonly wire: string;
  readonly messages: number;
  /** Turns of the chain, the assistant's included: what Why? counts. Not shown as a number of exchanges. */
  readonly turns: number;
  readonly blocks: number;
  readonly saved: number;
  readonly usedAt: number;
  readonly createdAt: number;
  readonly lineage: Lineage | null;
  readonly live: boolean;
}

/** Estimated tokens of the last request by category; they sum to `total`. */
export interface Gauge {
  readonly system: number;
  readonly tools: number;
  readonly pinned: number;
  readonly summaries: number;
  readonly recent: number;
  readonly total: number;
  readonly window: number | null;
  readonly windowSource: 'config' | 'table' | 'upstream' | 'unknown';
}

export interface MessageLine {
  readonly seq: number;
  readonly role: string;
  /** First 160 characters of its text. */
  readonly preview: string;
  readonly tokens: number;
  readonly refs: readonly string[];
  /** Block that hides it now, or null. */
  readonly block: string | null;
  readonly pinned: boolean;
}

export interface BlockLine {
  readonly blockId: string;
  readonly tier: number;
  readonly topic: string;
  readonly state: 'folded' | 'expanded' | 'consumed' | 'quarantined';
  readonly author: 'model' | 'extract';
  readonly refs: readonly [string, string];
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly createdAt: number;
}

export interface LineageNode {
  readonly session: string;
  readonly title: string;
  readonly messages: number;
  readonly blocks: number;
  readonly parent: string | null;
  readonly kind: Lineage['kind'] | null;
  /** Turns shared with the parent. */
  readonly shared: number;
  readonly current: boolean;
}

export interface SessionDetail extends SessionSummary {
  readonly gauge: Gauge;
  readonly stats: SessionStats;
  readonly why: Why;
  /** This session's whole family, parents before children. */
  readonly tree: readonly LineageNode[];
  readonly blockList: readonly BlockLine[];
  readonly messageList: readonly MessageLine[];
  readonly events: readonly SessionEvent[];
  readonly mode: 'auto' | 'off';
  /** Set when folding is paused for this session, with the code of the sentence. */
  readonly paused: string | null;
  /** After a failed fold: why it failed and how many more turns nothing is tried. */
  readonly retry?: { readonly code: string; readonly turns: number };
}

export interface Why {
  readonly via: Via;
  readonly depth: number;
  readonly incoming: number;
  readonly domain: 2 | 3 | null;
  readonly head: string | null;
  readonly scope: string;
  readonly reason: Reason;
  /** Title of `reason.next.session`, when there is one. */
  readonly nextTitle: string | null;
}

export interface BlockDetail {
  readonly block: BlockLine;
  readonly summary: string;
  /** The first line of the message that stands in for it upstream. */
  readonly label: string;
  readonly originals: readonly { readonly seq: number; readonly role: string; readonly raw: string; readonly text: string }[];
  /** The stored bytes of every original hash to what was recorded when they were folded. */
  readonly verified: boolean;
}

export interface Settings {
  readonly language: 'system' | 'en' | 'zh-CN';
  readonly theme: 'system' | 'light' | 'dark';
  readonly badge: boolean;
  /** After a companion loss behind dispatch: resend natively once (possible double bill), or show the error. */
  readonly resend: boolean;
  readonly retentionDays: number;
}
