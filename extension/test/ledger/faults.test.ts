/** A full disk loses originals before blocks and never identity; a broken store is set aside, never destroyed. */
import type { SessionId } from '@throughline/shared/base/brand';
import { drive, sha256 } from '@throughline/shared/base/digest';
import { chainsOf } from '@throughline/shared/chain/chain';
import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialogue, exchange } from '../../../shared/test/arbitrary/exchange.ts';
import { blockOf, commitOf, recordOf, rowOf, SCOPE } from '../../../shared/test/arbitrary/records.ts';
import { LedgerDatabase } from '../../src/ledger/db.ts';
import { openDexieStore } from '../../src/ledger/dexie-store.ts';
import { isBroken, isQuota } from '../../src/ledger/faults.ts';
import { createLedgerDoor, type LedgerPointer, type LedgerWorld, ledgerName, openLedger } from '../../src/ledger/ledger.ts';

const chains = drive(chainsOf(exchange(dialogue('a question of some length', 'an answer', 'another question'))), sha256);
const id = 's1' as SessionId;

beforeEach(() => {
  Dexie.dependencies.indexedDB = new IDBFactory();
  Dexie.dependencies.IDBKeyRange = IDBKeyRange;
});

const put = IDBObjectStore.prototype.put;
const add = IDBObjectStore.prototype.add;
afterEach(() => {
  IDBObjectStore.prototype.put = put;
  IDBObjectStore.prototype.add = add;
});

/** From now on writes that `refuses` fail as on a full disk. */
function fillDisk(refuses: (store: string, value: Record<string, unknown>) => boolean): void {
  for (const [name, original] of [
    ['put', put],
    ['add', add],
  ] as const) {
    IDBObjectStore.prototype[name] = function write(this: IDBObjectStore, value: Record<string, unknown>, key?: IDBValidKey) {
      if (refuses(this.name, value)) throw new DOMException('no room', 'QuotaExceededError');
      return original.call(this, value, key);
    } as typeof put;
  }
}

const turn = (rev: number, kind: 'turn' | 'fold' = 'turn') =>
  commitOf(recordOf('s1', chains, { rev }), chains, {
    rows: [rowOf(rev, `{"role":"user","content":"original ${rev}"}`)],
    blocks: [blockOf(rev)],
    event: { at: rev, rev, kind, data: {} },
  });

describe('a full disk', () => {
  it('loses the originals first and keeps refs, blocks and identity', async () => {
    const store = await openDexieStore('full', () => 'one');
    fillDisk((name, value) => name === 'rows' && value.raw !== '');
    expect(await store.commit(turn(1))).toBe('committed');
    expect(store.level()).toBe('no-originals');
    expect((await store.rows(SCOPE, id)).map((row) => [row.seq, row.raw, row.cores.length > 0])).toEqual([[1, '', true]]);
    expect(await store.blocks(SCOPE, id)).toHaveLength(1);
    expect(await store.heads(SCOPE, 2, chains[2].links)).toHaveLength(1);
  });

  it('then loses blocks, and still never identity', async () => {
    const store = await openDexieStore('full', () => 'one');
    fillDisk((name, value) => name === 'blocks' || (name === 'rows' && value.raw !== ''));
    expect(await store.commit(turn(1))).toBe('committed');
    expect(store.level()).toBe('no-blocks');
    expect(await store.blocks(SCOPE, id)).toEqual([]);
    expect(await store.heads(SCOPE, 3, chains[3].links)).toHaveLength(1);
    expect((await store.deepest(SCOPE, 2, chains[2].links)).depth).toBe(3);
  });

  it('refuses a fold that it cannot store whole, and nothing of it stays', async () => {
    const store = await openDexieStore('full', () => 'one');
    await store.commit(turn(1));
    const before = await store.snapshot(SCOPE, id);
    fillDisk((name) => name === 'blocks');
    await expect(store.commit(turn(2, 'fold'))).rejects.toSatisfy(isQuota);
    expect(await store.snapshot(SCOPE, id)).toEqual(before);
  });

  it('stores everything again as soon as there is room', async () => {
    const store = await openDexieStore('full', () => 'one');
    fillDisk((name, value) => name === 'rows' && value.raw !== '');
    await store.commit(turn(1));
    fillDisk(() => false);
    expect(await store.commit(turn(2))).toBe('committed');
    expect(store.level()).toBe('full');
    expect((await store.rows(SCOPE, id)).map((row) => row.raw !== '')).toEqual([false, true]);
  });

  it('leaves either all or nothing of a commit, whichever write fails', async () => {
    for (let failing = 1; ; failing += 1) {
      Dexie.dependencies.indexedDB = new IDBFactory();
      const store = await openDexieStore('nth', () => 'one');
      await store.commit(turn(1));
      const before = await store.snapshot(SCOPE, id);
      let writes = 0;
      fillDisk(() => {
        writes += 1;
        return writes >= failing;
      });
      const result = await store.commit(turn(2)).catch(() => 'refused');
      fillDisk(() => false);
      const after = await store.snapshot(SCOPE, id);
      if (result === 'refused') expect(after).toEqual(before);
      else expect(after?.record.rev).toBe(2);
      if (writes < failing) break;
      expect(failing).toBeLessThan(200);
    }
  });
});

describe('the recovery ladder', () => {
  const world = (over: Partial<LedgerWorld> = {}): LedgerWorld & { pointer: LedgerPointer | null } => {
    let ids = 0;
    const made: LedgerWorld & { pointer: LedgerPointer | null } = {
      pointer: null,
      readPointer: async () => made.pointer,
      writePointer: async (pointer: LedgerPointer) => {
        made.pointer = pointer;
      },
      newId: () => {
        ids += 1;
        return `store-${ids}`;
      },
      now: () => 1_000,
      ...over,
    };
    return made;
  };
  const failing = (bad: (name: string, opens: number) => boolean) => {
    let opens = 0;
    return (name: string, newStoreId: () => string) => {
      opens += 1;
      return bad(name, opens) ? Promise.reject(new DOMException('broken', 'UnknownError')) : openDexieStore(name, newStoreId);
    };
  };

  it('opens again before it gives anything up', async () => {
    const at = world({ open: failing((_, opens) => opens < 3) });
    expect((await openLedger(at)).state).toBe('ok');
    expect(at.pointer).toBeNull();
  });

  it('sets a broken database aside under its name and starts a fresh one with a new id', async () => {
    const first = world();
    const old = await openLedger(first);
    const at = world({ open: failing((name) => name === ledgerName(1)), newId: () => 'another' });
    const fresh = await openLedger(at);
    expect(fresh.state).toBe('fresh');
    expect(fresh.store?.storeId).not.toBe(old.store?.storeId);
    expect(at.pointer).toEqual({ generation: 2, broken: [{ name: ledgerName(1), at: 1_000 }] });
    expect((await openLedger(at)).state).toBe('fresh');
    await old.store?.close();
    const kept = await openDexieStore(ledgerName(1), () => 'never');
    expect(kept.storeId).toBe(old.store?.storeId);
  });

  it('runs in memory when nothing can be opened', async () => {
    const ledger = await openLedger(world({ open: failing(() => true) }));
    expect(ledger.state).toBe('memory');
    expect(await ledger.store?.commit(turn(1))).toBe('committed');
  });

  it('never writes into a database of a newer version', async () => {
    const newer = new LedgerDatabase(ledgerName(1));
    newer.version(99).stores({ later: 'id' });
    await newer.open();
    newer.close();
    expect(await openLedger(world())).toEqual({ state: 'newer', store: null });
    const again = new Dexie(ledgerName(1));
    await again.open();
    expect(again.tables.map((table) => table.name)).toContain('later');
  });

  it('keeps its id over reopening', async () => {
    const at = world();
    const first = await openLedger(at);
    await first.store?.close();
    expect((await openLedger(at)).store?.storeId).toBe(first.store?.storeId);
  });

  it('reopens after a broken operation, and stops trying when that does not help', async () => {
    const door = createLedgerDoor(world());
    const first = (await door.get()).store;
    const broken = new DOMException('gone', 'InvalidStateError');
    expect(isBroken(broken)).toBe(true);
    expect(await door.failed(new Error('ours'))).toBe(false);
    expect(await door.failed(broken)).toBe(true);
    expect((await door.get()).store).not.toBe(first);
    await door.failed(broken);
    await door.failed(broken);
    expect(await door.failed(broken)).toBe(false);
  });
});
