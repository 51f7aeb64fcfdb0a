/**
 * Summaries by plain sentence extraction. It knows nothing about what anybody will ask later: sentences are scored by how much they
 * tell (numbers, names, definitions, place) and the best ones are kept, in their order, within so many words.
 */
import type { Asked } from './wire.ts';

/** First line of the instruction of every summary request. */
const FOLD_REQUEST = 'Throughline fold request';

/** Without a length in the instruction: a fifth of the source, which is what models aim at when they are asked to be brief. */
const SHARE = 5;
const LEAST = 80;

const startsFold = (text: string): boolean => text.trimStart().split(/\r?\n/, 1)[0]?.trim() === FOLD_REQUEST;

/** Is this a request for a summary? Judged by the first line of its instruction only. */
export function isSummary(asked: Asked): boolean {
  return startsFold(asked.system) || startsFold(asked.said[0]?.text ?? '');
}

/** Sentences of a text, with line breaks and end marks as borders; CJK marks too. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/\r?\n+/)
    .flatMap((line) => line.match(/[^.!?。！？]+(?:[.!?](?=[^\s"')\]])[^.!?。！？]*)*[.!?。！？]?["')\]]*/gu) ?? [])
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** How much a sentence tells. Exported for its test: it must not depend on any word but the grammar of definitions. */
export function informationOf(sentence: string, place: number): number {
  const words = sentence.split(/\s+/).length;
  const numbers = sentence.match(/\p{N}+/gu)?.length ?? 0;
  const names = sentence.match(/(?<=\p{Ll}[,;]? )\p{Lu}[\p{L}\p{N}-]+/gu)?.length ?? 0;
  const defines = /\b(?:is|are|was|were|means|equals)\b|是|为/u.test(sentence) ? 1 : 0;
  const question = /[?？]["')\]]*$/.test(sentence) ? 2 : 0;
  const length = words < 3 ? -1 : words > 40 ? -1 : 0;
  return 2 * Math.min(numbers, 3) + 1.5 * Math.min(names, 3) + 1.5 * defines - question + length + (1 - place) * 0.5;
}

/** Lines of marks (fences, rules) are no text; a label or a role in front of a line is no part of its sentence. */
const MARKS = /^\s*[^\p{L}\p{N}\s]{3,}/u;
const LABEL = /^\s*(?:\[[^\]\n]{1,80}\]\s*|(?:user|assistant|tool|system)\s*:\s*)+/i;

/** A title: words that are said often, but in few places. Words that are everywhere tell nothing. */
function titleOf(source: string): string {
  const score = new Map<string, { count: number; places: number }>();
  for (const place of source.toLowerCase().split(/^[^\p{L}\p{N}\s]{3,}.*$/mu)) {
    const words = place.match(/\p{L}{5,}/gu) ?? [];
    for (const word of new Set(words)) {
      const known = score.get(word) ?? { count: 0, places: 0 };
      score.set(word, { count: known.count + words.filter((one) => one === word).length, places: known.places + 1 });
    }
  }
  const weight = ({ count, places }: { count: number; places: number }): number => count / places ** 2;
  const best = [...score].sort((a, b) => weight(b[1]) - weight(a[1]) || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
  return best.length === 0 ? 'Conversation' : best.map(([word]) => word).join(', ');
}

/** The best sentences of a source text, in their order, within so many words. */
function extract(source: string, maxWords: number): string {
  const lines = source.split(/\r?\n/).filter((line) => !MARKS.test(line));
  const sentences = [...new Set(lines.map((line) => line.replace(LABEL, '')).flatMap(sentencesOf))];
  const ranked = sentences
    .map((sentence, index) => ({ sentence, index, score: informationOf(sentence, index / sentences.length) }))
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const kept: typeof ranked = [];
  let words = 0;
  for (const candidate of ranked) {
    const size = wordsIn(candidate.sentence);
    if (words + size > maxWords) continue;
    kept.push(candidate);
    words += size;
  }
  return kept
    .sort((a, b) => a.index - b.index)
    .map((candidate) => candidate.sentence)
    .join('\n');
}

/** CJK writes without spaces: two characters count as a word. */
const wordsIn = (text: string): number =>
  text.split(/\s+/).length + Math.floor((text.match(/[\u2e80-\u9fff]/g)?.length ?? 0) / 2);

/** Plausible and empty: what a bad summary looks like. The negative control of every claim about remembered facts. */
const BLANK = [
  'The two sides talked about several subjects at some length and in a friendly tone.',
  'Some points were raised, explained and accepted, and others were put off until later.',
  'The person asked a number of questions and received answers to them.',
  'Nothing was left open that would need an answer before the conversation goes on.',
].join('\n');

/** How many words to write: what the instruction says, else a fifth of the source; never more than the output limit holds. */
function lengthFor(asked: Asked, source: string): number {
  const said = /\bat most (\d+) words\b/.exec(`${asked.system}\n${asked.said[0]?.text ?? ''}`)?.[1];
  const wanted = said === undefined ? Math.max(LEAST, Math.floor(wordsIn(source) / SHARE)) : Number(said);
  return asked.maxOutput === null ? wanted : Math.min(wanted, Math.floor(asked.maxOutput / 2));
}

/** The answer to a summary request: a topic line, an empty line, the summary. */
export function summarise(asked: Asked, blank: boolean): string {
  if (blank) return `Topic: Conversation\n\n${BLANK}`;
  const source = asked.said
    .filter((said) => !startsFold(said.text))
    .map((said) => said.text)
    .join('\n');
  return `Topic: ${titleOf(source)}\n\n${extract(source, lengthFor(asked, source))}`;
}
