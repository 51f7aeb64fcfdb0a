/**
 * What popups ask about the recent past and what must survive the background being killed, but not the browser: why the last request
 * of a tab was not taken, which upstreams wait for the person's word, which dispatched requests nobody settled.
 */

import type { SessionId } from '@throughline/shared/base/brand';
import { type Area, box } from './box.ts';
import { parseUrl } from './url.ts';

interface Bypass {
  readonly at: number;
  readonly code: string;
  /** Without query and fragment: they may hold a key. */
  readonly url: string;
}

interface Remembered {
  readonly bypasses: Readonly<Record<string, Bypass>>;
  readonly asks: Readonly<Record<string, readonly string[]>>;
  readonly dispatches: Readonly<Record<string, SessionId>>;
  /** The session a tab used last. */
  readonly tabs: Readonly<Record<string, SessionId>>;
}

const EMPTY: Remembered = { bypasses: {}, asks: {}, dispatches: {}, tabs: {} };
const MAX_KEPT = 200;

export interface Recall {
  read(): Promise<Remembered>;
  bypassed(site: string, tab: number | null, bypass: Bypass): void;
  asked(site: string, origin: string): void;
  answered(site: string, origin: string): void;
  dispatched(key: string, session: SessionId): void;
  settled(key: string): void;
  /** The session of a dispatched request that no background settled; forgets it. */
  orphan(key: string): Promise<SessionId | null>;
  used(tab: number | null, session: SessionId): void;
}

const newest = <T>(entries: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).slice(-MAX_KEPT));

function without<T>(entries: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => name !== key));
}

/** A URL as it may be shown and kept. */
export function shownUrl(url: string): string {
  const parsed = parseUrl(url);
  return parsed ? parsed.origin + parsed.pathname : '';
}

/** Kept in memory and mirrored to session storage in the background: nobody waits for the mirror. */
export function createRecall(area: Area): Recall {
  const kept = box<Remembered>(area, 'recall');
  const loading = kept.get().then(
    (stored) => ({ ...EMPTY, ...stored }),
    () => EMPTY,
  );
  let last: Promise<Remembered> = loading;
  const edit = (change: (old: Remembered) => Partial<Remembered>) => {
    last = last.then(async (old) => {
      const next = { ...old, ...change(old) };
      await kept.set(next).catch(() => {
        // Session storage is full or gone: the memory copy serves until the background sleeps.
      });
      return next;
    });
  };
  return {
    read: () => last,
    bypassed(site, tab, bypass) {
      const entry = { ...bypass, url: shownUrl(bypass.url) };
      // Not a request, but that some may go unseen: it hides no reason of a real one.
      if (bypass.code === 'worker') {
        edit(({ bypasses }) => ({ bypasses: newest({ ...bypasses, [`worker ${site}`]: entry }) }));
        return;
      }
      edit(({ bypasses }) => ({
        bypasses: newest({ ...bypasses, [`site ${site}`]: entry, ...(tab === null ? {} : { [`tab ${tab}`]: entry }) }),
      }));
    },
    asked: (site, origin) =>
      edit(({ asks }) => {
        const known = asks[site] ?? [];
        return known.includes(origin) ? {} : { asks: newest({ ...asks, [site]: [...known, origin].slice(-8) }) };
      }),
    answered: (site, origin) =>
      edit(({ asks }) => ({ asks: { ...asks, [site]: (asks[site] ?? []).filter((other) => other !== origin) } })),
    dispatched: (key, session) => edit(({ dispatches }) => ({ dispatches: newest({ ...dispatches, [key]: session }) })),
    settled: (key) => edit(({ dispatches }) => (key in dispatches ? { dispatches: without(dispatches, key) } : {})),
    orphan: (key) =>
      new Promise((resolve) => {
        // Inside the queue of changes, so that two reports of one request find it once.
        edit(({ dispatches }) => {
          resolve(dispatches[key] ?? null);
          return key in dispatches ? { dispatches: without(dispatches, key) } : {};
        });
      }),
    used(tab, session) {
      if (tab !== null) edit(({ tabs }) => ({ tabs: newest({ ...tabs, [`tab ${tab}`]: session }) }));
    },
  };
}
