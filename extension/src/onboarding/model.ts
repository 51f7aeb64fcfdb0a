/** How far setting up has come, from what the background says. Pure, so it resumes wherever it was left. */
import type { PanelSnapshot } from '../panel-messages.ts';

export const STEPS = ['run', 'pair', 'site', 'message', 'saving'] as const;
export type Step = (typeof STEPS)[number];

export interface Progress {
  readonly done: ReadonlySet<Step>;
  /** Steps open now: the first that is not done, and pairing beside it, because a running companion shows only by pairing. */
  readonly now: ReadonlySet<Step>;
}

/** A later step that is done proves the earlier ones, except that a companion may be off now. */
export function progressOf(snapshot: PanelSnapshot, sites: readonly string[], sessions: number): Progress {
  const done = new Set<Step>();
  const { companion } = snapshot;
  if (companion === 'connected' || companion === 'other-companion' || companion === 'version-mismatch') done.add('run');
  if (companion !== 'never-paired' && companion !== 'other-companion') done.add('pair');
  if (sites.length > 0) done.add('site');
  if (sessions > 0) done.add('message');
  if (snapshot.saved.all > 0) done.add('saving');
  const open = STEPS.filter((step) => !done.has(step));
  return { done, now: new Set(open.slice(0, open[0] === 'run' && open[1] === 'pair' ? 2 : 1)) };
}
