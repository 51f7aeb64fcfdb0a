import { describe, expect, it } from 'vitest';
import { sha256 } from '#base/digest';
import type { Exchange, Message, Part } from '#neutral/message';
import { mediaOfUrl } from '#wire/media';
import { exchangeOf } from '../laws/wire.laws.ts';
import { anthropic, openai } from './goldens.ts';

const IMAGE = 'sha256:4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6';

function golden(of: typeof openai, name: string): Exchange {
  const found = of.goldens.requests.find((request) => request.name === name);
  if (found === undefined) throw new Error(`there is a golden ${name}`);
  return exchangeOf(of.wire, of.goldens.url, found.body);
}

const request = (of: typeof openai, body: object): Exchange =>
  exchangeOf(of.wire, of.goldens.url, JSON.stringify({ max_tokens: 5, messages: [], ...body }));
const message = (of: typeof openai, raw: string): Message => {
  const [parsed] = exchangeOf(of.wire, of.goldens.url, `{"max_tokens":1,"messages":[${raw}]}`).messages;
  if (parsed === undefined) throw new Error('one message');
  return parsed;
};
const bare = (parts: readonly Part[]): unknown[] => parts.map(({ span: _, ...part }) => part);
const partsOf = (of: typeof openai, content: unknown, role = 'user'): unknown[] =>
  bare(message(of, JSON.stringify({ role, content })).parts);

describe('openai-chat says losslessly what was sent', () => {
  it('roles, author, calls in both spellings, results, refusal', () => {
    const { messages } = golden(openai, 'tools');
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'user assistant tool tool assistant user assistant tool assistant user',
    );
    expect(messages.every(({ opaque }) => opaque === undefined)).toBe(true);
    expect(bare(messages[1]?.parts ?? [])).toEqual([
      {
        kind: 'call',
        name: 'search',
        arguments: '{"q":1,"tags":["b","a"]}',
        source: '{"tags": ["b", "a"], "q": 1.0}',
        callId: 'call_1',
      },
      { kind: 'call', name: 'now', arguments: '{}', source: '', callId: 'call_2' },
    ]);
    expect(messages[3]?.parts).toEqual([{ kind: 'result', text: '12:00', callId: 'call_2' }]);
    expect(bare(messages[6]?.parts ?? [])).toEqual([
      { kind: 'call', name: 'search', arguments: '{"id":9007199254740993}', source: '{"id":9007199254740993}' },
    ]);
    expect(messages[7]).toMatchObject({ role: 'tool', parts: [{ kind: 'result', text: 'nothing', name: 'search' }] });
    expect(messages[8]?.parts).toEqual([{ kind: 'refusal', text: 'I cannot.' }]);
    expect(golden(openai, 'pretty').messages[2]).toMatchObject({ name: 'ana', role: 'user' });
  });

  it('reasoning in any of its spellings, once, before the text', () => {
    const { messages } = golden(openai, 'reasoning');
    expect(messages[1]?.parts).toEqual([
      { kind: 'reasoning', text: 'Simple sum.' },
      { kind: 'text', text: '4' },
    ]);
    expect(messages[3]?.parts).toEqual([
      { kind: 'reasoning', text: 'Four times three.' },
      { kind: 'text', text: '12' },
    ]);
  });

  it('null, empty and missing content beside calls are the same', () => {
    const calls = '"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]';
    const forms = [`"content":null,${calls}`, `"content":"",${calls}`, calls].map((inner) =>
      message(openai, `{"role":"assistant",${inner}}`),
    );
    expect(new Set(forms.map(({ parts }) => JSON.stringify(bare(parts)))).size).toBe(1);
    expect(forms.every(({ opaque }) => opaque === undefined)).toBe(true);
  });

  it.each([
    ['""', '{}'],
    ['null', '{}'],
    ['"{ }"', '{}'],
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['"{\\"a\\":"', '"{\\"a\\":"'],
    ['"{\\"a\\":1,\\"a\\":2}"', '"{\\"a\\":1,\\"a\\":2}"'],
  ])('arguments %s are %s', (given, canonical) => {
    const raw = `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":${given}}}]}`;
    expect(message(openai, raw)).toMatchObject({ parts: [{ kind: 'call', arguments: canonical }] });
  });

  it('the leading run of system and developer messages is the environment’s text', () => {
    const { environment, stream } = golden(openai, 'pretty');
    expect(environment).toEqual({
      model: 'local/qwen3',
      system: 'Answer in French.\n\nBe kind.',
      tools: null,
      constrained: false,
      maxOutput: 512,
    });
    expect(stream).toBe(false);
    expect(golden(openai, 'compact')).toMatchObject({ stream: true, environment: { system: 'You are terse.' } });
    expect(golden(openai, 'tools').environment).toMatchObject({ constrained: false, maxOutput: 4096 });
  });

  it.each([
    [{ tool_choice: 'required' }, true],
    [{ tool_choice: 'auto' }, false],
    [{ tool_choice: { type: 'function' } }, true],
    [{ response_format: { type: 'json_schema' } }, true],
    [{ response_format: { type: 'text' } }, false],
    [{ grammar: 'root ::= "a"' }, true],
    [{ grammar: '' }, false],
  ])('%j: constrained is %s', (extra, constrained) => {
    expect(request(openai, extra).environment.constrained).toBe(constrained);
  });

  it('an absent or empty tools array is no tools', () => {
    expect(request(openai, { tools: [] }).environment.tools).toBeNull();
    expect(request(openai, { functions: [{ name: 'f' }] }).environment.tools).toBe('[{"name":"f"}]');
  });
});

describe('anthropic-messages says losslessly what was sent', () => {
  it('blocks of every known kind', () => {
    const { messages, environment } = golden(anthropic, 'tools');
    expect(messages.every(({ opaque }) => opaque === undefined)).toBe(true);
    expect(bare(messages[1]?.parts ?? [])).toMatchObject([
      { kind: 'text', text: 'Let me look.' },
      { kind: 'call', name: 'search', arguments: '{"q":1,"tags":["b","a"]}', callId: 'toolu_1' },
      { kind: 'call', name: 'now', arguments: '{}', callId: 'toolu_2' },
    ]);
    expect(bare(messages[2]?.parts ?? [])).toEqual([
      { kind: 'result', text: 'found', callId: 'toolu_1' },
      { kind: 'result', text: '12:00', media: [IMAGE], callId: 'toolu_2' },
      { kind: 'text', text: 'go on' },
    ]);
    expect(environment).toMatchObject({ system: 'You are terse.\n\nUse tools.', constrained: true, maxOutput: 1024 });
  });

  it('thinking with its text, redacted thinking without its data', () => {
    const { messages } = golden(anthropic, 'sdk');
    expect(bare(messages[1]?.parts ?? [])).toEqual([
      { kind: 'reasoning', text: 'pé' },
      { kind: 'text', text: '\nReply 1 漢字\n\n' },
    ]);
    expect(bare(messages[3]?.parts ?? [])).toEqual([
      { kind: 'reasoning', text: '', redacted: true },
      { kind: 'text', text: 'Reply 2' },
    ]);
  });

  it('cache marks are no part of what was said', () => {
    expect(partsOf(anthropic, [{ type: 'text', text: 'q', cache_control: { type: 'ephemeral' } }])).toEqual(
      partsOf(anthropic, [{ type: 'text', text: 'q' }]),
    );
  });

  it('a duplicate key inside a call’s input makes the input stand as its source, not the message opaque', () => {
    expect(golden(anthropic, 'odd').messages[3]).toMatchObject({ parts: [{ arguments: '"{\\"a\\":1,\\"a\\":2}"' }] });
    expect(golden(anthropic, 'odd').messages[3]?.opaque).toBeUndefined();
  });
});

describe('media', () => {
  it('one picture is one picture on every wire and in every spelling', () => {
    const spellings = [
      partsOf(openai, [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }]),
      partsOf(openai, [{ type: 'image_url', image_url: 'DATA:image/png;BASE64,iVBORw0KGgo' }]),
      partsOf(anthropic, [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0K\nGgo=' } }]),
      partsOf(anthropic, [{ type: 'image', source: { type: 'url', url: 'data:image/png;base64,iVBORw0KGgo=' } }]),
    ];
    for (const parts of spellings) expect(parts).toEqual([{ kind: 'media', media: IMAGE }]);
  });

  it('links are their URL, data that does not decode is nothing', () => {
    expect(mediaOfUrl('https://example.com/a.png', sha256)).toBe('url:https://example.com/a.png');
    expect(mediaOfUrl('data:text/plain,a%20b', sha256)).toBe(`sha256:${sha256('a b')}`);
    expect(mediaOfUrl('data:text/plain,%ff', sha256)).toBeNull();
    expect(mediaOfUrl('data:image/png;base64,?', sha256)).toBeNull();
    expect(mediaOfUrl('data:image/png', sha256)).toBeNull();
  });

  it('audio and files count too, a bare file id is not understood', () => {
    expect(partsOf(openai, [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }])).toEqual([
      { kind: 'media', media: `sha256:${sha256('RIFF')}` },
    ]);
    expect(message(openai, '{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}').opaque).toBeDefined();
    expect(
      message(anthropic, '{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"f"}}]}').opaque,
    ).toBeDefined();
  });
});

describe('what is unknown is taken whole', () => {
  it('unknown parts, roles, duplicates, strays and unaccounted content are opaque, status is not', () => {
    expect(golden(openai, 'odd').messages.map(({ opaque }) => opaque ?? null)).toEqual([
      null,
      null,
      '{"content":[{"text":"see","type":"text"},{"ref":"F1","type":"future_part"}],"role":"user"}',
      JSON.stringify('{"role":"assistant","content":"a","content":"b"}'),
      '{"content":"hm","role":"critic"}',
      '"stray"',
      '{"attachments":[{"id":1}],"content":"q","role":"user"}',
      null,
      null,
    ]);
    expect(golden(anthropic, 'odd').messages.map(({ opaque }) => opaque !== undefined)).toEqual([
      ...[false, true, false, false, false, true, true, false],
    ]);
  });

  it('a duplicate key in a part makes its message opaque', () => {
    for (const of of [openai, anthropic])
      expect(message(of, '{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}').opaque).toBeDefined();
    expect(
      message(openai, '{"role":"user","content":[{"type":"image_url","image_url":{"url":"a","url":"b"}}]}').opaque,
    ).toBeDefined();
  });

  it('two messages that differ only in an unknown part stay two', () => {
    const [a, b] = ['F1', 'F2'].map((ref) =>
      message(openai, `{"role":"user","content":[{"type":"text","text":"see"},{"type":"future_part","ref":"${ref}"}]}`),
    );
    expect(a?.opaque).not.toBe(b?.opaque);
  });

  it('a lone surrogate is a text of its own', () => {
    const texts = ['\\ud83d', '\\ud83c', '\\ufffd'].map((character) =>
      JSON.stringify(message(openai, `{"role":"user","content":"ok ${character}"}`).parts),
    );
    expect(new Set(texts).size).toBe(3);
  });
});

describe('frames that clients put into the history', () => {
  const changed = '[model changed: assistant turns above this point were generated by a-1; the session continues with b-2]';
  it.each([
    ['<environment_context>\n  <cwd>/x</cwd>\n</environment_context>', true],
    [changed, true],
    [`${changed} and more`, false],
    ['[model changed: assistant turns above this point were generated by me, said Ana', false],
    ['<environment_context> is a tag', false],
    ['<environment_context>a</environment_context> b </environment_context>', false],
  ])('%j: environment is %s', (content, environment) => {
    for (const of of [openai, anthropic]) {
      expect(message(of, JSON.stringify({ role: 'user', content })).environment ?? false).toBe(environment);
      expect(message(of, JSON.stringify({ role: 'assistant', content })).environment).toBeUndefined();
    }
  });
});

describe('a summary request', () => {
  const prompt = { system: 'Throughline fold request\nSum up.', user: 'data', maxOutput: 900, model: 'm' };
  it('is a request its own wire recognises, not streamed, without tools', () => {
    for (const { wire, goldens } of [openai, anthropic]) {
      const exchange = exchangeOf(wire, wire.summaryUrl(goldens.url), wire.summaryBody(prompt));
      expect(exchange).toMatchObject({
        stream: false,
        environment: { tools: null, maxOutput: 900, model: 'm', system: prompt.system },
      });
      expect(exchange.messages.at(-1)).toMatchObject({ role: 'user', parts: [{ kind: 'text', text: 'data' }] });
    }
  });

  it('names the output budget as the conversation does, else as the model wants', () => {
    const named = (model: string, like?: object): string[] =>
      Object.keys(JSON.parse(openai.wire.summaryBody({ ...prompt, model }, like && request(openai, like))) as object);
    expect(named('gpt-4o')).toContain('max_tokens');
    expect(named('gpt-5-mini')).toContain('max_completion_tokens');
    expect(named('openai/o4-mini')).toContain('max_completion_tokens');
    expect(named('gpt-4o', { max_tokens: undefined, max_completion_tokens: 5 })).toContain('max_completion_tokens');
    expect(named('gpt-5', { max_tokens: 5 })).toContain('max_tokens');
  });
});
