/** What the index sees: every word, every pair of characters of a script without spaces, and a question that finds them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Phrase, phrasesOf, termsOf } from '#fold/terms';

const stands = (terms: readonly string[], { terms: wanted, open }: Phrase): boolean =>
  terms.some((_, at) =>
    wanted.every((term, i) => {
      const here = terms[at + i];
      return here !== undefined && (open && i === wanted.length - 1 ? here.startsWith(term) : here === term);
    }),
  );
const finds = (question: string, text: string): boolean => {
  const phrases = phrasesOf(question);
  return phrases.length > 0 && phrases.every((phrase) => stands(termsOf(text), phrase));
};

describe('terms', () => {
  it.each([
    ['Kafka rebalance', 'How does a KAFKA consumer rebalance?'],
    ['河流', '中国的河流很长'],
    ['长', '中国的河流很长'],
    ['的河流很', '中国的河流很长'],
    ['テスト', 'これはテストです'],
    ['서울', '나는 서울에 산다'],
    ['GPT模型', '用GPT模型回答'],
    ['ｆｕｌｌ', 'full width'],
    ['deploy', 'the deployment failed'],
    ['naïve', 'a naïve approach'],
  ])('%s is found in %s', (question, text) => expect(finds(question, text)).toBe(true));

  it.each([
    ['流河', '中国的河流很长'],
    ['河长', '河流很长'],
    ['甲乙', '甲。乙'],
    ['ment', 'the deployment failed'],
    ['red green', 'only red'],
  ])('%s is not found in %s', (question, text) => expect(finds(question, text)).toBe(false));

  it('holds nothing that a query language could obey', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const term of [...termsOf(text), ...phrasesOf(text).flatMap((phrase) => phrase.terms)]) {
          expect(term).toMatch(/^[\p{L}\p{N}\p{M}\u30fc\u3005]+$/u);
        }
      }),
    );
  });

  it('any two neighbours of an unspaced text are found', () => {
    const han = fc.array(fc.integer({ min: 0x4e00, max: 0x9fa5 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(han, fc.nat(), (codes, at) => {
        const text = String.fromCodePoint(...codes);
        const start = at % (text.length - 1);
        expect(finds(text.slice(start, start + 2), text)).toBe(true);
      }),
    );
  });
});
