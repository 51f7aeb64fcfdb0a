import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockMessage } from '#fold/label';
import { extractProposal } from '#fold/proposal';
import { cutText, isWellFormed } from '#fold/text';
import { assistant, call, calls, exchangeOf, isPlan, long, planned, type Said, tool, user } from './conversation.ts';

function extract(...said: Said[]) {
  const plan = planned(exchangeOf([...said, user('x'), assistant('y'), user('now')]));
  if (!isPlan(plan)) throw new Error(`a plan was expected, not ${plan.nothing}`);
  return extractProposal(plan, 7)?.block ?? null;
}

describe('an extract', () => {
  it("keeps the person's words verbatim and says that it is an extract", () => {
    const block = extract(user('Move me on 12 June, never on a Friday.'), assistant(long('a')));
    expect(block?.summary).toContain('m00001 user: Move me on 12 June, never on a Friday.');
    expect(block?.summary.split('\n')[0]).toMatch(/^Extract, not a summary/);
    expect(block?.summary).not.toContain('a00');
    expect(block).toMatchObject({ author: 'extract', createdAt: 7, state: 'folded' });
  });

  it('keeps an answer that the person gave through a tool', () => {
    const asked = calls(call('ask', '{"question":"May I delete?"}', 'c1'));
    const block = extract(user('tidy up'), asked, tool('{"answer":"No, keep until Friday"}', 'c1'), assistant(long('a')));
    expect(block?.summary).toContain('No, keep until Friday');
  });

  it('is smaller than its source by half, well-formed and deterministic, whatever was said', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 900 }), { minLength: 1, maxLength: 6 }), (words) => {
        const said = words.flatMap((one) => [user(one), assistant(long('a', 60))]);
        const plan = planned(exchangeOf([...said, user('x'), assistant('y'), user('now')]));
        if (!isPlan(plan)) return;
        const block = extractProposal(plan, 1)?.block;
        if (block === undefined) return;
        expect(isWellFormed(blockMessage(block))).toBe(true);
        expect(block.tokensAfter * 2).toBeLessThanOrEqual(plan.replaces);
        expect(extractProposal(plan, 1)?.block).toEqual(block);
      }),
    );
  });

  it('names what it had to cut', () => {
    const block = extract(user('文'.repeat(3000)), assistant('short'));
    expect(block?.summary).toMatch(/文 \[… \d+ more characters\]/);
  });
});

describe('a cut', () => {
  it('moves back rather than splitting an emoji', () => {
    expect(cutText('aaaaaaaaa🔥 tail', 10)).toBe('aaaaaaaaa');
    expect(cutText('aaaaaaaaa🔥 tail', 11)).toBe('aaaaaaaaa🔥');
    expect(cutText('ab', 0)).toBe('');
  });

  it('never makes ill-formed text of well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, limit) => {
        const cut = cutText(text, limit);
        expect(isWellFormed(cut)).toBe(true);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(limit);
      }),
    );
  });
});
