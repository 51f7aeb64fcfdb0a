/**
 * Where the tokens of a request go, by category. The categories sum to the total, which is what went upstream by our estimate.
 */
import type { Observation } from '#fold/ledger';
import type { Outgoing } from '#fold/outgoing';
import type { SessionEvent, SessionRecord } from './records.ts';

export interface Gauge {
  readonly system: number;
  readonly tools: number;
  readonly pinned: number;
  readonly summaries: number;
  /** Messages sent as they are and not pinned. */
  readonly recent: number;
  readonly total: number;
  readonly window: number | null;
  readonly windowSource: SessionRecord['window']['source'];
}

/** The gauge of an opened turn. */
export function gaugeOf(opened: {
  readonly outgoing: Outgoing;
  readonly observation: Observation;
  readonly window: SessionRecord['window'];
}): Gauge {
  const { outgoing, observation, window } = opened;
  const { system, tools, messages } = outgoing.weights;
  let pinned = 0;
  let recent = 0;
  messages.forEach((tokens, index) => {
    if (outgoing.plan.omit.has(index)) return;
    if (observation.ledger.pinned.has(observation.seqOfMessage[index] ?? -1)) pinned += tokens;
    else recent += tokens;
  });
  const { summaries } = outgoing;
  const total = system + tools + pinned + summaries + recent;
  return { system, tools, pinned, summaries, recent, total, window: window.tokens, windowSource: window.source };
}

/** The gauge as the newest completed request left it, from stored events; null when none is among them. */
export function gaugeFromEvents(events: readonly SessionEvent[], record: SessionRecord): Gauge | null {
  const data = events.findLast((event) => typeof event.data.recent === 'number')?.data;
  if (data === undefined) return null;
  const figure = (key: string): number => (typeof data[key] === 'number' ? data[key] : 0);
  const parts = {
    system: figure('system'),
    tools: figure('tools'),
    pinned: figure('pinned'),
    summaries: figure('summaries'),
    recent: figure('recent'),
  };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { ...parts, total, window: record.window.tokens, windowSource: record.window.source };
}
