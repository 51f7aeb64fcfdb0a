import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unitsOf } from '#fold/pairs';
import type { RenderPlan } from '#wire/wire';
import { anyPlan, exchangeOf } from '../../laws/wire.laws.ts';
import { responses } from '../goldens.ts';

const { wire, goldens } = responses;

type Item = { type?: string; role?: string; id?: string; call_id?: string; content?: unknown };

const plan = (omit: number[], ...inserts: [number, string][]): RenderPlan => ({
  omit: new Set(omit),
  inserts: inserts.map(([before, text]) => ({ before, text })),
});
const rendered = (input: unknown, how: RenderPlan): string =>
  wire.render(exchangeOf(wire, goldens.url, JSON.stringify({ model: 'm', input })), how);
const sent = (input: unknown, how: RenderPlan): Item[] => (JSON.parse(rendered(input, how)) as { input: Item[] }).input;

const user = (content: string): Item => ({ role: 'user', content });
const block = (text: string): Item => ({ type: 'message', role: 'user', content: text });
const reasoning = (id: string): Item => ({ type: 'reasoning', id });
const says = (id: string): Item => ({ type: 'message', id, role: 'assistant', content: id });
const calls = (id: string): Item & { name: string; arguments: string } => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{}',
});
const result = (id: string): Item & { output: string } => ({ type: 'function_call_output', call_id: id, output: 'r' });

describe('a block is a user message item without an id', () => {
  it('in place of what it covers, between the client’s own items', () => {
    const history = [user('1'), says('msg_2'), user('3'), says('msg_4'), user('5')];
    expect(sent(history, plan([0, 1], [0, 'B']))).toEqual([block('B'), ...history.slice(2)]);
    expect(sent(history, plan([2, 3], [2, 'B']))).toEqual([...history.slice(0, 2), block('B'), user('5')]);
  });

  it('never after the newest words of the user, also while tools are at work', () => {
    const history = [user('1'), says('msg_2'), user('3'), calls('c'), result('c')];
    expect(sent(history, plan([], [4, 'B'], [5, 'C']))).toEqual([
      ...history.slice(0, 2),
      block('B'),
      block('C'),
      ...history.slice(2),
    ]);
  });

  it('joins the text of a string input, which stays a string', () => {
    const body = '{ "input" : "tok\\u00e9n \\/ \\ud83d" , "model":"m"}';
    expect(wire.render(exchangeOf(wire, goldens.url, body), plan([0], [0, 'B "q"'], [1, 'C \ud83d']))).toBe(
      '{ "input" : "B \\"q\\"\\n\\nC \\ud83d\\n\\ntok\\u00e9n \\/ \\ud83d" , "model":"m"}',
    );
  });
});

describe('reasoning and what follows it are never parted', () => {
  const history = [
    user('1'),
    reasoning('rs_1'),
    says('msg_1'),
    calls('c'),
    result('c'),
    reasoning('rs_2'),
    says('msg_2'),
    user('3'),
  ];

  it('a plan that leaves out one of them leaves out neither', () => {
    for (const omit of [[1], [2], [3], [1, 2], [2, 3]]) expect(sent(history, plan(omit))).toEqual(history);
    expect(sent(history, plan([1, 2, 3, 4]))).toEqual([user('1'), ...history.slice(5)]);
  });

  it('no block stands between them', () => {
    for (const at of [5, 6])
      expect(sent(history, plan([0], [at, 'B']))).toEqual([...history.slice(1, 5), block('B'), ...history.slice(5)]);
  });

  it('an answer the client wants continued stays with its reasoning', () => {
    const open = [user('1'), says('msg_1'), user('2'), reasoning('rs_2'), says('msg_2')];
    expect(sent(open, plan([3, 4]))).toEqual(open);
  });

  it('a built-in tool’s item between them belongs to them', () => {
    const searched = [user('1'), reasoning('rs_1'), { type: 'web_search_call', id: 'ws_1' }, says('msg_1'), user('2')];
    expect(sent(searched, plan([1]))).toEqual(searched);
    expect(
      unitsOf(exchangeOf(wire, goldens.url, JSON.stringify({ input: searched }))).map(({ first, last }) => [first, last]),
    ).toEqual([
      [0, 0],
      [1, 3],
      [4, 4],
    ]);
  });

  it('for any history and any plan: each reasoning is followed by what followed it, and no id is made', () => {
    const answer = fc.constantFrom(['r', 'm'], ['r', 'm', 'c'], ['r', 'c'], ['r', 'r', 'm'], ['m'], ['c', 'c']);
    const histories = fc.array(answer, { minLength: 1, maxLength: 4 }).map((answers) =>
      answers.flatMap((kinds, turn) => [
        user(`q${turn}`),
        ...kinds.map((kind, place) => {
          const id = `${turn}_${place}`;
          return kind === 'r' ? reasoning(`rs_${id}`) : kind === 'm' ? says(`msg_${id}`) : calls(`call_${id}`);
        }),
      ]),
    );
    fc.assert(
      fc.property(
        histories.chain((history) => fc.tuple(fc.constant([...history, user('last')]), anyPlan(history.length + 1))),
        ([history, how]) => {
          const out = sent(history, how);
          for (const [place, item] of history.entries()) {
            if (item.type !== 'reasoning') continue;
            const at = out.findIndex((other) => other.id === item.id);
            if (at >= 0) expect(out[at + 1]).toEqual(history[place + 1]);
            else expect(out).not.toContainEqual(history[place + 1]);
          }
          const known = new Set(history.map(({ id }) => id));
          expect(out.filter(({ id }) => id !== undefined && !known.has(id))).toEqual([]);
        },
      ),
    );
  });
});

describe('what is kept is the client’s own text', () => {
  it.each(goldens.requests)('$name: kept slices byte-identical and in order, with the client’s separators', ({ body }) => {
    const exchange = exchangeOf(wire, goldens.url, body);
    const slices = exchange.messages.map(({ source }) => body.slice(source.start, source.end));
    fc.assert(
      fc.property(anyPlan(slices.length), (how) => {
        const out = wire.render(exchange, how);
        let at = exchange.list.start;
        for (const [index, slice] of slices.entries()) {
          if (how.omit.has(index) && index !== slices.length - 1) continue;
          const found = out.indexOf(slice.startsWith('"') ? slice.slice(1) : slice, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + slice.length;
        }
      }),
    );
  });

  it('ids pass as they came, however long', () => {
    const long = `rs_${'x'.repeat(300)}`;
    const history = [
      user('1'),
      says('msg_1'),
      user('2'),
      { type: 'reasoning', id: long, encrypted_content: 'g' },
      says('msg_2'),
      user('3'),
    ];
    expect(rendered(history, plan([0, 1], [0, 'B']))).toContain(`{"type":"reasoning","id":"${long}","encrypted_content":"g"}`);
    expect(rendered(history, plan([3, 4], [3, 'B']))).not.toContain('rs_');
  });

  it('the same plan on a longer history renders the same leading bytes', () => {
    const history = [user('1'), reasoning('rs_1'), says('msg_1'), user('2')];
    const short = rendered(history, plan([0, 1, 2], [0, 'B']));
    const longer = rendered([...history, says('msg_2'), user('3')], plan([0, 1, 2], [0, 'B']));
    expect(longer.startsWith(short.slice(0, -2))).toBe(true);
  });

  it('empty arguments stay empty', () => {
    const call = { ...calls('c'), arguments: '' };
    expect(rendered([user('1'), says('msg_1'), user('2'), call, result('c'), user('3')], plan([0, 1], [0, 'B']))).toContain(
      JSON.stringify(call),
    );
  });
});
