/**
 * What `GET /api/stats` and `inspect` answer: numbers only. What is stored is counted from the store; what is not (refusals, aborts)
 * since the start. A figure whose machinery does not run here stands at zero.
 */

import type { ScopeId } from '@throughline/shared/base/brand';
import type { LineageKind, Via } from '@throughline/shared/chain/resolution';
import type { SessionRecord } from '@throughline/shared/session/records';
import type { SessionStore } from '@throughline/shared/session/store';
import type { SqliteStore } from '../store/sqlite.ts';
import type { Counters } from '../turn/counters.ts';
import { VERSION } from '../version.ts';

export interface StatsDeps {
  readonly store: SessionStore | SqliteStore;
  readonly scopes: () => readonly string[];
  readonly pairings: () => number;
  readonly connections: () => number;
  readonly counters: Counters;
  readonly startedAt: number;
}

const VIAS: readonly Via[] = ['declared', 'prefix', 'signal', 'new', 'side', 'bypass'];
const KINDS: readonly LineageKind[] = ['forked', 'truncated', 'derived', 'continued'];
const ALL_EVENTS = 10_000;

function tally<T extends string>(names: readonly T[], seen: Iterable<readonly [string | null, number]>): Record<T, number> {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<T, number>;
  for (const [name, count] of seen) if (name !== null && Object.hasOwn(counts, name)) counts[name as T] += count;
  return counts;
}

/** How stored requests were attached. */
async function vias(store: StatsDeps['store'], sessions: readonly SessionRecord[]): Promise<Iterable<[string | null, number]>> {
  if ('vias' in store) return store.vias();
  const events = await Promise.all(sessions.map((one) => store.events(one.scope, one.session, ALL_EVENTS)));
  return events.flat().flatMap(({ data }) => (typeof data.via === 'string' ? [[data.via, 1]] : []));
}

export function createStats(deps: StatsDeps): () => Promise<unknown> {
  return async () => {
    const lists = await Promise.all(deps.scopes().map((scope) => deps.store.list({ scope: scope as ScopeId })));
    const all = lists.flat();
    const sum = (read: (one: SessionRecord) => number): number => all.reduce((total, one) => total + read(one), 0);
    return {
      version: VERSION,
      startedAt: deps.startedAt,
      pairings: deps.pairings(),
      connections: deps.connections(),
      sessions: all.length,
      requests: sum((one) => one.stats.requests),
      via: tally(VIAS, await vias(deps.store, all)),
      lineage: tally(
        KINDS,
        all.map((one) => [one.lineage?.kind ?? null, 1]),
      ),
      windows: { ties: 0, nearMisses: 0 },
      nominations: 0,
      adoptions: 0,
      tokens: { received: sum((one) => one.stats.received), sent: sum((one) => one.stats.sent) },
      folds: sum((one) => one.stats.folds),
      foldCost: sum((one) => one.stats.foldCost),
      possibleDoubleBills: sum((one) => one.stats.possibleDoubleBills),
      sinceStart: deps.counters.read(),
    };
  };
}
