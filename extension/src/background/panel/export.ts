/**
 * Taking conversations out: JSON that holds everything (and can be taken in again), Markdown for reading. All or nothing.
 */
import type { SessionEvent, SessionSnapshot, Tombstone } from '@throughline/shared/session/records';
import { asSession, type Held } from './context.ts';
import { hiddenBy } from './lines.ts';
import { textOfRow } from './words.ts';

/** More than a store keeps of one session. */
const ALL_EVENTS = 10_000;

/** Version 1 of the exchange format: whole sessions with their events, and what was forgotten. */
export interface ExportFile {
  readonly format: 'throughline-export';
  readonly version: 1;
  readonly exportedAt: number;
  readonly sessions: readonly (SessionSnapshot & { readonly events: readonly SessionEvent[] })[];
  readonly tombstones: readonly Tombstone[];
}

/** Null when the asked session is unknown. `session` null: everything. */
export async function exportSessions(
  { store, scope }: Held,
  session: string | null,
  format: 'json' | 'markdown',
  now: number,
): Promise<{ readonly name: string; readonly text: string } | null> {
  const ids = session === null ? (await store.list({ scope })).map((record) => record.session) : [asSession(session)];
  const sessions: (SessionSnapshot & { events: readonly SessionEvent[] })[] = [];
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
  if (format === 'markdown') return { name: `${name}.md`, text: sessions.map(markdownOf).join('\n---\n\n') };
  const file: ExportFile = {
    format: 'throughline-export',
    version: 1,
    exportedAt: now,
    sessions,
    tombstones: session === null ? await store.tombstones(scope) : [],
  };
  return { name: `${name}.json`, text: JSON.stringify(file, null, 1) };
}

function markdownOf({ record, rows, blocks }: SessionSnapshot): string {
  const hidden = hiddenBy(blocks);
  const parts = [
    `# ${record.title.replace(/\s+/g, ' ')}`,
    `Session ${record.session} · ${record.model ?? 'unknown model'} · ${new Date(record.usedAt).toISOString()}`,
  ];
  for (const block of blocks) parts.push(`## ${block.blockId} · tier ${block.tier} · ${block.topic}`, block.summary);
  for (const row of rows) {
    const under = hidden.get(row.seq);
    parts.push(`### ${row.seq + 1}. ${row.role}${under ? ` (folded into ${under})` : ''}`, textOfRow(row));
  }
  return `${parts.join('\n\n')}\n`;
}
