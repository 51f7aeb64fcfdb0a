/** A made-up browser, as far as sites, settings and permissions need one. Import it before anything that imports platform.ts. */

export interface FakeBrowser {
  readonly local: Map<string, unknown>;
  readonly session: Map<string, unknown>;
  readonly granted: Set<string>;
  readonly scripts: Map<string, { readonly id: string }>;
  readonly written: string[];
}

function area(kept: Map<string, unknown>, written: string[]) {
  return {
    get: async (keys: string | readonly string[] | null) => {
      const wanted = keys === null ? [...kept.keys()] : [keys].flat();
      return Object.fromEntries(wanted.filter((key) => kept.has(key)).map((key) => [key, structuredClone(kept.get(key))]));
    },
    set: async (items: Record<string, unknown>) => {
      for (const [key, value] of Object.entries(items)) {
        written.push(key);
        kept.set(key, structuredClone(value));
      }
    },
    remove: async (keys: string | readonly string[]) => {
      for (const key of [keys].flat()) kept.delete(key);
    },
  };
}

/** Puts it in the place of the browser's own. */
export function installBrowser(): FakeBrowser {
  const written: string[] = [];
  const fake: FakeBrowser = { local: new Map(), session: new Map(), granted: new Set(), scripts: new Map(), written };
  const contains = async ({ origins }: { origins: readonly string[] }) => origins.every((origin) => fake.granted.has(origin));
  (globalThis as { browser?: unknown }).browser = {
    runtime: { id: 'abc' },
    storage: { local: area(fake.local, written), session: area(fake.session, written) },
    permissions: { contains, remove: async () => true },
    scripting: {
      getRegisteredContentScripts: async (filter?: { ids: readonly string[] }) =>
        [...fake.scripts.values()].filter(({ id }) => filter?.ids.includes(id) ?? true),
      registerContentScripts: async (scripts: readonly { id: string }[]) => {
        for (const script of scripts) {
          if (fake.scripts.has(script.id)) throw new Error(`Duplicate script ID '${script.id}'`);
          fake.scripts.set(script.id, script);
        }
      },
      updateContentScripts: async () => undefined,
      unregisterContentScripts: async ({ ids }: { ids: readonly string[] }) =>
        ids.forEach((id) => void fake.scripts.delete(id)),
      executeScript: async () => [],
    },
    tabs: { query: async () => [], sendMessage: async () => undefined },
    action: {
      setBadgeText: async () => undefined,
      setBadgeBackgroundColor: async () => undefined,
      setTitle: async () => undefined,
    },
    i18n: { getMessage: () => '' },
  };
  return fake;
}
