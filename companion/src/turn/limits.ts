/**
 * What providers said about length, per session and model, in memory: a refused request commits nothing, so no record can hold it.
 *
 * A stated window is used from the next turn on and enters the record when that turn completes. Losing this costs one more refusal.
 */
import type { Delivered } from './forward.ts';
import type { Prepared } from './prepare.ts';

interface Limit {
  /** Window that the provider stated. */
  readonly window: number | null;
  /** Tokens, by our estimate, of the smallest request that was called too long. */
  readonly overflowed: number | null;
  /** False once a request with an extract was refused where the page's own passed. */
  readonly extracts: boolean;
}

export interface Limits {
  of(scope: string, session: string, model: string | null): Limit;
  /** The answer to this request is there. */
  learn(scope: string, session: string, prepared: Prepared, result: Delivered): void;
  clear(scope: string): void;
}

const NOTHING: Limit = { window: null, overflowed: null, extracts: true };

/** Keeps the newest `most` sessions. */
export function createLimits(most = 256): Limits {
  const kept = new Map<string, Limit>();
  const keyOf = (scope: string, session: string, model: string | null): string => `${scope} ${session} ${model ?? ''}`;
  const put = (key: string, limit: Limit): void => {
    kept.delete(key);
    kept.set(key, limit);
    const oldest = kept.keys().next();
    if (kept.size > most && !oldest.done) kept.delete(oldest.value);
  };
  return {
    of: (scope, session, model) => kept.get(keyOf(scope, session, model)) ?? NOTHING,
    learn(scope, session, prepared, { overflow, resent, status }) {
      const { model } = prepared.exchange.environment;
      const key = keyOf(scope, session, model);
      const before = kept.get(key) ?? NOTHING;
      const { received, sent } = prepared.tokens;
      if (overflow !== null) {
        const overflowed = Math.min(sent, before.overflowed ?? sent);
        put(key, { ...before, window: overflow.window ?? before.window, overflowed });
        return;
      }
      if (status < 200 || status > 299) return;
      const passed = resent ? received : sent;
      const extracts = before.extracts && !(resent && prepared.extract !== null);
      // What passed is no overflow, whatever was believed: figures are estimates.
      const overflowed = before.overflowed !== null && before.overflowed <= passed ? null : before.overflowed;
      if (extracts !== before.extracts || overflowed !== before.overflowed) put(key, { ...before, extracts, overflowed });
    },
    clear(scope) {
      for (const key of [...kept.keys()]) if (key.startsWith(`${scope} `)) kept.delete(key);
    },
  };
}
