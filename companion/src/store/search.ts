/**
 * Search over messages and summaries: what was found, with its title, its place and a piece of the text around the words.
 */
import type { BlockId, ScopeId, SessionId } from '@throughline/shared/base/brand';
import { phrasesOf, plainForm } from '@throughline/shared/fold/terms';
import type { SessionRecord } from '@throughline/shared/session/records';
import type { SessionStore } from '@throughline/shared/session/store';
import { textOfRow } from '@throughline/shared/session/words';
import { nodeSha256 } from '../hash.ts';
import { type Found, textOfBlock, type Within } from './search-index.ts';
import { scan } from './search-scan.ts';
import type { SqliteStore } from './sqlite.ts';

/** Generations of parents that are searched with a session. */
const MAX_GENERATIONS = 8;
const BEFORE = 40;
const SNIPPET = 160;

export interface Hit {
  readonly session: SessionId;
  readonly title: string;
  readonly site: string | null;
  readonly usedAt: number;
  readonly kind: Found['kind'];
  /** The block, or the first ref of the message. */
  readonly at: string;
  readonly seq: number | null;
  readonly role: string | null;
  readonly snippet: string;
  readonly score: number;
}

export interface Question {
  readonly words: string;
  readonly scopes: readonly string[];
  /** Only this session and those it came from. */
  readonly of: SessionRecord | null;
  readonly limit: number;
}

/** The session and its parents, nearest first; a cycle or a missing parent ends there. */
async function familyOf(store: SessionStore, record: SessionRecord): Promise<readonly string[]> {
  const known = new Set<SessionId>([record.session]);
  let generation: readonly SessionId[] = record.lineage?.parents ?? [];
  for (let depth = 0; depth < MAX_GENERATIONS && generation.length > 0; depth += 1) {
    const found = await Promise.all(
      generation.filter((one) => !known.has(one)).map((one) => store.load(record.scope as ScopeId, one)),
    );
    for (const one of generation) known.add(one);
    generation = found.flatMap((one) => one?.lineage?.parents ?? []);
  }
  return [...known];
}

/** The text around the first word that is found in it, on one line. */
function snippetOf(text: string, words: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const plain = plainForm(flat);
  const places = phrasesOf(words)
    .map(({ terms, open }) => plain.indexOf(open || terms.length < 2 ? (terms[0] ?? '') : joined(terms)))
    .filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - BEFORE);
  const cut = [...flat.slice(start)]
    .slice(0, SNIPPET)
    .join('')
    .replace(/\p{Surrogate}/gu, '');
  return `${start > 0 ? '…' : ''}${cut}${start + cut.length < flat.length ? '…' : ''}`;
}

/** The characters that a phrase of overlapping pairs stands for. */
function joined(pairs: readonly string[]): string {
  return pairs.map((pair, i) => (i === 0 ? pair : [...pair].slice(1).join(''))).join('');
}

async function hitOf(store: SessionStore, { scope, session, kind, number, score }: Found, words: string): Promise<Hit | null> {
  const record = await store.load(scope, session);
  if (record === null) return null;
  const { title, site, usedAt } = record;
  const of = { session, title, site, usedAt, kind, score };
  if (kind === 'block') {
    const blockId = `b${number}` as BlockId;
    const block = (await store.blocks(scope, session)).find((one) => one.blockId === blockId);
    if (block === undefined) return null;
    return { ...of, at: blockId, seq: null, role: null, snippet: snippetOf(textOfBlock(block), words) };
  }
  const [row] = await store.rowsAt(scope, session, [number]);
  if (row === undefined) return null;
  const snippet = snippetOf(textOfRow(row, nodeSha256), words);
  return { ...of, at: row.cores[0]?.ref ?? `#${number + 1}`, seq: number, role: row.role, snippet };
}

/** The best hits, best first. */
export async function search(store: SessionStore | SqliteStore, question: Question): Promise<readonly Hit[]> {
  const phrases = phrasesOf(question.words);
  const within: Within = {
    scopes: question.of === null ? question.scopes : [question.of.scope],
    sessions: question.of === null ? null : await familyOf(store, question.of),
    limit: question.limit,
  };
  const found = 'find' in store ? store.find(phrases, within) : await scan(store, phrases, within);
  const hits = await Promise.all(found.map((one) => hitOf(store, one, question.words)));
  return hits.filter((hit) => hit !== null);
}
