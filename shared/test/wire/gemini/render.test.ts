import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RenderPlan } from '#wire/wire';
import { anyPlan, exchangeOf } from '../../laws/wire.laws.ts';
import { gemini } from '../goldens.ts';

const { wire, goldens } = gemini;

interface Content {
  role?: string;
  parts: { [kind: string]: unknown }[];
}

const plan = (omit: number[], ...inserts: [number, string][]): RenderPlan => ({
  omit: new Set(omit),
  inserts: inserts.map(([before, text]) => ({ before, text })),
});
const rendered = (body: string, how: RenderPlan): string => wire.render(exchangeOf(wire, goldens.url, body), how);
const sent = (contents: Content[], how: RenderPlan): Content[] =>
  (JSON.parse(rendered(JSON.stringify({ contents }), how)) as { contents: Content[] }).contents;

const user = (...texts: string[]): Content => ({ role: 'user', parts: texts.map((text) => ({ text })) });
const model = (text: string): Content => ({ role: 'model', parts: [{ text, thoughtSignature: 'c2ln' }] });
const calls = (...names: string[]): Content => ({
  role: 'model',
  parts: names.map((name, index) => ({
    functionCall: { name, args: {} },
    ...(index === 0 ? { thoughtSignature: 'c2ln' } : {}),
  })),
});
const results = (...names: string[]): Content => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: {} } })),
});

describe('gemini blocks are parts of user contents', () => {
  it('join the following user content, in front of its words', () => {
    expect(sent([user('1'), model('2'), user('3')], plan([0, 1], [0, 'B1'], [0, 'B2']))).toEqual([user('B1', 'B2', '3')]);
    expect(sent([user('1'), model('2'), { parts: [] }], plan([0, 1], [0, 'B']))).toEqual([{ parts: [{ text: 'B' }] }]);
  });

  it('join the user content before them when an answer follows', () => {
    expect(sent([user('1'), model('2'), user('3'), model('4'), user('5')], plan([1, 2], [1, 'B']))).toEqual([
      user('1', 'B'),
      model('4'),
      user('5'),
    ]);
  });

  it('are a user content of their own between answers, and beside what takes nothing', () => {
    expect(sent([user('1'), model('2'), user('3'), model('4'), user('5')], plan([0, 1, 2], [0, 'B1'], [2, 'B2']))).toEqual([
      user('B1', 'B2'),
      model('4'),
      user('5'),
    ]);
    const lone = { role: 'user', parts: { text: '3' } } as unknown as Content;
    expect(sent([user('1'), model('2'), lone], plan([0, 1], [0, 'B']))).toEqual([user('B'), lone]);
  });

  it('leave every byte of the content they join, and its signatures on their parts', () => {
    const last =
      '{ "x_note" : 7 , "parts" : [ {"inline_data":{"mime_type":"a/b", "data":"QQ=="}} ,{"text":"tok\\u00e9n \\ud83d"} ] , "role" : "user" }';
    const kept = '{"parts":[{"thoughtSignature":"QUJD" ,"text":"a"}], "role":"model"}';
    const body = (inner: string): string => `{ "contents" : [${inner}] , "safetySettings":[] }`;
    expect(rendered(body(`{"parts":[{"text":"1"}]}, ${kept} , ${kept},\n${last}`), plan([0, 1], [0, 'B "q"']))).toBe(
      body(`{"role":"user","parts":[{"text":"B \\"q\\""}]} , ${kept},\n${last}`),
    );
    expect(rendered(body(`{"parts":[{"text":"1"}]}, ${kept} ,\n${last}`), plan([0, 1], [0, 'B "q"']))).toBe(
      body(last.replace('[ {', '[ {"text":"B \\"q\\""},{')),
    );
  });

  it('never let the model open a history that the user opened', () => {
    expect(sent([user('1'), model('2'), user('3')], plan([0]))[0]).toEqual(user('1'));
    expect(sent([calls('f'), results('f'), user('3')], plan([]))).toEqual([calls('f'), results('f'), user('3')]);
  });
});

describe('gemini results stay right behind their calls', () => {
  it('a block between them goes before the turn that called', () => {
    const history = [user('1'), model('2'), user('3'), calls('f', 'g'), results('f', 'g'), model('4'), user('5')];
    expect(sent(history, plan([0, 1], [4, 'B']))).toEqual([user('3', 'B'), ...history.slice(3)]);
    expect(sent(history, plan([0, 1, 2], [4, 'B']))).toEqual([user('B'), ...history.slice(3)]);
  });

  it('also when the model’s turn, or the results, are several contents', () => {
    const history = [user('1'), model('2'), calls('f'), model(''), calls('g'), results('f'), results('g'), user('5')];
    for (const before of [3, 4, 5, 6])
      expect(sent(history, plan([], [before, 'B']))).toEqual([user('1', 'B'), ...history.slice(1)]);
    expect(sent(history, plan([], [3, 'B1'], [6, 'B2']))[0]).toEqual(user('1', 'B1', 'B2'));
  });

  it('a block behind results is a content of its own, and joins no content that holds results', () => {
    const history = [user('1'), calls('f'), results('f'), calls('g'), results('g'), user('5')];
    expect(sent(history, plan([], [3, 'B']))).toEqual([...history.slice(0, 3), user('B'), ...history.slice(3)]);
    const mixed: Content = { role: 'user', parts: [...results('g').parts, { text: 'go on' }] };
    expect(sent([user('1'), calls('g'), mixed, model('2'), user('3')], plan([3], [3, 'B']))[2]).toEqual(mixed);
  });

  it('for any history of whole exchanges and any plan: results right behind their calls, user first, nothing kept is lost', () => {
    const exchange = fc.oneof(
      fc.constant([model('a')]),
      fc.constant([model('a'), model('b')]),
      fc.constant([calls('f'), results('f'), model('a')]),
      fc.constant([model('a'), calls('f', 'f'), results('f', 'f'), calls('g'), results('g'), model('b')]),
      fc.constant([calls('f'), calls('g'), results('f'), results('g'), model('b')]),
    );
    const turns = fc.array(fc.record({ said: exchange, gone: fc.boolean() }), { minLength: 1, maxLength: 4 });
    const cases = turns.chain((all) => {
      const rows = [
        ...all.flatMap(({ said, gone }) => [user('q'), ...said].map((content) => ({ content, gone }))),
        { content: user('last'), gone: false },
      ];
      return fc.record({ rows: fc.constant(rows), how: anyPlan(rows.length) });
    });
    fc.assert(
      fc.property(cases, ({ rows, how }) => {
        const contents = rows.map(({ content }) => content);
        const omit = new Set(rows.flatMap(({ gone }, index) => (gone ? [index] : [])));
        const out = sent(contents, { omit, inserts: how.inserts });
        expect(out[0]?.role).toBe('user');
        const sentTurns: string[][] = [];
        for (const [index, content] of out.entries()) {
          if (content.role === out[index - 1]?.role)
            sentTurns.at(-1)?.push(...content.parts.map((part) => Object.keys(part)[0] ?? ''));
          else sentTurns.push(content.parts.map((part) => Object.keys(part)[0] ?? ''));
        }
        for (const [index, turn] of sentTurns.entries()) {
          const called = turn.filter((kind) => kind === 'functionCall').length;
          if (called > 0) expect(sentTurns[index + 1]?.slice(0, called)).toEqual(Array(called).fill('functionResponse'));
          const answered = turn.filter((kind) => kind === 'functionResponse').length;
          expect((sentTurns[index - 1] ?? []).filter((kind) => kind === 'functionCall')).toHaveLength(answered);
        }
        const all = JSON.stringify(out);
        for (const [index, content] of contents.entries()) {
          if (omit.has(index)) continue;
          for (const part of content.parts) expect(all).toContain(JSON.stringify(part));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('gemini bodies keep their bytes', () => {
  it.each(goldens.requests)('$name: what the model said is there to the byte, in order', ({ body }) => {
    const exchange = exchangeOf(wire, goldens.url, body);
    fc.assert(
      fc.property(anyPlan(exchange.messages.length), (how) => {
        const out = wire.render(exchange, how);
        let at = exchange.list.start;
        for (const { index, role, source } of exchange.messages) {
          if (how.omit.has(index) || role === 'user') continue;
          const found = out.indexOf(body.slice(source.start, source.end), at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + (source.end - source.start);
        }
      }),
    );
  });

  it('the same plan on a longer history renders the same leading bytes', () => {
    const history = Array.from({ length: 11 }, (_, index) => (index % 2 === 0 ? user : model)(`line ${index}`));
    const render = (length: number, how: RenderPlan): string =>
      rendered(JSON.stringify({ contents: history.slice(0, length) }), how);
    for (const how of [plan([0, 1], [0, 'B']), plan([0, 1, 2], [0, 'B']), plan([1, 2], [1, 'B']), plan([1], [1, 'B'])]) {
      const short = render(5, how);
      for (const length of [7, 9, 11]) expect(render(length, how).startsWith(short.slice(0, -2))).toBe(true);
    }
  });
});
