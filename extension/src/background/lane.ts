/**
 * One at a time, in order: what reads a session and then writes it must not interleave with another that does the same.
 */
export interface Lane {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** True when what is being done has been going on for longer than `ms`: whoever queues now would wait in vain. */
  stuck(ms: number): boolean;
}

/** `onError` hears of every failure, also those the caller handles. */
export function createLane(onError: (error: unknown) => void = () => undefined, now: () => number = Date.now): Lane {
  let last: Promise<unknown> = Promise.resolve();
  let since: number | null = null;
  return {
    run(work) {
      const mine = last.then(() => {
        since = now();
        return work();
      });
      // The next one runs whatever became of this one; its caller gets the error.
      last = mine.catch(onError).then(() => {
        since = null;
      });
      return mine;
    },
    stuck: (ms) => since !== null && now() - since > ms,
  };
}
