/** Turns that wait for the owner's version of a session. A push ends the wait; so does time, and then the turn is refused. */
const PULL_MILLISECONDS = 3_000;

export interface Pulls {
  /** Resolves when the session was pushed, or when it has been waited for long enough. */
  wait(session: string): Promise<void>;
  pushed(session: string): void;
  closed(): void;
}

export function createPulls(milliseconds = PULL_MILLISECONDS): Pulls {
  const waiting = new Map<string, Set<() => void>>();
  const release = (session: string): void => {
    for (const done of [...(waiting.get(session) ?? [])]) done();
  };
  return {
    wait: (session) =>
      new Promise((resolve) => {
        const all = waiting.get(session) ?? new Set();
        waiting.set(session, all);
        const timer = setTimeout(() => done(), milliseconds);
        const done = (): void => {
          clearTimeout(timer);
          all.delete(done);
          if (all.size === 0) waiting.delete(session);
          resolve();
        };
        all.add(done);
      }),
    pushed: release,
    closed() {
      for (const session of [...waiting.keys()]) release(session);
    },
  };
}
