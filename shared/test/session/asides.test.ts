import { describe, expect, it } from 'vitest';
import { drive } from '#base/digest';
import { type Chains, chainsOf } from '#chain/chain';
import { createAsides } from '#session/asides';
import { dialogue, exchange } from '../arbitrary/exchange.ts';
import { nativeSha256 } from '../arbitrary/hash.ts';
import { OTHER_SCOPE, SCOPE } from '../arbitrary/records.ts';

const chains = (...lines: string[]): Chains => drive(chainsOf(exchange(dialogue(...lines))), nativeSha256);
const end = (of: Chains, domain: 2 | 3 = 2) => of[domain].links.at(-1) as never;

describe('the memory of side requests', () => {
  it('knows where they ended, in both domains, in their scope alone', () => {
    const asides = createAsides();
    const asked = chains('a', 'b', 'c');
    asides.note(SCOPE, asked);
    for (const domain of [2, 3] as const) {
      expect(asides.has(SCOPE, domain, end(asked, domain))).toBe(true);
      expect(asides.has(OTHER_SCOPE, domain, end(asked, domain))).toBe(false);
      expect(asides.has(SCOPE, domain, asked[domain].links[0] as never)).toBe(false);
    }
  });

  it('is bounded and forgets the ones first that were not noted for longest', () => {
    const asides = createAsides(4);
    const [one, two, three] = [chains('1'), chains('2'), chains('3')];
    for (const of of [one, two, one, three]) asides.note(SCOPE, of);
    expect([one, two, three].map((of) => asides.has(SCOPE, 2, end(of)))).toEqual([true, false, true]);
  });

  it('takes a chain without turns for nothing', () => {
    const asides = createAsides();
    asides.note(SCOPE, chains());
    expect(asides.has(SCOPE, 2, undefined as never)).toBe(false);
  });
});
