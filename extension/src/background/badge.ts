/** The few characters on the toolbar button: tokens saved, or the one state that needs the person. Never conversation text. */
import { api } from '../platform.ts';

export type BadgeState =
  | { readonly kind: 'off' }
  | { readonly kind: 'saved'; readonly tokens: number }
  | { readonly kind: 'working' }
  | { readonly kind: 'paused' }
  /** Companion missing, permission missing, not paired: traffic is native. */
  | { readonly kind: 'attention' };

const COLOURS: Readonly<Record<BadgeState['kind'], string>> = {
  off: '#57606a',
  saved: '#164e63',
  working: '#164e63',
  paused: '#57606a',
  attention: '#9a6700',
};

/** At most four characters: 950, 1.2k, 35k, 1.2M. */
function badgeNumber(tokens: number): string {
  if (tokens < 1) return '';
  if (tokens < 1000) return String(Math.floor(tokens));
  const [scaled, unit] = tokens < 1_000_000 ? [tokens / 1000, 'k'] : [tokens / 1_000_000, 'M'];
  return `${scaled < 10 ? (Math.floor(scaled * 10) / 10).toString() : Math.floor(scaled)}${unit}`;
}

/** The badge's text for a state. */
function badgeText(state: BadgeState): string {
  if (state.kind === 'saved') return badgeNumber(state.tokens);
  return { off: '', working: '…', paused: '⏸', attention: '!' }[state.kind];
}

/** Shows the state on one tab, or on all when null. A tab that has gone is no error. */
export async function showBadge(state: BadgeState, tabId: number | null): Promise<void> {
  const target = tabId === null ? {} : { tabId };
  try {
    await api.action.setBadgeText({ ...target, text: badgeText(state) });
    await api.action.setBadgeBackgroundColor({ ...target, color: COLOURS[state.kind] });
  } catch {
    // The tab was closed in between: nothing is left to show it on.
  }
}
