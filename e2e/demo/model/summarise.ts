/**
 * Summaries by plain sentence extraction. It knows nothing about what anybody will ask later: sentences are scored by how much they
 * tell (numbers, names, definitions, place) and the best ones are kept, in their order, under a length cap.
 */
import type { Asked } from './wire.ts';

/** First line of the instruction of every summary request. */
export const FOLD_REQUEST = 'Throughline fold request';

/** A cap of a fifth of the source is what real models aim at when they are asked to be brief. */
const SHARE = 5;
const LEAST = 600;
const MOST = 8_000;

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

const unlabelled = (line: string): string =>
  line.replace(/^\s*(?:\[[^\]\n]{1,80}\]\s*|(?:user|assistant|tool|system)\s*:\s*)+/i, '');

/** The summary of a source text. */
export function extract(source: string, maxTokens: number | null): string {
  const sentences = [...new Set(source.split(/\r?\n/).map(unlabelled).flatMap(sentencesOf))];
  const cap = Math.min(MOST, Math.max(LEAST, Math.floor(source.length / SHARE)), maxTokens === null ? MOST : maxTokens * 4);
  const ranked = sentences
    .map((sentence, index) => ({ sentence, index, score: informationOf(sentence, index / sentences.length) }))
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const kept: typeof ranked = [];
  let length = 0;
  for (const candidate of ranked) {
    if (length + candidate.sentence.length + 1 > cap) continue;
    kept.push(candidate);
    length += candidate.sentence.length + 1;
  }
  return kept
    .sort((a, b) => a.index - b.index)
    .map((candidate) => candidate.sentence)
    .join('\n');
}

/** Plausible and empty: what a bad summary looks like. The negative control of every claim about remembered facts. */
const BLANK = [
  'The two sides talked about several subjects at some length and in a friendly tone.',
  'Some points were raised, explained and accepted, and others were put off until later.',
  'The person asked a number of questions and received answers to them.',
  'Nothing was left open that would need an answer before the conversation goes on.',
].join('\n');

/** The answer to a summary request. */
export function summarise(asked: Asked, blank: boolean): string {
  if (blank) return BLANK;
  const source = asked.said
    .filter((said) => !startsFold(said.text))
    .map((said) => said.text)
    .join('\n');
  return extract(source, asked.maxOutput);
}
