/**
 * What is going on right now, for the popup and the badge: one entry per request or fold under way.
 */
import type { SessionId } from '@throughline/shared/base/brand';
import type { LiveStream } from '../panel-messages.ts';

export interface LiveEntry {
  readonly session: SessionId;
  readonly site: string | null;
  readonly tab: number | null;
  phase: LiveStream['phase'];
  bytes: number;
  readonly startedAt: number;
}

export interface LiveTurns {
  add(entry: LiveEntry): LiveEntry;
  remove(entry: LiveEntry): void;
  list(): readonly LiveEntry[];
  /** The newest entry of that tab, else of that site. */
  pick(site: string | null, tab: number | null): LiveStream | null;
}

export function createLiveTurns(): LiveTurns {
  const entries = new Set<LiveEntry>();
  return {
    add(entry) {
      entries.add(entry);
      return entry;
    },
    remove: (entry) => entries.delete(entry),
    list: () => [...entries],
    pick(site, tab) {
      const all = [...entries].reverse();
      const found =
        all.find((entry) => tab !== null && entry.tab === tab) ?? all.find((entry) => site !== null && entry.site === site);
      return found ? { session: found.session, phase: found.phase, bytes: found.bytes, startedAt: found.startedAt } : null;
    },
  };
}
