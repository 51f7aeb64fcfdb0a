/**
 * What the popup says, from a snapshot. Pure.
 *
 * Five questions are answered without a click: does it work, which conversation and why, what is folded, where are the originals,
 * what did it save.
 */
import type { BlockLine, CompanionState, PanelSnapshot, SessionDetail, SiteState } from '../panel-messages.ts';
import { standing } from '../ui/blocks.ts';
import { type NamedState, namedState, overallState } from '../ui/states.ts';

/** Blocks and relatives shown at once; the rest is one click away in the dashboard. */
export const BLOCKS_SHOWN = 3;
export const RELATIVES_SHOWN = 4;

export interface PopupView {
  readonly dot: 'good' | 'wait' | 'bad';
  readonly on: boolean;
  readonly switchable: boolean;
  readonly pausable: boolean;
  readonly status: 'status.working' | 'status.watching' | 'status.quiet' | 'status.idle' | 'status.off';
  readonly notice: NamedState | null;
  readonly last: LastRequest | null;
  readonly blocks: readonly BlockLine[];
  readonly moreBlocks: number;
  readonly canFold: boolean;
}

export interface LastRequest {
  readonly before: number;
  readonly after: number;
}

/** Everything the popup decides, in one place. */
export function popupView(snapshot: PanelSnapshot, now: number): PopupView {
  const { session, siteState } = snapshot;
  const blocks = session === null ? [] : standing(session.blockList);
  return {
    dot: dotOf(snapshot.companion),
    on: isOn(siteState),
    switchable: siteState !== 'no-site' && snapshot.site !== null,
    pausable: siteState === 'active' || siteState === 'waiting',
    status: statusOf(snapshot),
    notice: siteState === 'no-site' ? overallState(snapshot) : namedState(snapshot, now),
    last: session === null ? null : lastRequest(session),
    blocks: blocks.slice(0, BLOCKS_SHOWN),
    moreBlocks: Math.max(0, blocks.length - BLOCKS_SHOWN),
    canFold: session !== null && snapshot.companion === 'connected' && session.mode === 'auto' && siteState !== 'paused',
  };
}

function dotOf(companion: CompanionState): PopupView['dot'] {
  if (companion === 'connected') return 'good';
  return companion === 'connecting' ? 'wait' : 'bad';
}

/** Whether the person has the site on, whatever else stands in the way. */
function isOn(state: SiteState): boolean {
  return state === 'active' || state === 'waiting' || state === 'paused' || state === 'permission-missing';
}

function statusOf({ siteState, session }: PanelSnapshot): PopupView['status'] {
  if (siteState === 'no-site') return 'status.idle';
  if (!isOn(siteState) || siteState === 'permission-missing') return 'status.off';
  if (session === null) return 'status.quiet';
  return session.blockList.some((block) => block.state === 'folded') ? 'status.working' : 'status.watching';
}

/** What the page wrote last and what went upstream; null before the first request. */
export function lastRequest({ stats }: Pick<SessionDetail, 'stats'>): LastRequest | null {
  return stats.lastReceived > 0 ? { before: stats.lastReceived, after: stats.lastSent } : null;
}

/** The last thing the person did to a block, and how to take it back. */
export interface Undo {
  readonly session: string;
  readonly block: string;
  /** What undoing does. */
  readonly verb: 'unfold' | 'refold';
}

/** The opposite of what was just done. */
export function undoOf(session: string, block: string, done: 'unfold' | 'refold'): Undo {
  return { session, block, verb: done === 'unfold' ? 'refold' : 'unfold' };
}

/** End of a pause of one hour. */
export function hourFrom(now: number): number {
  return now + 3_600_000;
}
