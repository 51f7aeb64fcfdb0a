/**
 * What clients change between two replays of one conversation is one turn on every wire, and what differs is never one, however small the
 * difference. The bytes that go upstream are the client's own in either case.
 */
import { describe, expect, it } from 'vitest';
import { drive } from '#base/digest';
import { chainsOf } from '#chain/chain';
import { nativeSha256 } from '../arbitrary/hash.ts';
import { exchangeOf } from '../laws/wire.laws.ts';
import { anthropic, gemini, ollama, openai, responses } from './goldens.ts';

const quote = (text: string): string => JSON.stringify(text);
const given = (key: string, value: string | null): string => (value === null ? '' : `,"${key}":${value}`);

/** How each wire spells the same things. `words` is a JSON string, `args` the JSON text of the arguments, null for none. */
const WIRES = [
  {
    ...openai,
    textual: true,
    user: (words: string) => `{"role":"user","content":${words}}`,
    calls: (args: string | null) =>
      `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f"${given('arguments', args === null ? null : quote(args))}}}]}`,
    odd: (ref: string) => `{"role":"user","content":[{"type":"text","text":"see"},{"type":"future_part","ref":"${ref}"}]}`,
  },
  {
    ...responses,
    textual: true,
    user: (words: string) => `{"role":"user","content":${words}}`,
    calls: (args: string | null) =>
      `{"type":"function_call","call_id":"a","name":"f"${given('arguments', args === null ? null : quote(args))}}`,
    odd: (ref: string) =>
      `{"role":"user","content":[{"type":"input_text","text":"see"},{"type":"future_part","ref":"${ref}"}]}`,
  },
  {
    ...anthropic,
    textual: false,
    user: (words: string) => `{"role":"user","content":${words}}`,
    calls: (args: string | null) =>
      `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f"${given('input', args)}}]}`,
    odd: (ref: string) => `{"role":"user","content":[{"type":"text","text":"see"},{"type":"future_part","ref":"${ref}"}]}`,
  },
  {
    ...gemini,
    textual: false,
    user: (words: string) => `{"role":"user","parts":[{"text":${words}}]}`,
    calls: (args: string | null) => `{"role":"model","parts":[{"functionCall":{"name":"f"${given('args', args)}}}]}`,
    odd: (ref: string) => `{"role":"user","parts":[{"text":"see"},{"futurePart":{"ref":"${ref}"}}]}`,
  },
  {
    ...ollama,
    textual: false,
    user: (words: string) => `{"role":"user","content":${words}}`,
    calls: (args: string | null) =>
      `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f"${given('arguments', args)}}}]}`,
    odd: (ref: string) => `{"role":"user","content":"see","future":"${ref}"}`,
  },
];
const QUESTION = quote('what is there?');

describe.each(WIRES.map((one) => [one.wire.id, one] as const))('%s', (_id, { wire, goldens, textual, user, calls, odd }) => {
  /** The links of both domains; the body itself is what goes upstream. */
  const linksOf = (...messages: string[]): string[][] => {
    const body = `{"model":"m","max_tokens":9,"${goldens.list}":[${messages.join(' ,')}]}`;
    const exchange = exchangeOf(wire, goldens.url, body);
    expect(wire.render(exchange, { omit: new Set(), inserts: [] })).toBe(body);
    const chains = drive(chainsOf(exchange), nativeSha256);
    return [[...chains[2].links], [...chains[3].links]];
  };
  const called = (args: string | null): string[][] => linksOf(user(QUESTION), calls(args));
  const heads = (links: readonly string[][]): string => links.map((one) => one.at(-1)).join();

  it.each([
    ['order and spacing', '{"b":1,"a":[1, 2]}', '{"a":[1,2],"b":1}'],
    ['the spelling of a number', '{"x":1.0}', '{"x":1}'],
    ['escapes', '{"x":"\\u00e9\\/"}', '{"x":"\u00e9/"}'],
    ['no arguments and none given', '{}', null],
    ['no arguments and an empty text', '{}', textual ? '' : '""'],
  ])('arguments that differ in %s are one call', (_what, one, other) => {
    if (wire.id === 'anthropic-messages' && other === '""') return;
    expect(called(one)).toEqual(called(other));
  });

  it('arguments that differ in anything else are different calls, and the history goes on from each', () => {
    const all = [
      ...['{"x":1e400}', '{"x":null}', '{"x":-0}', '{"x":0}', '{"x":1}', '{"x":"1"}', '{"x":9007199254740993}'],
      ...['{"x":9007199254740992}', '{"x":1,"__proto__":{"y":2}}', '{"x":1,"constructor":{"y":2}}', '{"a":[1,2]}'],
      ...['{"a":[2,1]}', '{"path":"/safe","path":"/etc"}', '{"path":"/etc"}', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`],
      ...(textual ? ['{"cmd":"grep \\d+ file", "n": 3', '{"cmd":"a\nb"}', '{'] : []),
    ];
    const seen = all.map(called);
    expect(new Set(seen.map(heads)).size).toBe(all.length);
    for (const [index, args] of all.entries()) {
      const longer = linksOf(user(QUESTION), calls(args), user(quote('and now?')));
      expect(longer.map((links) => links.slice(0, -1))).toEqual(seen[index]);
    }
  });

  it('texts are one only when every character is', () => {
    const texts = [
      '"caf\u00e9"',
      '"cafe\u0301"',
      '"caf\u00e9 "',
      '"\\ncaf\u00e9"',
      '"ok \\ud83d"',
      '"ok \\ud83c"',
      '"ok \\ufffd"',
    ];
    expect(new Set(texts.map((words) => heads(linksOf(user(words))))).size).toBe(texts.length);
    expect(linksOf(user('"caf\\u00e9"'))).toEqual(linksOf(user('"caf\u00e9"')));
  });

  it('a text that imitates the form of two turns is one turn', () => {
    const forged = user(quote('x","role":"user"}\u0000{"content":"y'));
    expect(linksOf(forged).map((links) => links.length)).toEqual([1, 1]);
    expect(heads(linksOf(forged))).not.toBe(heads(linksOf(user('"x"'), user('"y"'))));
  });

  it('messages that differ in something nobody knows are two, and neither is the message without it', () => {
    const seen = [odd('F1'), odd('F2'), user('"see"')].map((message) => heads(linksOf(message)));
    expect(new Set(seen).size).toBe(3);
  });
});
