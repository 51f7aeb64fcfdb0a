/**
 * Conversations on their way out: JSON that holds everything and can be taken in again, Markdown for reading.
 *
 * Version 1. Both sides write the same bytes for the same sessions. A reader refuses a version it does not know.
 */
import type { Sha256 } from '#base/digest';
import { hiddenBy } from '#fold/unfold';
import type { SessionEvent, SessionSnapshot, Tombstone } from './records.ts';
import { textOfRow } from './words.ts';

export const PORTABLE_FORMAT = 'throughline-export';
export const PORTABLE_VERSION = 1;

/** One whole session. */
export interface PortableSession extends SessionSnapshot {
  readonly events: readonly SessionEvent[];
}

/** Whole sessions with their events, and what was forgotten. */
export interface ExportFile {
  readonly format: typeof PORTABLE_FORMAT;
  readonly version: typeof PORTABLE_VERSION;
  readonly exportedAt: number;
  readonly sessions: readonly PortableSession[];
  readonly tombstones: readonly Tombstone[];
}

const deeper = (json: string): string => json.replaceAll('\n', '\n  ');

/** A list as `JSON.stringify(…, null, 1)` would write it one level down. */
function* list(values: Iterable<unknown>): Generator<string> {
  let empty = true;
  for (const value of values) {
    yield `${empty ? '[' : ','}\n  ${deeper(JSON.stringify(value, null, 1))}`;
    empty = false;
  }
  yield empty ? '[]' : '\n ]';
}

/** The file as text, piece by piece: joined they are `JSON.stringify(file, null, 1)`. */
export function* jsonPieces(
  sessions: Iterable<PortableSession>,
  tombstones: Iterable<Tombstone>,
  exportedAt: number,
): Generator<string> {
  yield `{\n "format": "${PORTABLE_FORMAT}",\n "version": ${PORTABLE_VERSION},\n "exportedAt": ${exportedAt},\n "sessions": `;
  yield* list(sessions);
  yield ',\n "tombstones": ';
  yield* list(tombstones);
  yield '\n}';
}

/** A session for reading. */
export function markdownOf({ record, rows, blocks }: SessionSnapshot, hash: Sha256): string {
  const hidden = hiddenBy(blocks);
  const parts = [
    `# ${record.title.replace(/\s+/g, ' ')}`,
    `Session ${record.session} · ${record.model ?? 'unknown model'} · ${new Date(record.usedAt).toISOString()}`,
  ];
  for (const block of blocks) parts.push(`## ${block.blockId} · tier ${block.tier} · ${block.topic}`, block.summary);
  for (const row of rows) {
    const under = hidden.get(row.seq);
    parts.push(`### ${row.seq + 1}. ${row.role}${under ? ` (folded into ${under})` : ''}`, textOfRow(row, hash));
  }
  return `${parts.join('\n\n')}\n`;
}

/** Between two sessions in one Markdown text. */
export const MARKDOWN_RULE = '\n---\n\n';
