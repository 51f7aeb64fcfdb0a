/**
 * The last body of each recently used session, in memory only: the base of the next upload's delta. A miss costs a longer upload.
 */
import type { Digest, SessionId } from '@throughline/shared/base/brand';

interface LastBody {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

export interface Bodies {
  get(session: SessionId): LastBody | null;
  put(session: SessionId, body: LastBody): void;
  drop(session: SessionId | null): void;
}

/** Least recently used first out, counted in bytes. */
export function createBodies(limit = 32 * 1024 * 1024): Bodies {
  const kept = new Map<SessionId, LastBody>();
  let size = 0;
  const drop = (session: SessionId) => {
    size -= kept.get(session)?.bytes.length ?? 0;
    kept.delete(session);
  };
  return {
    get(session) {
      const body = kept.get(session);
      if (!body) return null;
      kept.delete(session);
      kept.set(session, body);
      return body;
    },
    put(session, body) {
      drop(session);
      if (body.bytes.length > limit) return;
      kept.set(session, body);
      size += body.bytes.length;
      for (const oldest of kept.keys()) {
        if (size <= limit) break;
        drop(oldest);
      }
    },
    drop(session) {
      if (session !== null) drop(session);
      else {
        kept.clear();
        size = 0;
      }
    },
  };
}
