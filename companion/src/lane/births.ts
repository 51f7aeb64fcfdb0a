/**
 * Who a conversation of the lane comes from, as its client says: by registration before its birth, or in a header at it.
 *
 * Announcements are in memory and bounded: they give a newborn session its lineage, which never matches anything, so a lost word costs a
 * line in a picture. The names of conversations are stored with them.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Resolution } from '@throughline/shared/chain/resolution';
import type { SessionStore } from '@throughline/shared/session/store';
import * as v from 'valibot';

const id = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200));
const path = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(1024));
export const registration = v.object({ conversation: id, parent: path });
type Registration = v.InferOutput<typeof registration>;

const LIMIT = 4096;

export interface Births {
  /** A child is announced. */
  register(scope: ScopeId, entry: Registration): void;
  /** This session goes by this client id (`<field>=<id>`). */
  seen(scope: ScopeId, conversation: string, session: SessionId): void;
  /** The resolution with the lineage that the client told of, when it is a birth that has none of its own. */
  told(
    scope: ScopeId,
    resolution: Resolution,
    who: { readonly conversation: string | null; readonly parent: string | null },
    store: Pick<SessionStore, 'load' | 'list'>,
  ): Promise<Resolution>;
}

export function createBirths(): Births {
  const parents = new Map<string, string>();
  const sessions = new Map<string, SessionId>();
  const keyOf = (scope: string, name: string): string => JSON.stringify([scope, name]);
  const put = <T>(map: Map<string, T>, key: string, value: T): void => {
    map.delete(key);
    map.set(key, value);
    const oldest = map.keys().next();
    if (map.size > LIMIT && !oldest.done) map.delete(oldest.value);
  };
  const idOf = (conversation: string): string => conversation.slice(conversation.indexOf('=') + 1);
  /** The session of this id, or of this client id, when it is stored. */
  const find = async (scope: ScopeId, named: string, store: Pick<SessionStore, 'load' | 'list'>): Promise<SessionId | null> => {
    const seen = sessions.get(keyOf(scope, named)) ?? (named as SessionId);
    const known = await store.load(scope, seen);
    if (known !== null) return known.session;
    const all = await store.list({ scope });
    return all.find(({ conversation }) => conversation !== null && idOf(conversation) === named)?.session ?? null;
  };
  return {
    register: (scope, { conversation, parent }) => put(parents, keyOf(scope, conversation), parent),
    seen: (scope, conversation, session) => put(sessions, keyOf(scope, idOf(conversation)), session),
    async told(scope, resolution, { conversation, parent }, store) {
      if (resolution.via !== 'new' || resolution.lineage !== null) return resolution;
      const named = parent ?? (conversation === null ? undefined : parents.get(keyOf(scope, idOf(conversation))));
      if (named === undefined) return resolution;
      let known: SessionId | null = null;
      for (const name of namesIn(named)) known ??= await find(scope, name, store);
      if (known === null || known === resolution.session) return resolution;
      return { ...resolution, lineage: { kind: 'derived', parents: [known], shared: 0 } };
    },
  };
}

/** The id, or what may be one in the path of a session file: its name, and what stands behind a time in it. */
function namesIn(named: string): readonly string[] {
  const file = /[^/\\]*$/.exec(named)?.[0] ?? '';
  if (file === named) return [named];
  const name = file.replace(/\.[a-z0-9]+$/i, '');
  return [...new Set([name, name.slice(name.lastIndexOf('_') + 1)])].filter((one) => one !== '');
}
