import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalArguments, canonicalJson } from '#base/canonical';
import { type JsonNode, member, parseJson, plainOf, rawOf, textOf } from '#base/json';

function verdict(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null; // the verdict itself
  }
}

function sameAsEngine(text: string): void {
  const doc = parseJson(text);
  const engine = verdict(text);
  expect(doc === null, text).toBe(engine === null);
  if (doc !== null && engine !== null) expect(rebuild(text, doc.root)).toEqual(engine.value);
}

/** Rebuilds the value from the tree alone, so that spans and kinds are checked and not only the verdict. */
function rebuild(source: string, node: JsonNode): unknown {
  if (node.kind === 'object') {
    const entries = node.members.map((entry) => [entry.key, rebuild(source, entry.value)] as const);
    const result = {};
    for (const [key, value] of entries)
      Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true });
    return result;
  }
  if (node.kind === 'array') return node.items.map((item) => rebuild(source, item));
  return JSON.parse(source.slice(node.start, node.end));
}

const fragments = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\',
  '\\u12',
  '\\u00e9',
  '\\n',
  '0',
  '1',
  '-',
  '.',
  'e',
  'E',
  '+',
  'true',
  'null',
  'fals',
  ' ',
  '\n',
  '\t',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u2028',
  '\ud800',
  'a',
  '"a"',
  '"a":1',
  '\ufeff',
  '\u00a0',
  '\v',
];

describe('parseJson gives the verdict and the value of JSON.parse', () => {
  it('on JSON of any shape and spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(0, 1, 2, '\t'), (value, indent) => {
        sameAsEngine(JSON.stringify(value, null, indent));
      }),
    );
  });

  it('on JSON with one character changed, dropped or added', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom(...fragments, ''), fc.nat(2), (json, place, piece, cut) => {
        const at = place % (json.length + 1);
        sameAsEngine(json.slice(0, at) + piece + json.slice(at + cut));
      }),
      { numRuns: 1000 },
    );
  });

  it('on rubble made of JSON pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...fragments), { maxLength: 12 }), (pieces) => sameAsEngine(pieces.join(''))),
      { numRuns: 2000 },
    );
  });

  it.each([
    '',
    ' ',
    '01',
    '-',
    '-01',
    '1.',
    '.1',
    '1e',
    '1e+',
    '1E5',
    '+1',
    'NaN',
    'Infinity',
    '"\t"',
    '"\\x"',
    '"\\u12G4"',
    '"\\"',
    '[1,]',
    '{"a":1,}',
    '{,}',
    '[,]',
    '{"a"}',
    '{a:1}',
    "{'a':1}",
    '1 2',
    '{} x',
    '[] ]',
    '\ufeff{}',
    'truex',
    'nul',
    '[1 2]',
    '{"a":1 "b":2}',
    '"\u2028"',
    '{"__proto__":1}',
  ])('on %j', sameAsEngine);
});

describe('parseJson keeps what JSON.parse loses', () => {
  it('tells duplicate keys, also when one is spelt with escapes, in small and large objects', () => {
    const many = Array.from({ length: 40 }, (_, index) => `"k${index}":1`).join(',');
    for (const [text, duplicate] of [
      ['{"a":1,"a":2}', true],
      ['{"a":1,"\\u0061":2}', true],
      ['{"a":1,"b":2}', false],
      [`{${many},"k3":2}`, true],
      [`{${many},"z":2}`, false],
    ] as const)
      expect(parseJson(text)?.root).toMatchObject({ duplicate });
  });

  it('gives slices, texts and members', () => {
    const text = ' { "a" : [ 1.0 , "x\\ny" ] , "b" : { "c" : null } } ';
    const doc = parseJson(text);
    if (doc === null) throw new Error('is JSON');
    const list = member(doc.root, 'a');
    if (list?.kind !== 'array') throw new Error('is an array');
    expect(list.items.map((item) => rawOf(doc, item))).toEqual(['1.0', '"x\\ny"']);
    expect(list.items.map((item) => textOf(doc, item))).toEqual(['1.0', 'x\ny']);
    expect(plainOf(doc, doc.root)).toEqual(JSON.parse(text));
    expect(member(doc.root, 'toString')).toBeUndefined();
    expect(member(list, 'length')).toBeUndefined();
  });
});

describe('nesting beyond 256 is one deep node', () => {
  const nested = (depth: number, inner = ''): string => '[{"k":'.repeat(depth / 2) + (inner || '1') + '}]'.repeat(depth / 2);
  const hasDeep = (node: JsonNode): boolean =>
    node.kind === 'deep' ||
    (node.kind === 'array' && node.items.some(hasDeep)) ||
    (node.kind === 'object' && node.members.some((entry) => hasDeep(entry.value)));

  it('at 256 not, at 258 yes', () => {
    for (const [depth, deep] of [
      [256, false],
      [258, true],
    ] as const) {
      const doc = parseJson(nested(depth));
      expect(doc !== null && hasDeep(doc.root)).toBe(deep);
    }
  });

  it('is checked as strictly as the rest', () => {
    for (const inner of [
      '[1,{"a":[],"b":{}},"\\u0041"]',
      '[1,]',
      '{"a" 1}',
      '{"a":}',
      '[1 2]',
      '["\t"]',
      '{"a":1]',
      '[}',
      '{]',
    ])
      expect(parseJson(nested(256, inner)) === null, inner).toBe(verdict(inner) === null);
  });

  it('never overflows the stack, whatever the depth', () => {
    expect(parseJson('['.repeat(90_000) + ']'.repeat(90_000))).not.toBeNull();
    expect(parseJson('['.repeat(2_000_000))).toBeNull();
    expect(parseJson('['.repeat(2_000_000) + ']'.repeat(2_000_000))).toBeNull();
  });

  it('stands as its source in the canonical form, counted from the value itself', () => {
    const text = nested(258);
    expect(canonicalArguments(text)).toBe(JSON.stringify(text));
    const inner = nested(256);
    const doc = parseJson(`{"input":${inner}}`);
    const input = doc && member(doc.root, 'input');
    expect(doc && input && canonicalJson(doc, input)).toBe(inner);
  });
});

const vectors = JSON.parse(readFileSync(new URL('../vectors/numbers.json', import.meta.url), 'utf8')) as {
  source: string;
  canonOfArguments: string;
}[];

describe('canonical JSON', () => {
  it.each(vectors)('of $source', ({ source, canonOfArguments }) => {
    expect(canonicalArguments(source)).toBe(canonOfArguments);
  });

  it('does not depend on key order or spacing, and reaches its own fixed point', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, shuffled(inner)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const canon = canonicalArguments(JSON.stringify(value));
        expect(canonicalArguments(JSON.stringify(shuffled(value), null, 3))).toBe(canon);
        expect(canonicalArguments(canon)).toBe(canon);
        expect(JSON.parse(canon)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('gives two integers one text exactly when they are the same integer', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 70n), 2n ** 70n), fc.bigInt(-2n, 2n), (integer, step) => {
        expect(canonicalArguments(`${integer}`) === canonicalArguments(`${integer + step}`)).toBe(step === 0n);
      }),
    );
  });

  it('sorts keys by UTF-16 unit, not by code point', () => {
    expect(canonicalArguments('{"\uffff":1,"\u{1f600}":2,"b":3,"B":4}')).toBe('{"B":4,"b":3,"\u{1f600}":2,"\uffff":1}');
  });

  it('keeps lone surrogates apart from each other and from U+FFFD', () => {
    const forms = ['"ok \\ud83d"', '"ok \\ud83c"', '"ok \\ufffd"'].map(canonicalArguments);
    expect(new Set(forms).size).toBe(3);
    expect(forms[0]).toBe('"ok \\ud83d"');
  });

  it('of arguments that are absent or no JSON', () => {
    expect(canonicalArguments('')).toBe('{}');
    expect(canonicalArguments('{ }')).toBe('{}');
    expect(canonicalArguments('{"a":')).toBe('"{\\"a\\":"');
  });
});
