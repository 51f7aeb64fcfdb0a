/** What `/api/stats` and `inspect` count since the start: numbers only. */
const NAMES = ['turns', 'refused', 'failed', 'aborted', 'pulled', 'resynced', 'folds', 'foldsFailed'] as const;
type CounterName = (typeof NAMES)[number];

export interface Counters {
  count(name: CounterName): void;
  read(): Readonly<Record<CounterName, number>>;
}

export function createCounters(): Counters {
  const counts = Object.fromEntries(NAMES.map((name) => [name, 0])) as Record<CounterName, number>;
  return {
    count(name) {
      counts[name] += 1;
    },
    read: () => ({ ...counts }),
  };
}
