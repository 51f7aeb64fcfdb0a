import { createMemoryStore } from '#session/memory-store';
import { storeLaws } from '../laws/store.laws.ts';

storeLaws('memory', async () => {
  const store = createMemoryStore();
  return { store, reopen: async () => store, dispose: () => store.close() };
});
