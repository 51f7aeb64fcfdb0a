/**
 * Taking conversations out: JSON that holds everything (and can be taken in again), Markdown for reading. All or nothing.
 */
import { sha256 } from '@throughline/shared/base/digest';
import { jsonPieces, MARKDOWN_RULE, markdownOf, type PortableSession } from '@throughline/shared/session/portable';
import { asSession, type Held } from './context.ts';

/** More than a store keeps of one session. */
const ALL_EVENTS = 10_000;

/** Null when the asked session is unknown. `session` null: everything. */
export async function exportSessions(
  { store, scope }: Held,
  session: string | null,
  format: 'json' | 'markdown',
  now: number,
): Promise<{ readonly name: string; readonly text: string } | null> {
  const ids = session === null ? (await store.list({ scope })).map((record) => record.session) : [asSession(session)];
  const sessions: PortableSession[] = [];
  for (const id of ids) {
    const snapshot = await store.snapshot(scope, id);
    if (!snapshot) {
      if (session !== null) return null;
      continue;
    }
    sessions.push({ ...snapshot, events: await store.events(scope, id, ALL_EVENTS) });
  }
  const day = new Date(now).toISOString().slice(0, 10);
  const name = `throughline-${session === null ? 'all' : session.replace(/[^\w.-]/g, '_')}-${day}`;
  if (format === 'markdown') {
    return { name: `${name}.md`, text: sessions.map((one) => markdownOf(one, sha256)).join(MARKDOWN_RULE) };
  }
  const tombstones = session === null ? await store.tombstones(scope) : [];
  return { name: `${name}.json`, text: [...jsonPieces(sessions, tombstones, now)].join('') };
}
