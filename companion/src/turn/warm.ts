/**
 * What the last turn of a session worked out, in memory: its ledger (good at exactly one revision) and its cores. So a warm turn
 * costs what its new tail costs. A miss, or another revision, costs reading the stored rows again and nothing else.
 */
import type { Core } from '@throughline/shared/fold/core';
import type { Ledger } from '@throughline/shared/fold/ledger';
import type { Exchange } from '@throughline/shared/neutral/message';

interface Warmth {
  readonly rev: number;
  readonly ledger: Ledger;
  readonly previous: { readonly exchange: Exchange; readonly cores: readonly Core[] };
}

export interface Warm {
  get(scope: string, session: string): Warmth | null;
  put(scope: string, session: string, warmth: Warmth): void;
  clear(scope: string): void;
}

/** Keeps the newest `limit` sessions whose bodies together stay under `units` UTF-16 units. */
export function createWarm(limit = 64, units = 64 * 1024 * 1024): Warm {
  const kept = new Map<string, Warmth>();
  let total = 0;
  const drop = (key: string): void => {
    total -= kept.get(key)?.previous.exchange.source.length ?? 0;
    kept.delete(key);
  };
  return {
    get: (scope, session) => kept.get(`${scope} ${session}`) ?? null,
    put(scope, session, warmth) {
      const key = `${scope} ${session}`;
      drop(key);
      kept.set(key, warmth);
      total += warmth.previous.exchange.source.length;
      for (const oldest of kept.keys()) {
        if (kept.size <= limit && total <= units) break;
        drop(oldest);
      }
    },
    clear(scope) {
      for (const key of [...kept.keys()]) if (key.startsWith(`${scope} `)) drop(key);
    },
  };
}
