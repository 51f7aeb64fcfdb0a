import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '#base/digest';
import { parseJson } from '#base/json';
import type { Exchange } from '#neutral/message';
import type { RenderPlan, Wire } from '#wire/wire';
import { anyPlan, exchangeOf } from '../laws/wire.laws.ts';
import { anthropic, openai } from './goldens.ts';

type Block = { type: string; text?: string };
type Sent = { role: string; content: string | Block[] };

const slicesOf = (exchange: Exchange): string[] =>
  exchange.messages.map((message) => exchange.source.slice(message.source.start, message.source.end));

const plan = (omit: number[], ...inserts: [number, string][]): RenderPlan => ({
  omit: new Set(omit),
  inserts: inserts.map(([before, text]) => ({ before, text })),
});

/** Renders a plan against these messages and gives the outgoing messages. */
function sent(wire: Wire, url: string, messages: unknown[], how: RenderPlan): Sent[] {
  const exchange = exchangeOf(wire, url, JSON.stringify({ model: 'm', max_tokens: 5, messages }));
  return (JSON.parse(wire.render(exchange, how)) as { messages: Sent[] }).messages;
}

const openaiSent = (messages: unknown[], how: RenderPlan): Sent[] => sent(openai.wire, openai.goldens.url, messages, how);
const anthropicSent = (messages: unknown[], how: RenderPlan): Sent[] =>
  sent(anthropic.wire, anthropic.goldens.url, messages, how);
const user = (content: unknown): unknown => ({ role: 'user', content });
const assistant = (content: unknown): unknown => ({ role: 'assistant', content });
const text = (value: string): Block => ({ type: 'text', text: value });

describe('what is kept is the client’s own text', () => {
  it.each(openai.goldens.requests)(
    'openai-chat, $name: kept slices byte-identical and in order, with the client’s separators',
    ({ body }) => {
      const exchange = exchangeOf(openai.wire, openai.goldens.url, body);
      const slices = slicesOf(exchange);
      fc.assert(
        fc.property(anyPlan(slices.length), (how) => {
          const rendered = openai.wire.render(exchange, how);
          const last = slices.length - 1;
          let at = exchange.list.start;
          for (const [index, slice] of slices.entries()) {
            if (how.omit.has(index) && index !== last) continue;
            // Blocks may join a user message: then its pieces stand there one by one.
            const joined = exchange.messages[index]?.role === 'user' && rendered.indexOf(slice, at) < 0;
            for (const piece of joined ? aroundAndInside(slice) : [slice]) {
              const found = rendered.indexOf(piece, at);
              expect(found).toBeGreaterThanOrEqual(at);
              at = found + piece.length;
            }
          }
          expect(rendered.slice(at)).toBe(body.slice(exchange.messages[last]?.source.end));
        }),
      );
    },
  );

  it('the tools array and everything else outside the list are spliced raw', () => {
    for (const { wire, goldens } of [openai, anthropic]) {
      const golden = goldens.requests.find(({ name }) => name === 'tools');
      if (golden === undefined) throw new Error('there is a request with tools');
      const exchange = exchangeOf(wire, goldens.url, golden.body);
      const folded = wire.render(exchange, plan([0, 1, 2, 3], [0, 'block']));
      expect(exchangeOf(wire, goldens.url, folded).environment).toEqual(exchange.environment);
      expect(folded).toContain(exchange.environment.tools);
    }
  });

  it('malformed characters in kept messages stay as sent, and our own text is well formed', () => {
    const body =
      '{"messages":[{"role":"user","content":"a"},{"role":"user","content":"x \\ud83d"},{"role":"user","content":"q"}]}';
    const exchange = exchangeOf(openai.wire, openai.goldens.url, body);
    expect(openai.wire.render(exchange, plan([0], [0, 'cut \ud83d']))).toBe(
      '{"messages":[{"role":"user","content":"cut \\ud83d\\n\\nx \\ud83d"},{"role":"user","content":"q"}]}',
    );
  });

  it('a pretty-printed list stays pretty', () => {
    const body =
      '{\n  "messages": [\n    {"role":"user","content":"a"},\n    {"role":"assistant","content":"b"},\n    {"role":"user","content":"c"}\n  ]\n}';
    const exchange = exchangeOf(openai.wire, openai.goldens.url, body);
    expect(openai.wire.render(exchange, plan([0], [0, 'B']))).toBe(body.replace('"content":"a"', '"content":"B"'));
    expect(openai.wire.render(exchange, plan([1]))).toBe(body.replace('    {"role":"assistant","content":"b"},\n', ''));
  });

  it('the same plan on a longer history renders the same leading bytes', () => {
    const history = [user('q1'), assistant('a1'), user('q2'), assistant('a2'), user('q3')];
    const longer = [...history, assistant('a3'), user('q4')];
    for (const { wire, goldens } of [openai, anthropic]) {
      const render = (messages: unknown[]): string =>
        wire.render(exchangeOf(wire, goldens.url, JSON.stringify({ max_tokens: 1, messages })), plan([0, 1], [0, 'block']));
      const short = render(history);
      expect(render(longer).startsWith(short.slice(0, short.lastIndexOf(']')))).toBe(true);
    }
  });
});

describe('openai-chat blocks keep user and assistant in turn', () => {
  it('join the following user message, in front of its words, which stay a string', () => {
    expect(
      openaiSent([{ role: 'system', content: 's' }, user('1'), assistant('2'), user('3')], plan([1, 2], [1, 'B1'], [1, 'B2'])),
    ).toEqual([{ role: 'system', content: 's' }, user('B1\n\nB2\n\n3')]);
  });

  it('join a list as its first elements', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    for (const [content, joined] of [
      [[text('3')], [text('B1'), text('B2'), text('3')]],
      [[image], [text('B1'), text('B2'), image]],
      [[], [text('B1'), text('B2')]],
    ])
      expect(openaiSent([user('1'), assistant('2'), user(content)], plan([0, 1], [0, 'B1'], [0, 'B2']))).toEqual([
        user(joined),
      ]);
  });

  it('are one user message of their own before an answer or a result', () => {
    expect(
      openaiSent([user('1'), assistant('2'), user('3'), assistant('4'), user('5')], plan([0, 1, 2], [0, 'B1'], [2, 'B2'])),
    ).toEqual([user('B1\n\nB2'), assistant('4'), user('5')]);
  });

  it('join the user message before them when an answer follows', () => {
    const history = [user('1'), assistant('2'), user('3'), assistant('4'), user('5')];
    expect(openaiSent(history, plan([1, 2], [1, 'B']))).toEqual([user('1\n\nB'), assistant('4'), user('5')]);
    expect(openaiSent([user([text('1')]), ...history.slice(1)], plan([1, 2], [1, 'B1'], [2, 'B2']))[0]).toEqual(
      user([text('1'), text('B1'), text('B2')]),
    );
  });

  it('leave every byte of the message they join: escapes, spacing, key order', () => {
    const body = (message: string): string =>
      `{"messages":[{"role":"user","content":"1"},{"role":"assistant","content":"2"}, ${message}]}`;
    for (const [message, joined] of [
      [
        '{"name":"ana" , "content" : "tok\\u00e9n \\/ \\ud83d", "role": "user" }',
        '{"name":"ana" , "content" : "B \\"q\\"\\n\\ntok\\u00e9n \\/ \\ud83d", "role": "user" }',
      ],
      [
        '{ "content" : [ {"type":"text", "text":"a\\u00e9"} ] , "role":"user" }',
        '{ "content" : [ {"type":"text","text":"B \\"q\\""},{"type":"text", "text":"a\\u00e9"} ] , "role":"user" }',
      ],
    ] as const) {
      const exchange = exchangeOf(openai.wire, openai.goldens.url, body(message));
      expect(openai.wire.render(exchange, plan([0, 1], [0, 'B "q"']))).toBe(`{"messages":[${joined}]}`);
    }
  });

  it('stand alone beside a message that takes nothing', () => {
    expect(openaiSent([user('1'), assistant('2'), user(null)], plan([0, 1], [0, 'B']))).toEqual([user('B'), user(null)]);
  });

  it('never come after the last message, never replace it, and never follow the newest words', () => {
    expect(openaiSent([user('1'), assistant('2'), user('3')], plan([0, 1, 2], [3, 'B']))).toEqual([user('B\n\n3')]);
    expect(openaiSent([user('1'), assistant('2')], plan([], [1, 'B']))).toEqual([user('1'), user('B'), assistant('2')]);
  });

  it('leave what they are and all before it to the byte, while the conversation grows', () => {
    const lines = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? user : assistant)(`line ${index}`));
    const render = (length: number, how: RenderPlan): string =>
      openai.wire.render(
        exchangeOf(openai.wire, openai.goldens.url, JSON.stringify({ messages: lines.slice(0, length) })),
        how,
      );
    for (const how of [plan([0, 1], [0, 'B']), plan([0, 1, 2], [0, 'B']), plan([1, 2], [1, 'B']), plan([1], [1, 'B'])]) {
      const short = render(5, how);
      for (const length of [7, 9, 11]) expect(render(length, how).startsWith(short.slice(0, -2))).toBe(true);
    }
  });

  it('for any alternating history and any range that ends with an answer: alternating, nothing kept is lost', () => {
    const cases = fc.array(fc.string({ unit: 'binary' }), { minLength: 3, maxLength: 9 }).chain((contents) =>
      fc.record({
        messages: fc.constant(contents.map((value, index) => (index % 2 === 0 ? user : assistant)(value) as Sent)),
        from: fc.nat(contents.length - 2),
        to: fc.nat(contents.length - 2),
      }),
    );
    fc.assert(
      fc.property(cases, ({ messages, from, to }) => {
        const [first, last] = [Math.min(from, to), Math.max(from, to)];
        // Leaving out an answer alone brings two questions of the client together: those stay two.
        fc.pre(messages[first]?.role !== 'assistant' || messages[last]?.role !== 'assistant');
        const omit = messages.flatMap((_, index) => (index >= first && index <= last ? [index] : []));
        const out = openaiSent(messages, plan(omit, [first, 'B']));
        expect(out.every((message, index) => message.role !== out[index - 1]?.role)).toBe(true);
        for (const kept of messages.filter((_, index) => !omit.includes(index)))
          expect(
            out.some(({ role, content }) => role === kept.role && (content as string).includes(kept.content as string)),
          ).toBe(true);
      }),
    );
  });
});

describe('anthropic-messages blocks keep user and assistant in turn', () => {
  it('merge into the following user message, in front of its text', () => {
    expect(anthropicSent([user('1'), assistant('2'), user('3')], plan([0, 1], [0, 'B1'], [0, 'B2']))).toEqual([
      user([text('B1'), text('B2'), text('3')]),
    ]);
  });

  it('merge into the previous user message, behind its text', () => {
    expect(anthropicSent([user('1'), assistant('2'), user('3'), assistant('4'), user('5')], plan([1, 2], [1, 'B']))).toEqual([
      user([text('1'), text('B')]),
      assistant('4'),
      user('5'),
    ]);
  });

  it('stand alone between assistant messages', () => {
    expect(anthropicSent([user('1'), assistant('2'), user('3'), assistant('4'), user('5')], plan([2], [2, 'B']))).toEqual([
      user('1'),
      assistant('2'),
      user([text('B')]),
      assistant('4'),
      user('5'),
    ]);
  });

  it('leave tool results first in their message', () => {
    const results = [
      { type: 'tool_result', tool_use_id: 'a', content: 'r' },
      { type: 'tool_result', tool_use_id: 'b' },
    ];
    for (const [content, merged] of [
      [
        [...results, text('go')],
        [...results, text('B'), text('go')],
      ],
      [results, [...results, text('B')]],
    ])
      expect(
        anthropicSent([user('1'), assistant('2'), user(content), assistant('4'), user('5')], plan([0, 1], [0, 'B']))[0],
      ).toEqual(user(merged));
  });

  it('keep every byte of the message they join', () => {
    const message =
      '{ "x_note" : 7 , "content" : [ {"type":"text", "text":"a\\u00e9" ,"cache_control":{"type":"ephemeral"}} ] , "role":"user" }';
    const body = `{"max_tokens":1,"messages":[{"role":"user","content":"1"},{"role":"assistant","content":"2"}, ${message}]}`;
    const exchange = exchangeOf(anthropic.wire, anthropic.goldens.url, body);
    const block = '{"type":"text","text":"B"},';
    expect(anthropic.wire.render(exchange, plan([0, 1], [0, 'B']))).toBe(
      `{"max_tokens":1,"messages":[${message.replace('[ {', `[ ${block}{`)}]}`,
    );
    const asString = '{"role": "user" ,"content" : "tok\\u00e9n" }';
    const other = exchangeOf(anthropic.wire, anthropic.goldens.url, body.replace(message, asString));
    expect(anthropic.wire.render(other, plan([0, 1], [0, 'B']))).toBe(
      `{"max_tokens":1,"messages":[{"role": "user" ,"content" : [${block}{"type":"text","text":"tok\\u00e9n"}] }]}`,
    );
  });

  it('never let an assistant message become the first', () => {
    expect(anthropicSent([user('1'), assistant('2'), user('3')], plan([0]))[0]).toEqual(user('1'));
    expect(anthropicSent([assistant('1'), user('2')], plan([]))).toEqual([assistant('1'), user('2')]);
  });

  it('keep an assistant prefill last, with its role and bytes', () => {
    const messages = [user('1'), assistant('2'), user('3'), assistant('Sure, ')];
    expect(anthropicSent(messages, plan([0, 1], [0, 'B']))).toEqual([user([text('B'), text('3')]), assistant('Sure, ')]);
  });

  it('leave messages together that the client put together', () => {
    const messages = [user('1'), user('2'), assistant('3'), user('4'), user('5')];
    expect(anthropicSent(messages, plan([2], [2, 'B']))).toEqual([
      user('1'),
      user([text('2'), text('B'), text('4')]),
      user('5'),
    ]);
  });

  it('leave a message alone whose content takes no elements', () => {
    expect(anthropicSent([user('1'), assistant('2'), user(null)], plan([0, 1], [0, 'B']))).toEqual([
      user([text('B')]),
      user(null),
    ]);
  });

  it('for any alternating history and any plan: alternating, opened by the user, nothing kept is lost', () => {
    const content = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('text'), text: fc.string() }),
          fc.record({ type: fc.constant('tool_result'), tool_use_id: fc.string() }),
        ),
        {
          maxLength: 4,
        },
      ),
    );
    const cases = fc.array(content, { minLength: 1, maxLength: 9 }).chain((contents) =>
      fc.record({
        messages: fc.constant(
          contents.map((value, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: value })),
        ),
        indent: fc.constantFrom(0, 2),
        how: anyPlan(contents.length),
      }),
    );
    fc.assert(
      fc.property(cases, ({ messages, indent, how }) => {
        const exchange = exchangeOf(
          anthropic.wire,
          anthropic.goldens.url,
          JSON.stringify({ max_tokens: 1, messages }, null, indent),
        );
        const rendered = anthropic.wire.render(exchange, how);
        const out = (JSON.parse(rendered) as { messages: Sent[] }).messages;
        expect(out.map((message) => message.role)).toEqual(out.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')));
        for (const { content: value } of out.filter((message) => message.role === 'user')) {
          if (typeof value === 'string') continue;
          const rest = value.findIndex((block) => block.type !== 'tool_result');
          const client = messages.some((message) => JSON.stringify(message.content) === JSON.stringify(value));
          if (rest >= 0 && !client && value.length > 1 && leadingOnly(messages))
            expect(value.slice(rest).some((block) => block.type === 'tool_result')).toBe(false);
        }
        // Every element of every kept message is there, byte for byte; so is each string token.
        for (const [index, message] of exchange.messages.entries()) {
          if (how.omit.has(index) && index !== messages.length - 1) continue;
          for (const piece of piecesOf(exchange.source.slice(message.source.start, message.source.end)))
            expect(rendered).toContain(piece);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** True when the client itself put every tool result first. */
function leadingOnly(messages: readonly { content: string | Block[] | unknown }[]): boolean {
  return messages.every(({ content }) => {
    if (!Array.isArray(content)) return true;
    const rest = (content as Block[]).findIndex((block) => block.type !== 'tool_result');
    return rest < 0 || !(content as Block[]).slice(rest).some((block) => block.type === 'tool_result');
  });
}

/** What stands around the content of a message, and its content's own pieces: all of it, in order. */
function aroundAndInside(slice: string): string[] {
  const root = parseJson(slice)?.root;
  const content = root?.kind === 'object' ? root.members.find((entry) => entry.key === 'content')?.value : undefined;
  if (content === undefined) return [slice];
  const items = content.kind === 'array' ? content.items : [];
  const [start, end] = [items[0]?.start ?? content.start + 1, items.at(-1)?.end ?? content.end - 1];
  return [slice.slice(0, start), slice.slice(start, end), slice.slice(end)];
}

/** The raw content elements of a message, or its raw string content. */
function piecesOf(slice: string): string[] {
  const root = parseJson(slice)?.root;
  const content = root?.kind === 'object' ? root.members.find((entry) => entry.key === 'content')?.value : undefined;
  if (content === undefined) return [];
  const nodes = content.kind === 'array' ? content.items : [content];
  return nodes.map((node) => slice.slice(node.start, node.end));
}

it('a render is made of the exchange alone: parsing twice gives the same bytes', () => {
  for (const { wire, goldens } of [openai, anthropic])
    for (const { body } of goldens.requests) {
      const doc = parseJson(body);
      if (doc === null) throw new Error('the golden is JSON');
      const once = wire.parse({ method: 'POST', url: goldens.url }, doc, sha256);
      const twice = exchangeOf(wire, goldens.url, body);
      expect(wire.render(once, plan([0], [0, 'B']))).toBe(wire.render(twice, plan([0], [0, 'B'])));
    }
});
