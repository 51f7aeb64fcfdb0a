/**
 * One at a time, in order: what reads a session and then writes it must not interleave with another that does the same.
 */
export interface Lane {
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** `onError` hears of every failure, also those the caller handles. */
export function createLane(onError: (error: unknown) => void = () => undefined): Lane {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const mine = last.then(work);
      // The next one runs whatever became of this one; its caller gets the error.
      last = mine.catch(onError);
      return mine;
    },
  };
}
