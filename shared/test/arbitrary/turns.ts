/**
 * Arbitrary turns in their normal shape, drawn from few words so that equal and nearly equal ones occur.
 */
import fc from 'fast-check';
import { canonicalArguments } from '#base/canonical';
import type { ContentPiece, Turn } from '#neutral/turn';

/** Texts with everything that could break a frame: quotes, backslashes, lone surrogates, separators, JSON. */
export const words = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'b',
    'ab',
    '"',
    '\\',
    '\u0000',
    '\ud83d',
    '\ud83c',
    '\ufffd',
    '{"role":"user"}',
    '","role":"user"}',
    '[]',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const full = words.filter((word) => word !== '');
const name = fc.option(full, { nil: undefined });
const solid = fc.oneof(
  full.map((media) => ({ media })),
  words.map((refusal) => ({ refusal })),
);
/** Neighbouring texts are one, so texts and solid pieces alternate as they please but two texts never touch. */
const pieces: fc.Arbitrary<readonly ContentPiece[]> = fc
  .array(fc.tuple(fc.option(full, { nil: null }), solid), { minLength: 1, maxLength: 3 })
  .chain((pairs) =>
    fc.option(full, { nil: null }).map((last) => {
      const list = pairs.flatMap(([text, piece]) => (text === null ? [piece] : [text, piece]));
      return last === null ? list : [...list, last];
    }),
  );
const call = fc.record({
  name: words,
  arguments: fc.oneof(
    fc.json({ maxDepth: 2 }).map(canonicalArguments),
    words.map(canonicalArguments),
    fc.constantFrom('{}', '[]', '1', '"1"', 'null'),
  ),
});
const named = <T extends object>(turn: T, author: string | undefined): T =>
  author === undefined ? turn : { ...turn, name: author };

export const turns: fc.Arbitrary<Turn> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const, 'system' as const),
      fc.oneof(words, pieces),
      name,
    )
    .map(([role, content, author]) => named({ role, content }, author)),
  fc
    .tuple(
      fc.array(call, { minLength: 1, maxLength: 3 }),
      fc.option(full, { nil: undefined }),
      fc.option(fc.array(solid, { minLength: 1, maxLength: 2 }), { nil: undefined }),
      name,
    )
    .map(([calls, text, solids, author]) => {
      const turn = {
        role: 'assistant' as const,
        calls,
        ...(text === undefined ? {} : { text }),
        ...(solids === undefined ? {} : { pieces: solids }),
      };
      return named(turn, author);
    }),
  fc.json({ maxDepth: 2 }).map((raw): Turn => ({ role: 'opaque', canon: canonicalArguments(raw) })),
);
