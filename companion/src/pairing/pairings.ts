/**
 * The paired browsers: client id, extension origin, pairing key and scope, in one private file.
 *
 * A scope outlives its pairing: pairing a known client again renews the key and keeps the scope.
 */
import * as v from 'valibot';
import { Fault } from '../fault.ts';
import { readPrivateFile, writePrivateFile } from '../files.ts';
import { randomHex } from '../hash.ts';

const pairing = v.object({
  client: v.string(),
  origin: v.string(),
  /** Pairing key, 32 bytes, hex. */
  key: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  scope: v.string(),
  createdAt: v.number(),
  /** Id of the extension's store when it was last seen whole; null before the first connection. */
  store: v.nullable(v.string()),
});
const pairingsFile = v.object({ v: v.literal(1), pairings: v.array(pairing) });

export type Pairing = v.InferOutput<typeof pairing>;

const REVOKED = '';

export interface Pairings {
  /** Pairings that work. */
  list(): readonly Pairing[];
  /** Every scope that ever belonged to a pairing. */
  scopes(): readonly string[];
  find(client: string): Pairing | null;
  isPairedOrigin(origin: string): boolean;
  add(entry: { client: string; origin: string; key: string; at: number }): Pairing;
  /** The key stops working; the scope stays for a later pairing of the same client. */
  revoke(client: string): void;
  /** The extension's store `store` now holds everything of this client's scope. */
  sawStore(client: string, store: string): void;
  /** The extensions' stores of this scope lack something: they get all of it when they next connect. */
  lacks(scope: string): void;
}

/** Opens the file; one that cannot be read is refused and left as it is. */
export function openPairings(path: string): Pairings {
  let entries = read(path);
  const save = (next: Pairing[]): void => {
    writePrivateFile(path, `${JSON.stringify({ v: 1, pairings: next }, null, 2)}\n`);
    entries = next;
  };
  const find = (client: string): Pairing | null => entries.find((entry) => entry.client === client) ?? null;
  return {
    list: () => entries.filter((entry) => entry.origin !== REVOKED),
    find: (client) => {
      const entry = find(client);
      return entry === null || entry.origin === REVOKED ? null : entry;
    },
    scopes: () => [...new Set(entries.map((entry) => entry.scope))],
    isPairedOrigin: (origin) => origin !== REVOKED && entries.some((entry) => entry.origin === origin),
    add({ client, origin, key, at }) {
      const known = find(client);
      const entry: Pairing = {
        client,
        origin,
        key,
        scope: known?.scope ?? `scope-${randomHex(8)}`,
        createdAt: at,
        store: known?.store ?? null,
      };
      save([...entries.filter((other) => other.client !== client), entry]);
      return entry;
    },
    revoke: (client) =>
      save(entries.map((entry) => (entry.client === client ? { ...entry, origin: REVOKED, key: randomHex(32) } : entry))),
    sawStore(client, store) {
      if (find(client)?.store === store) return;
      save(entries.map((entry) => (entry.client === client ? { ...entry, store } : entry)));
    },
    lacks(scope) {
      if (!entries.some((entry) => entry.scope === scope && entry.store !== null)) return;
      save(entries.map((entry) => (entry.scope === scope ? { ...entry, store: null } : entry)));
    },
  };
}

function read(path: string): Pairing[] {
  const text = readPrivateFile(path);
  if (text === null) return [];
  try {
    return v.parse(pairingsFile, JSON.parse(text)).pairings;
  } catch {
    throw new Fault(
      'bad-pairings',
      'The file pairings.json in the data directory cannot be read.',
      'Move it away and pair again, or restore it from a backup; it was left as it is.',
    );
  }
}
