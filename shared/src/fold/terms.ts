/**
 * Text as an index sees it: words, and for scripts written without spaces the overlapping pairs of their characters.
 *
 * A run of such characters gives each neighbouring pair and, last, its final character; so a word of two characters is one term,
 * a longer one is a phrase of pairs that stand side by side, and a single character is the beginning of some term.
 * Terms hold letters, digits and marks only: no term can be mistaken for the syntax of a query.
 */

const RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\u3005]+|[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\u3005]/u;
const WORD_MAX = 64;

/** What must stand side by side in a text for a part of the question to be found there. */
export interface Phrase {
  readonly terms: readonly string[];
  /** The last term may go on. */
  readonly open: boolean;
}

/** Compatibility forms and case are one: full-width letters, ligatures, capitals. */
export function plainForm(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function runsOf(text: string): readonly string[] {
  return plainForm(text).match(RUN) ?? [];
}

/** Splits a run of letters that holds both kinds of script. */
function pieces(run: string): readonly string[] {
  if (UNSPACED.test(run)) return [run];
  const parts: string[] = [];
  for (const char of run) {
    const last = parts.at(-1);
    if (last !== undefined && UNSPACED.test(last) === UNSPACED.test(char)) parts[parts.length - 1] = last + char;
    else parts.push(char);
  }
  return parts;
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((char, i) => `${characters[i]}${char}`);
}

/** The terms of a text, in order. */
export function termsOf(text: string): readonly string[] {
  const terms: string[] = [];
  for (const run of runsOf(text)) {
    for (const piece of pieces(run)) {
      if (!UNSPACED.test(piece)) {
        terms.push(piece.slice(0, WORD_MAX));
        continue;
      }
      const characters = [...piece];
      terms.push(...pairs(characters), characters.at(-1) as string);
    }
  }
  return terms;
}

/** What a question asks for: every phrase must be found. Empty when it holds nothing that could be found. */
export function phrasesOf(question: string): readonly Phrase[] {
  return runsOf(question)
    .flatMap((run) => pieces(run))
    .map((piece) => {
      const characters = [...piece];
      if (!UNSPACED.test(piece)) return { terms: [piece.slice(0, WORD_MAX)], open: true };
      return characters.length === 1 ? { terms: characters, open: true } : { terms: pairs(characters), open: false };
    });
}
