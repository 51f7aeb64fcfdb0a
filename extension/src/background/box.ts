/**
 * A typed corner of extension storage: one key, one value. The background may be killed at any await, so what must last is here or
 * in the ledger and never only in a variable.
 */
export interface Box<T> {
  get(): Promise<T | null>;
  set(value: T): Promise<void>;
  clear(): Promise<void>;
}

/** The part of `chrome.storage.local` that is used. */
export interface Area {
  get(key: string): Promise<Record<string, unknown>>;
  set(items: Record<string, unknown>): Promise<void>;
  remove(key: string): Promise<void>;
}

/** A box under `key`; what is stored there is only ever written through it. */
export function box<T>(area: Area, key: string): Box<T> {
  return {
    async get() {
      return ((await area.get(key))[key] as T | undefined) ?? null;
    },
    set: (value) => area.set({ [key]: value }),
    clear: () => area.remove(key),
  };
}
