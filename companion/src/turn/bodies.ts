/**
 * Previous request bodies, in memory only, so that the next upload is just its new tail. Bounded by bytes, oldest use out first;
 * a miss costs one full upload, never a wrong body (every rebuilt body is checked against its digest).
 */
export interface Bodies {
  get(scope: string, digest: string): Uint8Array | null;
  put(scope: string, digest: string, body: Uint8Array): void;
  /** Forgets everything of the scope (a tombstone passed). */
  clear(scope: string): void;
}

export function createBodies(limit = 128 * 1024 * 1024): Bodies {
  const kept = new Map<string, Uint8Array>();
  let total = 0;
  const drop = (key: string): void => {
    total -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  };
  return {
    get(scope, digest) {
      const key = `${scope} ${digest}`;
      const body = kept.get(key);
      if (body === undefined) return null;
      kept.delete(key);
      kept.set(key, body);
      return body;
    },
    put(scope, digest, body) {
      const key = `${scope} ${digest}`;
      drop(key);
      if (body.length > limit) return;
      kept.set(key, body);
      total += body.length;
      for (const oldest of kept.keys()) {
        if (total <= limit) break;
        drop(oldest);
      }
    },
    clear(scope) {
      for (const key of [...kept.keys()]) if (key.startsWith(`${scope} `)) drop(key);
    },
  };
}
