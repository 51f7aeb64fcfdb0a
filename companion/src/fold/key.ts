/**
 * The last request of a session with its key, kept in memory only while a fold may need it: until that fold has ended, and never
 * longer than two minutes in total. Nothing here is written anywhere.
 */
import type { FoldContext } from './folder.ts';

/** From the end of the answer to the end of the fold. */
const KEY_MILLISECONDS = 120_000;

export interface HeldKey {
  readonly context: FoldContext;
  /** Milliseconds that are left of the two minutes. */
  left(): number;
  release(): void;
}

/** Holds it; `released` is called once, when the time is over or it was let go. */
export function holdKey(context: FoldContext, now: () => number, released: () => void): HeldKey {
  const until = now() + KEY_MILLISECONDS;
  let over = false;
  const release = (): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    released();
  };
  const timer = setTimeout(release, KEY_MILLISECONDS);
  timer.unref();
  return { context, left: () => Math.max(0, until - now()), release };
}
