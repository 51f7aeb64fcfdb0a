/** The Dexie store obeys the same laws as every other store. */
import { storeLaws } from '@throughline/shared/testing/store.laws';
import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { openDexieStore } from '../../src/ledger/dexie-store.ts';

storeLaws('dexie', async () => {
  const factory = new IDBFactory();
  const use = () => {
    Dexie.dependencies.indexedDB = factory;
    Dexie.dependencies.IDBKeyRange = IDBKeyRange;
  };
  use();
  let store = await openDexieStore('laws', () => 'store-1');
  return {
    store,
    async reopen() {
      await store.close();
      use();
      store = await openDexieStore('laws', () => 'store-2');
      return store;
    },
    dispose: () => store.close(),
  };
});
