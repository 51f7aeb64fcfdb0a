/**
 * When the badge changes: after a turn on its tab, and everywhere when a state needs the person.
 */
import type { CompanionState } from '../panel-messages.ts';
import { type BadgeState, showBadge } from './badge.ts';

export interface ToolbarFacts {
  readonly wanted: boolean;
  readonly paused: boolean;
  readonly companion: CompanionState;
  /** Sites switched on, and those of them whose permission is missing. */
  readonly sites: number;
  readonly missing: number;
}

/** The state of every tab that has none of its own. */
function overallBadge(facts: ToolbarFacts): BadgeState {
  if (!facts.wanted) return { kind: 'off' };
  if (facts.paused) return { kind: 'paused' };
  const lost = facts.companion !== 'connected' && facts.companion !== 'connecting';
  return facts.missing > 0 || (facts.sites > 0 && lost) ? { kind: 'attention' } : { kind: 'off' };
}

/** Shows it, unless it is shown already (setting a badge wakes the browser's UI). */
export function createToolbar(facts: () => Promise<ToolbarFacts>): {
  refresh(): void;
  saved(tab: number, tokens: number): void;
} {
  let shown = '';
  return {
    refresh() {
      void facts()
        .then(async (known) => {
          const state = overallBadge(known);
          const text = JSON.stringify(state);
          if (text === shown) return;
          shown = text;
          await showBadge(state, null);
        })
        .catch(() => {
          // The badge is decoration: what it would have shown is in the popup.
        });
    },
    saved(tab, tokens) {
      void facts()
        .then((known) => (known.wanted ? showBadge({ kind: 'saved', tokens }, tab) : undefined))
        .catch(() => {
          // As above.
        });
    },
  };
}
