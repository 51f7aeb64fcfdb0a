/**
 * The same search without an index, for a store in memory: every message and summary is read, and ranked by the same formula
 * (BM25 with the constants of FTS5), so that both stores answer alike.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { type Phrase, termsOf } from '@throughline/shared/fold/terms';
import type { SessionStore } from '@throughline/shared/session/store';
import { textOfRow } from '@throughline/shared/session/words';
import { nodeSha256 } from '../hash.ts';
import { type Found, textOfBlock, type Within } from './search-index.ts';

const K1 = 1.2;
const B = 0.75;
/** A phrase that is in most texts still counts a little, as in FTS5. */
const LEAST = 1e-6;

interface Entry extends Omit<Found, 'score'> {
  readonly length: number;
  /** How often each phrase stands in it. */
  readonly counts: readonly number[];
}

function countOf(terms: readonly string[], { terms: wanted, open }: Phrase): number {
  const last = wanted.length - 1;
  let count = 0;
  for (let at = 0; at + last < terms.length; at += 1) {
    const stands = wanted.every((term, i) => {
      const here = terms[at + i] ?? '';
      return open && i === last ? here.startsWith(term) : here === term;
    });
    if (stands) count += 1;
  }
  return count;
}

async function entriesOf(store: SessionStore, phrases: readonly Phrase[], within: Within): Promise<Entry[]> {
  const entries: Entry[] = [];
  const enter = (scope: ScopeId, session: SessionId, kind: Found['kind'], number: number, text: string): void => {
    const terms = termsOf(text);
    entries.push({ scope, session, kind, number, length: terms.length, counts: phrases.map((one) => countOf(terms, one)) });
  };
  for (const scope of within.scopes as readonly ScopeId[]) {
    for (const { session } of await store.list({ scope })) {
      if (within.sessions?.includes(session) === false) continue;
      for (const row of await store.rows(scope, session)) {
        if (row.raw !== '') enter(scope, session, 'message', row.seq, textOfRow(row, nodeSha256));
      }
      for (const block of await store.blocks(scope, session)) {
        enter(scope, session, 'block', Number(block.blockId.slice(1)), textOfBlock(block));
      }
    }
  }
  return entries;
}

export async function scan(store: SessionStore, phrases: readonly Phrase[], within: Within): Promise<readonly Found[]> {
  if (phrases.length === 0) return [];
  const entries = await entriesOf(store, phrases, within);
  const average = entries.reduce((sum, one) => sum + one.length, 0) / Math.max(1, entries.length);
  const weights = phrases.map((_, i) => {
    const having = entries.filter((one) => (one.counts[i] ?? 0) > 0).length;
    return Math.max(LEAST, Math.log((entries.length - having + 0.5) / (having + 0.5)));
  });
  const score = (one: Entry): number =>
    one.counts.reduce((sum, count, i) => {
      const long = K1 * (1 - B + (B * one.length) / average);
      return sum + ((weights[i] ?? 0) * count * (K1 + 1)) / (count + long);
    }, 0);
  return entries
    .filter((one) => one.counts.every((count) => count > 0))
    .map(({ scope, session, kind, number, ...rest }) => ({
      ...{ scope, session, kind, number },
      score: score({ scope, session, kind, number, ...rest }),
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, within.limit);
}
