/** What reached the model, byte for byte. Tests judge these bytes; so does the demo. */

export interface LogEntry {
  readonly n: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Header names in lower case, values as sent. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly wire: string;
  readonly bytes: number;
  /** Filled in as the request goes on. */
  model: string | null;
  kind: 'turn' | 'summary';
  messages: number;
  status: number;
  error: string | null;
  /** Prompt tokens: read from the cache, and at full price. */
  cached: number;
  fresh: number;
  output: number;
  ended: 'open' | 'complete' | 'cut' | 'aborted';
}

export interface RequestLog {
  add(entry: Omit<LogEntry, 'n'>, body: Buffer): LogEntry;
  list(since: number): readonly LogEntry[];
  body(n: number): Buffer | null;
  clear(): void;
}

export function createRequestLog(): RequestLog {
  let next = 1;
  let entries: { entry: LogEntry; body: Buffer }[] = [];
  return {
    add(fields, body) {
      const entry = { ...fields, n: next };
      next += 1;
      entries.push({ entry, body });
      return entry;
    },
    list: (since) => entries.map(({ entry }) => entry).filter(({ n }) => n > since),
    body: (n) => entries.find(({ entry }) => entry.n === n)?.body ?? null,
    clear() {
      entries = [];
    },
  };
}
