import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalArguments } from '#base/canonical';
import { canonOf } from '#neutral/canon';
import { turns, words } from '../arbitrary/turns.ts';

describe('the canonical form of a turn', () => {
  it('is equal exactly when the turns are', () => {
    fc.assert(
      fc.property(turns, turns, (a, b) => {
        expect(canonOf(a) === canonOf(b)).toBe(isDeepStrictEqual(a, b));
        expect(canonOf(structuredClone(a))).toBe(canonOf(a));
      }),
      { numRuns: 3_000 },
    );
  });

  it('tells texts apart that are one in UTF-8', () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        const forms = [a, b].map((content) => canonOf({ role: 'user', content }));
        expect(forms[0] === forms[1]).toBe(a === b);
        // What is hashed is well formed, so UTF-8 loses nothing of it.
        for (const form of forms) expect(Buffer.from(form, 'utf8').toString('utf8')).toBe(form);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is compact JSON with sorted keys', () => {
    fc.assert(
      fc.property(turns, (turn) => {
        const form = canonOf(turn);
        expect(canonicalArguments(form)).toBe(form);
      }),
      { numRuns: 2_000 },
    );
  });
});
