import { describe, expect, it } from 'vitest';
import { parseJson } from '#base/json';
import { unitsOf } from '#fold/pairs';
import { canonOf } from '#neutral/canon';
import type { Exchange, Message } from '#neutral/message';
import { project } from '#neutral/project';
import { recognise } from '#wire/registry';
import { exchangeOf } from '../../laws/wire.laws.ts';
import { ollama, openai } from '../goldens.ts';

const { wire, goldens } = ollama;
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const request = (body: object): Exchange =>
  exchangeOf(wire, goldens.url, JSON.stringify({ messages: [{ role: 'user', content: 'q' }], ...body }));
function golden(name: string): Exchange {
  const found = goldens.requests.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is a golden ${name}`);
  return exchangeOf(wire, goldens.url, found.body);
}
function message(raw: string): Message {
  const [parsed] = exchangeOf(wire, goldens.url, `{"messages":[${raw}]}`).messages;
  if (parsed === undefined) throw new Error('one message');
  return parsed;
}
const bare = ({ parts }: Message): unknown[] => parts.map(({ span: _, ...rest }) => rest);
const canons = (exchange: Exchange, domain: 2 | 3 = 2): string[] => project(exchange, domain).turns.map(canonOf);
const canonsOf = (...messages: unknown[]): string[] => canons(request({ messages }));

describe('ollama-chat is recognised by its path and its messages', () => {
  const doc = parseJson('{"messages":[]}');
  if (doc === null) throw new Error('JSON');

  it.each(['http://localhost:11434/api/chat', 'https://chat.example/ollama/api/chat/', '/api/chat?x=1'])('%s', (url) => {
    expect(recognise({ method: 'post', url }, doc)?.id).toBe('ollama-chat');
  });

  it.each(['http://localhost:11434/api/generate', 'http://localhost:11434/api/embed', 'http://localhost:11434/v1/chat'])(
    'not %s',
    (url) => {
      expect(recognise({ method: 'POST', url }, doc)).toBeNull();
    },
  );
});

describe('ollama-chat says losslessly what was sent', () => {
  it('calls have objects as arguments and no ids, results a name', () => {
    const { messages, environment } = golden('tools');
    expect(messages.map(({ role }) => role).join(' ')).toBe('user assistant tool tool assistant user');
    expect(messages.every(({ opaque }) => opaque === undefined)).toBe(true);
    expect(bare(messages[1] as Message)).toEqual([
      { kind: 'call', name: 'weather', arguments: '{"city":"Oslo","exact":1.5}', source: '{"city": "Oslo", "exact": 1.5}' },
      { kind: 'call', name: 'weather', arguments: '{"city":"Bergen"}', source: '{"city": "Bergen"}' },
    ]);
    expect(bare(messages[2] as Message)).toEqual([{ kind: 'result', text: '4 degrees', name: 'weather' }]);
    expect(environment.tools).toContain('"Weather of a place."');
  });

  it('numbers in arguments keep their digits, and the text of an object is that object', () => {
    const call = (args: string): Message =>
      message(`{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":${args}}}]}`);
    expect(bare(call('{"id":9007199254740993}'))).toMatchObject([{ arguments: '{"id":9007199254740993}' }]);
    expect(bare(call('"{\\"b\\":1, \\"a\\":2}"'))).toMatchObject([{ arguments: '{"a":2,"b":1}', source: '{"b":1, "a":2}' }]);
    expect(bare(call('null'))).toMatchObject([{ arguments: '{}', source: '' }]);
  });

  it('images are media by their bytes, the same picture as on any wire', () => {
    const [first] = golden('media').messages;
    const [image] = (first as Message).parts.flatMap((part) => (part.kind === 'media' ? [part.media] : []));
    expect(image).toMatch(/^sha256:[0-9a-f]{64}$/);
    const there = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } };
    const same = exchangeOf(
      openai.wire,
      openai.goldens.url,
      JSON.stringify({ messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, there] }] }),
    );
    expect(canons(same)[0]).toBe(canons(golden('media'))[0]);
  });

  it('reasoning replayed under any name is reasoning, and two different ones are not understood', () => {
    for (const key of ['thinking', 'reasoning', 'reasoning_content'])
      expect(bare(message(`{"role":"assistant","content":"a","${key}":"p"}`))).toEqual([
        { kind: 'reasoning', text: 'p' },
        { kind: 'text', text: 'a' },
      ]);
    expect(message('{"role":"assistant","content":"a","thinking":"p","reasoning":"p"}').opaque).toBeUndefined();
    expect(message('{"role":"assistant","content":"a","thinking":"p","reasoning":"other"}').opaque).toBeDefined();
  });

  it.each([
    '{"role":"user"}',
    '{"role":"user","content":[{"type":"text","text":"a"}]}',
    '{"role":"user","content":"a","images":["%%%"]}',
    '{"role":"user","content":"a","images":"AAAA"}',
    '{"role":"user","content":"a","tool_calls":[{"function":{"name":"f","arguments":{}}}]}',
    '{"role":"assistant","content":"a","tool_calls":[{"function":{"arguments":{}}}]}',
    '{"role":"assistant","content":"a","tool_calls":[{"function":{"name":"f","arguments":{},"strict":true}}]}',
    '{"role":"tool","content":"a","images":[7]}',
    '{"role":"developer","content":"a"}',
    '{"role":"user","content":"a","content":"b"}',
  ])('what it does not understand is opaque: %s', (raw) => {
    expect(message(raw).opaque).toBeDefined();
  });
});

describe('ollama-chat identity does not depend on how a client spells', () => {
  it('an empty answer, none, null and an empty list of calls are one', () => {
    const forms = [{ content: '' }, { content: null }, {}, { content: '', tool_calls: [] }, { content: '', images: null }];
    const call = { tool_calls: [{ function: { name: 'f', arguments: {} } }] };
    expect(new Set(forms.map((form) => canonsOf({ role: 'assistant', ...form, ...call })[0])).size).toBe(1);
  });

  it('the name of a tool, an id and the numbers of calls are not part of it', () => {
    const call = (more: object, inner: object): string | undefined =>
      canonsOf({
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'f', arguments: { a: 1 }, ...inner }, ...more }],
      })[0];
    expect(call({ id: 'call_1', type: 'function' }, { index: 0 })).toBe(call({}, {}));
    const result = (more: object): string | undefined => canonsOf({ role: 'tool', content: 'r', ...more })[0];
    expect(result({ tool_name: 'f' })).toBe(result({ name: 'f', tool_call_id: 'call_1' }));
  });

  it('reasoning that is there in one replay and gone in the next changes no turn of the second domain', () => {
    const said = (more: object): string[] =>
      canonsOf({ role: 'user', content: 'q' }, { role: 'assistant', content: 'a', ...more }, { role: 'user', content: 'r' });
    expect(said({ reasoning: 'p' })).toEqual(said({}));
  });
});

describe('ollama-chat pairs without ids', () => {
  const calls = (...names: string[]): object => ({
    role: 'assistant',
    content: '',
    tool_calls: names.map((name) => ({ function: { name, arguments: {} } })),
  });
  const result = (tool_name?: string): object => ({
    role: 'tool',
    content: 'r',
    ...(tool_name === undefined ? {} : { tool_name }),
  });
  const question = { role: 'user', content: 'q' };
  const units = (...messages: object[]): unknown[] =>
    unitsOf(request({ messages })).map(({ first, last, open }) => [first, last, open]);

  it('a batch with its results in order, with names or without', () => {
    const pair = [
      [0, 0, false],
      [1, 3, false],
      [4, 4, false],
    ];
    expect(units(question, calls('f', 'g'), result('f'), result('g'), question)).toEqual(pair);
    expect(units(question, calls('f', 'f'), result('f'), result('f'), question)).toEqual(pair);
    expect(units(question, calls('f', 'g'), result(), result(), question)).toEqual(pair);
    expect(units(question, calls('f', 'g'), result('g'), result('f'), question)).toEqual(pair);
  });

  it('several batches keep to their own results', () => {
    expect(
      units(question, calls('f'), result('f'), { role: 'assistant', content: 'a' }, question, calls('f'), result('f')),
    ).toEqual([
      [0, 0, false],
      [1, 2, false],
      [3, 3, false],
      [4, 4, false],
      [5, 6, false],
    ]);
  });

  it('a call without a result and a result without a call stay open', () => {
    expect(units(question, calls('f', 'g'), result('f'), question).filter((unit) => (unit as unknown[])[2])).toEqual([
      [1, 2, true],
    ]);
    expect(units(question, result('f'), question)).toEqual([
      [0, 0, false],
      [1, 1, true],
      [2, 2, false],
    ]);
  });
});

describe('ollama-chat environment', () => {
  it('is streamed unless it says false', () => {
    expect(request({}).stream).toBe(true);
    expect(request({ stream: true }).stream).toBe(true);
    expect(request({ stream: null }).stream).toBe(true);
    expect(request({ stream: false }).stream).toBe(false);
  });

  it('a format constrains the answer, an empty one does not', () => {
    for (const [format, constrained] of [
      ['json', true],
      [{ type: 'object' }, true],
      ['', false],
      [null, false],
    ] as const)
      expect(request({ format }).environment.constrained).toBe(constrained);
  });

  it('the window and the budget are what the options say, when they say one', () => {
    expect(golden('reasoning').environment).toMatchObject({ model: 'qwen3:8b', window: 8192, maxOutput: 900 });
    expect(request({ options: { num_predict: -1, num_ctx: 0 } }).environment).toEqual({
      model: null,
      system: '',
      tools: null,
      constrained: false,
      maxOutput: null,
    });
  });

  it('the leading run of system messages is the environment', () => {
    const messages = [
      { role: 'system', content: 'a' },
      { role: 'system', content: 'b' },
      { role: 'user', content: 'q' },
      { role: 'system', content: 'later' },
    ];
    expect(request({ messages }).environment.system).toBe('a\n\nb');
    expect(canons(request({ messages }))).toHaveLength(2);
  });
});

describe('a request for a summary', () => {
  const prompt = { system: 'Throughline fold request\n', user: '\u2039 history \ud83d', maxOutput: 400, model: 'm' };
  const like = (body: object): Exchange => request({ model: 'm', ...body });
  const made = (from?: Exchange): Record<string, unknown> =>
    JSON.parse(wire.summaryBody(prompt, from)) as Record<string, unknown>;

  it('is one of this wire, not streamed, not constrained, without tools', () => {
    const exchange = exchangeOf(wire, wire.summaryUrl(goldens.url), wire.summaryBody(prompt));
    expect(exchange).toMatchObject({
      stream: false,
      environment: { model: 'm', system: prompt.system, tools: null, constrained: false, maxOutput: 400 },
    });
    expect(exchange.messages[1]?.parts).toMatchObject([{ kind: 'text', text: prompt.user }]);
  });

  it('is loaded as the conversation is, and speaks as nobody asked it to', () => {
    const options = { num_ctx: 8192, num_gpu: 20, temperature: 1.5, stop: ['a'], num_predict: 7 };
    const body = made(like({ options, keep_alive: '30m', tools: [{}], format: 'json', think: true }));
    expect(body.options).toEqual({ num_ctx: 8192, num_gpu: 20, num_predict: 400 });
    expect(body).toMatchObject({ keep_alive: '30m', think: false });
    expect(Object.keys(body)).not.toContain('format');
  });

  it('has room to think where a level says that the model does in any case', () => {
    expect(made(like({ think: 'low' }))).toMatchObject({ think: 'low', options: { num_predict: 400 + 4096 } });
  });

  it('takes nothing from a conversation with another model', () => {
    expect(made(like({ model: 'other', options: { num_ctx: 8192 }, keep_alive: -1 }))).toEqual(made());
  });
});
