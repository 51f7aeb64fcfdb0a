/**
 * Which of the named states a panel is in. Pure: a snapshot in, a name and its one action out.
 *
 * Order: what the person chose themselves (paused) first, then what stops everything (companion), then the site, then the
 * conversation, then the last request. No state means all is well.
 */
import type { PanelSnapshot } from '../panel-messages.ts';

/** The twelve, and shades of them: `connecting`, `permission-missing`, and what else may have become of the storage. */
export type StateName =
  | 'connecting'
  | 'never-paired'
  | 'companion-off'
  | 'port-taken'
  | 'other-companion'
  | 'version-mismatch'
  | 'blocked-by-browser'
  | 'site-not-enabled'
  | 'permission-missing'
  | 'nothing-seen'
  | 'paused'
  | 'bypassed'
  | 'quarantined'
  | 'storage-full'
  | 'storage-fresh'
  | 'storage-memory'
  | 'storage-newer';

type StateAction =
  | { readonly kind: 'none' }
  | { readonly kind: 'page'; readonly page: 'dashboard' | 'onboarding'; readonly route: string }
  | { readonly kind: 'copy'; readonly command: string }
  | { readonly kind: 'enable' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'reload' }
  | { readonly kind: 'pair-again' }
  | { readonly kind: 'allow-loopback' };

export interface NamedState {
  readonly name: StateName;
  readonly action: StateAction;
  /** Colour class: `quiet` informs, `attention` needs the person. */
  readonly tone: 'quiet' | 'attention';
  /** Code behind the sentence, where there is one. */
  readonly code: string | null;
}

/** Commands a state offers to copy. */
export const COMMANDS = {
  start: 'npm run companion',
  rebuild: 'npm start',
  otherPort: 'npm run companion -- serve --port 4748',
} as const;

/** A bypass older than this is history, not a state. */
const RECENT_MS = 10 * 60_000;

/** The state to show, or null when everything works. */
export function namedState(snapshot: PanelSnapshot, now: number): NamedState | null {
  if (snapshot.siteState === 'paused') return state('paused', { kind: 'resume' }, 'quiet');
  return (
    companionState(snapshot) ??
    unusableState(snapshot) ??
    siteState(snapshot) ??
    storageState(snapshot) ??
    conversationState(snapshot) ??
    bypassState(snapshot, now)
  );
}

/** The state of the whole, for panels that are about no site. */
export function overallState(snapshot: PanelSnapshot): NamedState | null {
  return companionState(snapshot) ?? storageState(snapshot);
}

/** Storage that nothing can work with comes before what a site could change. */
function unusableState(snapshot: PanelSnapshot): NamedState | null {
  return snapshot.storage === 'newer' ? storageState(snapshot) : null;
}

/** What is not kept as it should be. */
function storageState({ storage }: PanelSnapshot): NamedState | null {
  switch (storage) {
    case 'newer':
      return state('storage-newer', { kind: 'copy', command: COMMANDS.rebuild });
    case 'memory':
      return state('storage-memory', { kind: 'page', page: 'dashboard', route: 'settings' });
    case 'full':
      return state('storage-full', { kind: 'page', page: 'dashboard', route: 'settings' });
    case 'fresh':
      return state('storage-fresh', { kind: 'page', page: 'dashboard', route: 'sessions' }, 'quiet');
    default:
      return null;
  }
}

function companionState({ companion }: PanelSnapshot): NamedState | null {
  switch (companion) {
    case 'connected':
      return null;
    case 'connecting':
      return state('connecting', { kind: 'none' }, 'quiet');
    case 'never-paired':
      return state('never-paired', { kind: 'page', page: 'onboarding', route: '' });
    case 'companion-off':
      return state('companion-off', { kind: 'copy', command: COMMANDS.start });
    case 'port-taken':
      return state('port-taken', { kind: 'copy', command: COMMANDS.otherPort });
    case 'other-companion':
      return state('other-companion', { kind: 'pair-again' });
    case 'version-mismatch':
      return state('version-mismatch', { kind: 'copy', command: COMMANDS.rebuild });
    case 'blocked-by-browser':
      return state('blocked-by-browser', { kind: 'allow-loopback' });
  }
}

function siteState({ siteState, session, askUpstream }: PanelSnapshot): NamedState | null {
  if (siteState === 'not-enabled') return state('site-not-enabled', { kind: 'enable' }, 'quiet');
  if (siteState === 'permission-missing') return state('permission-missing', { kind: 'enable' });
  // An address that waits for the person's word is shown with its own one action.
  if (askUpstream.length > 0) return null;
  if (siteState === 'waiting' && session === null) return state('nothing-seen', { kind: 'reload' }, 'quiet');
  return null;
}

function conversationState({ session }: PanelSnapshot): NamedState | null {
  if (session === null) return null;
  // A block set aside stays so until the person folds it again. A switch turned off or a wait is said beside the blocks.
  if (!session.blockList.some((block) => block.state === 'quarantined')) return null;
  const route = `session/${encodeURIComponent(session.session)}/blocks`;
  return state('quarantined', { kind: 'page', page: 'dashboard', route }, 'attention', 'quarantined');
}

function bypassState({ lastBypass, session, askUpstream }: PanelSnapshot, now: number): NamedState | null {
  if (lastBypass === null || now - lastBypass.at > RECENT_MS) return null;
  if (session !== null && session.usedAt >= lastBypass.at) return null;
  if (isSide(lastBypass.code) || askUpstream.length > 0) return null;
  if (lastBypass.code === 'storage-full') {
    return state('storage-full', { kind: 'page', page: 'dashboard', route: 'settings' }, 'attention', lastBypass.code);
  }
  return state('bypassed', { kind: 'page', page: 'dashboard', route: 'help' }, 'quiet', lastBypass.code);
}

/** A title or suggestion request: going out unchanged is what should happen to it. */
export function isSide(code: string): boolean {
  return code.startsWith('side');
}

function state(
  name: StateName,
  action: StateAction,
  tone: NamedState['tone'] = 'attention',
  code: string | null = null,
): NamedState {
  return { name, action, tone, code };
}
