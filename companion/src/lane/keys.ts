/**
 * The keys of the http lane: one per client, by name, each with its scope, in one private file that the command line writes and a
 * running companion reads again when it has changed.
 *
 * A scope outlives its key: making a revoked name again, or turning its key, keeps its conversations.
 */
import { statSync } from 'node:fs';
import * as v from 'valibot';
import { Fault } from '../fault.ts';
import { readPrivateFile, writePrivateFile } from '../files.ts';
import { randomHex, sameSecret } from '../hash.ts';

const laneKey = v.object({
  name: v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/)),
  /** 128 random bits, hex; null when revoked. */
  key: v.nullable(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))),
  scope: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  /** The one page origin that may use the key, or null: requests with an `Origin` are refused. */
  origin: v.nullable(v.string()),
  /** It shares a browser's scope. */
  paired: v.boolean(),
  createdAt: v.number(),
});
const lanesFile = v.object({ v: v.literal(1), lanes: v.array(laneKey) });
export type LaneKey = v.InferOutput<typeof laneKey>;

/** True for a name a key may have. */
export const isLaneName = (name: string): boolean => v.is(laneKey.entries.name, name);

export interface LaneKeys {
  /** Every key, also the revoked ones. */
  list(): readonly LaneKey[];
  /** The key in force that is this text, or null. */
  find(key: string): LaneKey | null;
  named(name: string): LaneKey | null;
  /** Makes the entry, or replaces the one of its name; gives it a fresh key. */
  issue(entry: { name: string; scope: string | null; origin: string | null; paired: boolean; at: number }): LaneKey;
  /** The key stops working at once; its conversations stay. */
  revoke(name: string): void;
}

/** Opens the file; one that cannot be read is refused and left as it is. One that turns unreadable later lets nobody in. */
export function openLaneKeys(path: string): LaneKeys {
  let stamp = stampOf(path);
  let entries = read(path);
  const fresh = (): readonly LaneKey[] => {
    const now = stampOf(path);
    if (now === stamp) return entries;
    stamp = now;
    try {
      entries = read(path);
    } catch {
      entries = [];
    }
    return entries;
  };
  const save = (next: readonly LaneKey[]): void => {
    writePrivateFile(path, `${JSON.stringify({ v: 1, lanes: next }, null, 2)}\n`);
    stamp = 'written';
  };
  const named = (name: string): LaneKey | null => fresh().find((entry) => entry.name === name) ?? null;
  return {
    list: fresh,
    find: (key) => fresh().find((entry) => entry.key !== null && sameSecret(entry.key, key)) ?? null,
    named,
    issue({ name, scope, origin, paired, at }) {
      const entry = {
        ...{ name, origin, paired },
        key: randomHex(16),
        scope: scope ?? named(name)?.scope ?? `lane-${randomHex(8)}`,
        createdAt: at,
      };
      save([...fresh().filter((other) => other.name !== name), entry]);
      return entry;
    },
    revoke: (name) => save(fresh().map((entry) => (entry.name === name ? { ...entry, key: null } : entry))),
  };
}

/** Changes whenever the file does: it is replaced, never rewritten. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.ino} ${found.mtimeMs} ${found.size}`;
}

function read(path: string): readonly LaneKey[] {
  const text = readPrivateFile(path);
  if (text === null) return [];
  try {
    return v.parse(lanesFile, JSON.parse(text)).lanes;
  } catch {
    throw new Fault(
      'bad-lanes',
      'The file lanes.json in the data directory cannot be read.',
      'Move it away and make the keys again, or restore it from a backup; it was left as it is.',
    );
  }
}
