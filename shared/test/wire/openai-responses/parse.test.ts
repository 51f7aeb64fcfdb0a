import { describe, expect, it } from 'vitest';
import { sha256 } from '#base/digest';
import { canonOf } from '#neutral/canon';
import type { Exchange, Message, Part } from '#neutral/message';
import { project } from '#neutral/project';
import { exchangeOf } from '../../laws/wire.laws.ts';
import { responses } from '../goldens.ts';

const { wire, goldens } = responses;

function golden(name: string): Exchange {
  const found = goldens.requests.find((request) => request.name === name);
  if (found === undefined) throw new Error(`there is a golden ${name}`);
  return exchangeOf(wire, goldens.url, found.body);
}

const request = (body: object): Exchange => exchangeOf(wire, goldens.url, JSON.stringify({ model: 'm', input: [], ...body }));
const items = (...input: unknown[]): readonly Message[] => request({ input }).messages;
const bare = (parts: readonly Part[]): unknown[] => parts.map(({ span: _, ...part }) => part);
const partsOf = (item: unknown): unknown[] => bare(items(item)[0]?.parts ?? []);
const canons = (exchange: Exchange, domain: 2 | 3 = 2): string[] => project(exchange, domain).turns.map(canonOf);

describe('openai-responses says losslessly what was sent', () => {
  it('each item is a message, with the role of whoever made it', () => {
    const { messages } = golden('tools');
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'developer user user assistant assistant assistant assistant tool tool assistant tool assistant assistant user',
    );
    expect(messages.every(({ opaque }) => opaque === undefined)).toBe(true);
    expect(messages.map(({ environment }) => environment ?? false).indexOf(true)).toBe(1);
    expect(messages.filter(({ environment }) => environment)).toHaveLength(1);
  });

  it('calls of both kinds, and outputs as text or as parts', () => {
    const { messages } = golden('tools');
    expect(messages.slice(5, 11).map(({ parts }) => bare(parts))).toEqual([
      [
        {
          kind: 'call',
          name: 'search',
          arguments: '{"q":1,"tags":["b","a"]}',
          source: '{"tags": ["b", "a"], "q": 1.0}',
          callId: 'call_1',
        },
      ],
      [{ kind: 'call', name: 'now', arguments: '{}', source: '', callId: 'call_2' }],
      [{ kind: 'result', text: 'found', callId: 'call_1' }],
      [{ kind: 'result', text: '12:00', callId: 'call_2' }],
      [
        {
          kind: 'call',
          name: 'apply_patch',
          arguments: '"*** Begin Patch\\n{}"',
          source: '*** Begin Patch\n{}',
          callId: 'call_3',
        },
      ],
      [{ kind: 'result', text: 'done', callId: 'call_3' }],
    ]);
  });

  it('reasoning with its words; without any it is hidden, never the message’s text', () => {
    const { messages } = golden('tools');
    expect(bare(messages[3]?.parts ?? [])).toEqual([{ kind: 'reasoning', text: '', redacted: true }]);
    expect(bare(messages[11]?.parts ?? [])).toEqual([
      { kind: 'reasoning', text: 'Patched.' },
      { kind: 'reasoning', text: ' All well.' },
    ]);
  });

  it('a message with or without its type, its content a string or parts', () => {
    const forms = [
      { role: 'assistant', content: 'hello' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello', annotations: [], logprobs: [] }] },
      {
        id: 'msg_1',
        status: 'completed',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'hello' }],
      },
      {
        role: 'assistant',
        phase: 'final_answer',
        content: [
          { type: 'input_text', text: 'hel' },
          { type: 'text', text: 'lo' },
        ],
      },
    ];
    expect(new Set(forms.map((form) => canons(request({ input: [form] }))[0]))).toEqual(
      new Set(['{"content":"hello","role":"assistant"}']),
    );
  });

  it('a string input is one message of the user, wherever its quotes stand', () => {
    const exchange = golden('text');
    expect(exchange.messages).toMatchObject([
      { role: 'user', parts: [{ kind: 'text', text: 'Tell me of tok\u00e9ns / \ud83d.' }] },
    ]);
    expect(canons(exchange)).toEqual(
      canons(request({ input: [{ role: 'user', content: 'Tell me of tok\u00e9ns / \ud83d.' }] })),
    );
  });

  it('one answer over several items is one turn; text in the same answer as a call is kept only in the third domain', () => {
    expect(canons(golden('tools'))).toEqual([
      '{"content":"find the bug","role":"user"}',
      '{"content":[{"arguments":{"q":1,"tags":["b","a"]},"name":"search"},{"arguments":{},"name":"now"}],"role":"assistant"}',
      '{"content":"found","role":"tool"}',
      '{"content":"12:00","role":"tool"}',
      '{"content":[{"arguments":"*** Begin Patch\\n{}","name":"apply_patch"}],"role":"assistant"}',
      '{"content":"done","role":"tool"}',
      '{"content":"Fixed.","role":"assistant"}',
      '{"content":"thanks, and the tests?","role":"user"}',
    ]);
    expect(canons(golden('tools'), 3)[1]).toContain('"text":"Let me look."');
    expect(canons(golden('tools'), 3)[6]).toBe('{"content":"Patched. All well.Fixed.","role":"assistant"}');
  });

  it('reasoning that is there in one replay and gone in the next changes no turn of the second domain', () => {
    const said = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'q2' },
    ];
    const thought = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'p' }] };
    expect(canons(request({ input: said.toSpliced(1, 0, thought as never) }))).toEqual(canons(request({ input: said })));
  });

  it('ids, status and what the server encrypted are no part of an answer', () => {
    const answer = (mark: string): object[] => [
      { type: 'reasoning', id: `rs_${mark}`, summary: [], encrypted_content: mark },
      { type: 'function_call', id: `fc_${mark}`, call_id: mark, name: 'f', arguments: '{}', status: 'completed' },
      { type: 'function_call_output', id: `fco_${mark}`, call_id: mark, output: 'r' },
      { type: 'message', id: `msg_${mark}`, role: 'assistant', content: 'a' },
    ];
    for (const domain of [2, 3] as const)
      expect(canons(request({ input: answer('one') }), domain)).toEqual(canons(request({ input: answer('two') }), domain));
  });

  it.each([
    ['""', '{}'],
    ['null', '{}'],
    ['"{ }"', '{}'],
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['"{\\"a\\":"', '"{\\"a\\":"'],
    ['"{\\"a\\":1,\\"a\\":2}"', '"{\\"a\\":1,\\"a\\":2}"'],
    ['"{\\"x\\":1e400}"', '{"x":1e400}'],
  ])('arguments %s are %s', (given, canonical) => {
    const raw = `{"input":[{"type":"function_call","call_id":"a","name":"f","arguments":${given}}]}`;
    expect(exchangeOf(wire, goldens.url, raw).messages).toMatchObject([{ parts: [{ kind: 'call', arguments: canonical }] }]);
  });
});

describe('environment', () => {
  it('is `instructions` and the leading run of system and developer items', () => {
    expect(golden('tools').environment).toMatchObject({
      model: 'gpt-5-codex',
      system: 'You write code.\n\nSandbox: read only.',
      constrained: false,
      maxOutput: 4096,
    });
    expect(golden('sdk')).toMatchObject({ stream: true, environment: { system: 'You are terse.', tools: null } });
    expect(golden('text')).toMatchObject({ stream: false, environment: { system: '', maxOutput: 300 } });
  });

  it('system and developer items are no turns, wherever they stand', () => {
    const without = [
      { role: 'user', content: 'q1' },
      { role: 'assistant', content: 'a1' },
      { role: 'user', content: 'q2' },
    ];
    const input = without.toSpliced(2, 0, { role: 'developer', content: 'in French' });
    for (const domain of [2, 3] as const)
      expect(canons(request({ input }), domain)).toEqual(canons(request({ input: without }), domain));
  });

  it.each([
    [{ tool_choice: 'required' }, true],
    [{ tool_choice: 'auto' }, false],
    [{ tool_choice: null }, false],
    [{ tool_choice: { type: 'function', name: 'f' } }, true],
    [{ text: { format: { type: 'json_schema', name: 'n', schema: {} } } }, true],
    [{ text: { format: { type: 'json_object' } } }, true],
    [{ text: { format: { type: 'text' } } }, false],
    [{ text: { verbosity: 'low' } }, false],
  ])('%j: constrained is %s', (extra, constrained) => {
    expect(request(extra).environment.constrained).toBe(constrained);
  });

  it('a stored prompt template is environment, not history', () => {
    expect(request({ prompt: { id: 'pmpt_1' }, input: [{ role: 'user', content: 'q' }] }).delta).toBeUndefined();
  });
});

describe('history on the server is told, with what says so', () => {
  it.each(['chained', 'reference', 'conversation'])('%s', (name) => {
    const said = { chained: 'previous_response_id', reference: 'item_reference', conversation: 'conversation' }[name];
    expect(golden(name).delta).toBe(said);
  });

  it.each([
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ input: [{ id: 'msg_1' }] }, 'item_reference'],
    [{ input: [{ type: null, id: 'msg_1' }] }, 'item_reference'],
    [{ previous_response_id: null, conversation: null }, undefined],
    [{ input: [{ id: 'msg_1', role: 'user', content: 'q' }] }, undefined],
  ])('%j: %s', (body, delta) => {
    expect(request(body).delta).toBe(delta);
  });
});

describe('media', () => {
  it('pictures and files by their bytes or their link; a bare id is not understood', () => {
    const { messages } = golden('media');
    expect(bare(messages[0]?.parts ?? [])).toEqual([
      { kind: 'text', text: 'see' },
      { kind: 'media', media: 'sha256:4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6' },
      { kind: 'media', media: 'url:https://example.com/a.png' },
    ]);
    expect(bare(messages[1]?.parts ?? [])).toEqual([{ kind: 'refusal', text: 'I cannot.' }]);
    expect(bare(messages[2]?.parts ?? [])).toEqual([
      { kind: 'media', media: 'url:https://example.com/a.pdf' },
      { kind: 'media', media: `sha256:${sha256('a')}` },
    ]);
    expect(messages.map(({ opaque }) => opaque !== undefined)).toEqual([false, false, false, false, true, false, false]);
  });

  it('inside a call’s output too', () => {
    expect(
      partsOf({
        type: 'function_call_output',
        call_id: 'c',
        output: [{ type: 'input_image', image_url: 'https://example.com/a.png' }],
      }),
    ).toEqual([{ kind: 'result', text: '', media: ['url:https://example.com/a.png'], callId: 'c' }]);
  });

  it('a file that is named, or given twice, is not understood', () => {
    for (const part of [
      { type: 'input_file', filename: 'a.txt', file_data: 'YQ==' },
      { type: 'input_file', file_url: 'https://example.com/a', file_data: 'YQ==' },
      { type: 'input_image', file_id: 'file-1' },
    ])
      expect(items({ role: 'user', content: [part] })[0]?.opaque).toBeDefined();
  });
});

describe('what is unknown is taken whole', () => {
  it('built-in tools, unknown parts and roles, duplicates, strays and unaccounted members', () => {
    expect(golden('odd').messages.map(({ role, opaque }) => `${role}${opaque === undefined ? '' : '!'}`)).toEqual([
      'user',
      'assistant',
      'assistant!',
      'assistant',
      'user!',
      'assistant!',
      'unknown!',
      'unknown!',
      'unknown!',
      'assistant!',
      'assistant!',
      'system',
      'user',
    ]);
  });

  it('an item of a type yet unknown is the model’s unless it answers something, so it is never parted from its reasoning', () => {
    expect(
      items({ type: 'future_call', id: 'x_1' }, { type: 'future_call_output', call_id: 'c' }).map(({ role }) => role),
    ).toEqual(['assistant', 'unknown']);
  });

  it('an item of the developer is environment, whatever its type', () => {
    const tools = { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f' }] };
    const question = { role: 'user', content: 'q' };
    expect(canons(request({ input: [tools, question] }))).toEqual(canons(request({ input: [question] })));
  });

  it('marks for the prompt cache are no part of what was said', () => {
    const marked = { type: 'input_text', text: 'q', prompt_cache_breakpoint: { mode: 'explicit' } };
    expect(partsOf({ role: 'user', content: [marked] })).toEqual([{ kind: 'text', text: 'q' }]);
  });

  it('two items that differ only in what is unknown stay two', () => {
    const [one, other] = items(
      { type: 'web_search_call', action: { query: 'a' } },
      { type: 'web_search_call', action: { query: 'b' } },
    );
    expect(one?.opaque).not.toBe(other?.opaque);
  });
});

it('a summary request is one its own wire recognises, kept nowhere, not streamed, without tools', () => {
  const prompt = { system: 'Throughline fold request\nSum up.', user: 'data', maxOutput: 900, model: 'm' };
  const body = wire.summaryBody(prompt);
  const exchange = exchangeOf(wire, wire.summaryUrl(goldens.url), body);
  expect(exchange).toMatchObject({
    stream: false,
    environment: { tools: null, maxOutput: 900, model: 'm', system: prompt.system, constrained: false },
  });
  expect(exchange.messages).toMatchObject([{ role: 'user', parts: [{ kind: 'text', text: 'data' }] }]);
  expect(JSON.parse(body)).toMatchObject({ store: false });
});
