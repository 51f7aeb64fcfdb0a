/**
 * The ledger as the background uses it: the Dexie store behind a recovery ladder.
 *
 * Rungs: open; close and open again, twice; a fresh database under the next name (the broken one is kept and listed, the companion
 * restores the sessions because the store id is new); memory only. Requests go on at every rung. A database of a newer version is
 * never touched: then there is no ledger and every request goes out natively.
 */
import { createMemoryStore } from '@throughline/shared/session/memory-store';
import { type LedgerStore, openDexieStore } from './dexie-store.ts';
import { isBroken, NewerSchemaError } from './faults.ts';

/** Where the database is; kept outside it, in extension storage. */
export interface LedgerPointer {
  readonly generation: number;
  readonly broken: readonly { readonly name: string; readonly at: number }[];
}

export interface LedgerWorld {
  readPointer(): Promise<LedgerPointer | null>;
  writePointer(pointer: LedgerPointer): Promise<void>;
  newId(): string;
  now(): number;
  /** Replaced by tests. */
  open?(name: string, newStoreId: () => string): Promise<LedgerStore>;
}

/** `fresh`: a broken database was set aside. `memory`: nothing survives the browser. `newer`: made by a newer version. */
export type LedgerState = 'ok' | 'fresh' | 'memory' | 'newer';

export interface Ledger {
  readonly state: LedgerState;
  /** Null only in state `newer`. */
  readonly store: LedgerStore | null;
}

const OPENS = 3;

/** The name of the database of that generation. */
export function ledgerName(generation: number): string {
  return `throughline-${generation}`;
}

/** Climbs the ladder; never throws. */
export async function openLedger(world: LedgerWorld): Promise<Ledger> {
  const open = world.open ?? openDexieStore;
  const pointer = (await world.readPointer().catch(() => null)) ?? { generation: 1, broken: [] };
  const first = await attempt(open, world, ledgerName(pointer.generation), OPENS);
  if (first.newer) return { state: 'newer', store: null };
  if (first.store) return { state: pointer.broken.length > 0 ? 'fresh' : 'ok', store: first.store };
  const next: LedgerPointer = {
    generation: pointer.generation + 1,
    broken: [...pointer.broken, { name: ledgerName(pointer.generation), at: world.now() }],
  };
  const second = await attempt(open, world, ledgerName(next.generation), 1);
  if (second.store) {
    await world.writePointer(next).catch(() => {
      // Not remembered: the ladder is climbed again at the next start and ends in the same fresh database.
    });
    return { state: 'fresh', store: second.store };
  }
  return { state: 'memory', store: memoryLedger(world.newId()) };
}

async function attempt(
  open: NonNullable<LedgerWorld['open']>,
  world: LedgerWorld,
  name: string,
  times: number,
): Promise<{ readonly store: LedgerStore | null; readonly newer: boolean }> {
  for (let time = 0; time < times; time += 1) {
    try {
      return { store: await open(name, () => world.newId()), newer: false };
    } catch (error) {
      if (error instanceof NewerSchemaError) return { store: null, newer: true };
      // Any other failure to open is a rung of the ladder.
    }
  }
  return { store: null, newer: false };
}

/** The last rung: everything works, nothing lasts. */
export function memoryLedger(storeId: string): LedgerStore {
  return {
    ...createMemoryStore(),
    storeId,
    level: () => 'full',
    count: async () => 0,
  };
}

/** Opens once, and again (at most a few times a minute) after an operation found the store broken. */
export function createLedgerDoor(world: LedgerWorld): {
  get(): Promise<Ledger>;
  /** Tells the door what an operation threw; true when the ledger was reopened and the operation may be tried once more. */
  failed(error: unknown): Promise<boolean>;
} {
  let current: Promise<Ledger> | null = null;
  let reopened: number[] = [];
  const get = () => {
    current ??= openLedger(world);
    return current;
  };
  return {
    get,
    async failed(error) {
      if (!isBroken(error)) return false;
      reopened = reopened.filter((at) => world.now() - at < 60_000);
      if (reopened.length >= OPENS) return false;
      reopened.push(world.now());
      const old = await get();
      await old.store?.close().catch(() => {
        // It is broken; that it cannot even close changes nothing.
      });
      current = null;
      await get();
      return true;
    },
  };
}
