/** How far setting up has come, from what the background says. Pure, so it resumes wherever it was left. */
import type { PanelSnapshot } from '../panel-messages.ts';

export const STEPS = ['run', 'pair', 'site', 'message', 'saving'] as const;
export type Step = (typeof STEPS)[number];

export interface Progress {
  readonly done: ReadonlySet<Step>;
  /** First step that is not done; null when all are. */
  readonly now: Step | null;
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
  return { done, now: STEPS.find((step) => !done.has(step)) ?? null };
}
