import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '#tokens/estimate';

describe('one token estimate everywhere', () => {
  it('counts CJK text as about three quarters of a token a character, not a quarter', () => {
    const estimate = estimateTokens('文'.repeat(400));
    expect(estimate).toBe(300);
    expect(estimate).toBeGreaterThan(2.5 * (400 / 4));
  });

  it('counts kana and hangul like Han', () => {
    expect(estimateTokens('ひらがなカタカナ')).toBe(6);
    expect(estimateTokens('대화를나눈다고요')).toBe(6);
  });

  it('counts plain text as four characters a token', () => {
    expect(estimateTokens('a'.repeat(4000))).toBe(1000);
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('x')).toBe(1);
  });

  it('never falls when text is added, and parts never weigh more than one token over the whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        const whole = estimateTokens(a + b);
        expect(whole).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(estimateTokens(a) + estimateTokens(b) - whole).toBeLessThanOrEqual(1);
        expect(estimateTokens(a) + estimateTokens(b)).toBeGreaterThanOrEqual(whole);
      }),
    );
  });
});
