import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RenderPlan } from '#wire/wire';
import { anyPlan, exchangeOf } from '../../laws/wire.laws.ts';
import { ollama } from '../goldens.ts';

const { wire, goldens } = ollama;

interface Sent {
  role: string;
  content?: string | null;
  images?: string[];
}

const plan = (omit: number[], ...inserts: [number, string][]): RenderPlan => ({
  omit: new Set(omit),
  inserts: inserts.map(([before, text]) => ({ before, text })),
});
const rendered = (body: string, how: RenderPlan): string => wire.render(exchangeOf(wire, goldens.url, body), how);
const sent = (messages: Sent[], how: RenderPlan): Sent[] =>
  (JSON.parse(rendered(JSON.stringify({ messages }), how)) as { messages: Sent[] }).messages;
const user = (content: string, more: object = {}): Sent => ({ role: 'user', content, ...more });
const assistant = (content: string): Sent => ({ role: 'assistant', content });

describe('ollama-chat blocks keep user and assistant in turn', () => {
  it('join the following user message, in front of its words; its images stay its own', () => {
    const images = ['iVBORw0KGgo='];
    expect(sent([user('1'), assistant('2'), user('3', { images })], plan([0, 1], [0, 'B1'], [0, 'B2']))).toEqual([
      user('B1\n\nB2\n\n3', { images }),
    ]);
  });

  it('join the user message before them when an answer follows', () => {
    const history = [user('1'), assistant('2'), user('3'), assistant('4'), user('5')];
    expect(sent(history, plan([1, 2], [1, 'B']))).toEqual([user('1\n\nB'), assistant('4'), user('5')]);
  });

  it('are a user message of their own between others, and beside one whose content takes nothing', () => {
    const history = [user('1'), assistant('2'), user('3'), assistant('4'), user('5')];
    expect(sent(history, plan([0, 1, 2], [0, 'B1'], [2, 'B2']))).toEqual([user('B1\n\nB2'), assistant('4'), user('5')]);
    const picture: Sent = { role: 'user', images: ['AAAA'] };
    expect(sent([user('1'), assistant('2'), picture], plan([0, 1], [0, 'B']))).toEqual([user('B'), picture]);
  });

  it('never stand after the newest words of the user, also while tools are at work', () => {
    const calling: Sent = { role: 'assistant', content: '' };
    const history = [user('1'), assistant('2'), user('3'), calling, { role: 'tool', content: 'r' }];
    expect(sent(history, plan([0, 1], [0, 'B']))).toEqual([user('B\n\n3'), ...history.slice(3)]);
  });

  it('content is text whatever the plan, as the server wants it', () => {
    for (const { name, body } of goldens.requests) {
      if (name === 'odd') continue;
      const exchange = exchangeOf(wire, goldens.url, body);
      fc.assert(
        fc.property(anyPlan(exchange.messages.length), (how) => {
          const { messages } = JSON.parse(wire.render(exchange, how)) as { messages: Sent[] };
          for (const { content } of messages) expect(typeof content).toBe('string');
        }),
      );
    }
  });
});

describe('what is kept is the client’s own text', () => {
  it('escapes, spacing and key order of a message that a block joins', () => {
    const body =
      '{"messages":[{"role":"user","content":"1"},{"role":"assistant","content":"2"}, {"images":[], "content" : "tok\\u00e9n \\/ \\ud83d", "role":"user"}],"stream":true}';
    expect(rendered(body, plan([0, 1], [0, 'B "q"']))).toBe(
      '{"messages":[{"images":[], "content" : "B \\"q\\"\\n\\ntok\\u00e9n \\/ \\ud83d", "role":"user"}],"stream":true}',
    );
  });

  it('objects of arguments, options and everything around the list are spliced raw', () => {
    const golden = goldens.requests.find(({ name }) => name === 'tools');
    if (golden === undefined) throw new Error('there is a request with tools');
    const folded = rendered(golden.body, plan([4], [4, 'B']));
    expect(folded).toContain('"arguments": {"city": "Oslo", "exact": 1.5}');
    expect(folded.startsWith(golden.body.slice(0, golden.body.indexOf('"messages"')))).toBe(true);
  });

  it('the same plan on a longer history renders the same leading bytes', () => {
    const history = [user('1'), assistant('2'), user('3'), assistant('4'), user('5')];
    const render = (messages: Sent[]): string => rendered(JSON.stringify({ messages }), plan([0, 1], [0, 'B']));
    const short = render(history);
    expect(render([...history, assistant('6'), user('7')]).startsWith(short.slice(0, short.lastIndexOf(']')))).toBe(true);
  });
});
