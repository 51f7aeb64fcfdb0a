import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '#base/digest';
import { parseJson } from '#base/json';
import { unitsOf } from '#fold/pairs';
import { canonOf } from '#neutral/canon';
import type { Exchange, Message } from '#neutral/message';
import { project } from '#neutral/project';
import { recognise } from '#wire/registry';
import { exchangeOf } from '../../laws/wire.laws.ts';
import { gemini } from '../goldens.ts';

const { wire, goldens } = gemini;
const IMAGE = 'sha256:4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6';
const MODELS = 'https://relay.example/x/v1beta/models';

const request = (body: object, url = goldens.url): Exchange =>
  exchangeOf(wire, url, JSON.stringify({ contents: [{ parts: [{ text: 'q' }] }], ...body }));
function golden(name: string): Exchange {
  const found = goldens.requests.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is a golden ${name}`);
  return exchangeOf(wire, goldens.url, found.body);
}
function message(raw: string): Message {
  const [parsed] = exchangeOf(wire, goldens.url, `{"contents":[${raw}]}`).messages;
  if (parsed === undefined) throw new Error('one message');
  return parsed;
}
const part = (raw: string, role = 'model'): Message => message(`{"role":"${role}","parts":[${raw}]}`);
const bare = ({ parts }: Message): unknown[] => parts.map(({ span: _, ...rest }) => rest);
const messageAt = (exchange: Exchange, index: number): Message => exchange.messages[index] as Message;

describe('gemini is recognised by its URL’s method and its contents', () => {
  const doc = parseJson('{"contents":[]}');
  if (doc === null) throw new Error('JSON');
  it.each([
    [
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=k',
      true,
      'gemini-2.5-pro',
    ],
    ['http://localhost:3000/v1/models/gemini-2.5-pro:generateContent/', false, 'gemini-2.5-pro'],
    [
      'https://x.example/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:generateContent',
      false,
      'gemini-3-pro',
    ],
    ['https://x.example/v1beta/tunedModels/mine%2Done:streamGenerateContent#f', true, 'mine-one'],
    ['https://x.example/models/50%:streamGenerateContent', true, '50%'],
  ])('%s', (url, stream, model) => {
    expect(recognise({ method: 'post', url }, doc)?.id).toBe('gemini');
    expect(wire.parse({ method: 'POST', url }, doc, sha256)).toMatchObject({ stream, environment: { model } });
  });

  it.each([
    `${MODELS}/m:countTokens`,
    `${MODELS}/m:batchGenerateContent`,
    `${MODELS}/m:embedContent`,
    `${MODELS}/generateContent`,
  ])('not %s', (url) => {
    expect(recognise({ method: 'POST', url }, doc)).toBeNull();
  });
});

describe('gemini says losslessly what was sent', () => {
  it('roles, calls with and without ids, results unwrapped, both spellings', () => {
    const exchange = golden('tools');
    expect(exchange.messages.map(({ role }) => role).join(' ')).toBe('user assistant user assistant user assistant user user');
    expect(exchange.messages.every(({ opaque }) => opaque === undefined)).toBe(true);
    expect(bare(messageAt(exchange, 1))).toMatchObject([
      { kind: 'text', text: 'Let me look.' },
      { kind: 'call', name: 'search', arguments: '{"q":1,"tags":["b","a"]}' },
      { kind: 'call', name: 'now', arguments: '{}', source: '' },
    ]);
    expect(bare(messageAt(exchange, 2))).toEqual([
      { kind: 'result', text: 'found', name: 'search' },
      { kind: 'result', text: '12:00', name: 'now' },
    ]);
    expect(bare(messageAt(exchange, 3))).toMatchObject([{ kind: 'call', arguments: '{"id":9007199254740993}', callId: 'f-1' }]);
    expect(bare(messageAt(exchange, 4))).toEqual([
      { kind: 'result', text: 'none', name: 'search', callId: 'f-1' },
      { kind: 'text', text: 'go on' },
    ]);
    expect(bare(messageAt(exchange, 6))).toEqual([{ kind: 'result', text: '{"a":[2,1]}', name: 'later' }]);
    expect(exchange.environment).toMatchObject({ system: 'Use tools.', constrained: false, maxOutput: 1024 });
    expect(exchange.environment.tools).toContain('function_declarations');
  });

  it('thoughts are reasoning; an empty text that only carries a signature says nothing', () => {
    const exchange = golden('thinking');
    expect(bare(messageAt(exchange, 1))).toEqual([
      { kind: 'reasoning', text: 'Simple' },
      { kind: 'reasoning', text: ' sum.' },
      { kind: 'text', text: '4' },
    ]);
    expect(messageAt(exchange, 6)).toMatchObject({ role: 'assistant', parts: [] });
    expect(part('{"text":"a","thought":false}').parts).toMatchObject([{ kind: 'text' }]);
  });

  it('media in every spelling is one picture, a link is its URL', () => {
    const exchange = golden('media');
    expect(exchange.messages.every(({ opaque }) => opaque === undefined)).toBe(true);
    expect(bare(messageAt(exchange, 0))).toContainEqual({ kind: 'media', media: IMAGE });
    expect(bare(messageAt(exchange, 2))).toEqual([
      { kind: 'media', media: IMAGE },
      { kind: 'text', text: 'and this?' },
      { kind: 'media', media: 'url:https://example.com/v1beta/files/abc' },
    ]);
    expect(bare(messageAt(exchange, 4))).toEqual([{ kind: 'result', text: 'drawn', media: [IMAGE], name: 'draw' }]);
    expect(bare(messageAt(exchange, 5))).toEqual([{ kind: 'media', media: IMAGE }]);
  });

  it.each([
    ['{"name":"f"}', '{}'],
    ['{"name":"f","args":null}', '{}'],
    ['{"name":"f","args":{"b":1.0,"a":2}}', '{"a":2,"b":1}'],
    ['{"name":"f","args":{"a":1,"a":2}}', '"{\\"a\\":1,\\"a\\":2}"'],
  ])('the arguments of %s are %s', (call, canonical) => {
    expect(part(`{"functionCall":${call}}`)).toMatchObject({ parts: [{ kind: 'call', arguments: canonical }] });
  });

  it.each([
    ['{"output":"a"}', 'a'],
    ['{"error":"a"}', 'a'],
    ['{"result":"a"}', 'a'],
    ['{"output":{"b":1}}', '{"output":{"b":1}}'],
    ['{"output":"a","error":"b"}', '{"error":"b","output":"a"}'],
    ['{"content":"a"}', '{"content":"a"}'],
    ['{}', '{}'],
  ])('a response %s says %s', (response, text) => {
    expect(part(`{"functionResponse":{"name":"f","response":${response}}}`, 'user').parts).toMatchObject([
      { kind: 'result', text },
    ]);
  });

  it('what holds more than is accounted for is taken whole', () => {
    expect(golden('odd').messages.map(({ opaque }) => opaque !== undefined)).toEqual([
      ...[false, true, false, true, true, true, true, true, true, true, true, false],
    ]);
    for (const odd of [
      '{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}',
      '{"text":"a","text":"b"}',
      '{"inlineData":{"data":"QUJD","mimeType":"a/b"},"inline_data":{"data":"QUJE","mimeType":"a/b"}}',
      '{"inlineData":{"data":"QUJD","displayName":"invoice.pdf"}}',
      '{"functionCall":{"name":"f","args":{},"partialArgs":[]}}',
      '{"functionCall":{"name":"f"},"thought":true}',
      '{"thoughtSignature":"QUJD"}',
      '{}',
      '7',
    ])
      expect(part(odd).opaque).toBeDefined();
    expect(part('{"functionResponse":{"name":"f","parts":[{"text":"a"}]}}', 'user').opaque).toBeDefined();
  });

  it('whatever stands in a content, nothing throws and nothing is lost', () => {
    const piece = fc.record(
      Object.fromEntries(
        ['text', 'thought', 'thoughtSignature', 'functionCall', 'function_response', 'inlineData', 'file_data'].map((key) => [
          key,
          fc.oneof(
            fc.jsonValue(),
            fc.record({ name: fc.jsonValue(), args: fc.jsonValue(), data: fc.jsonValue(), parts: fc.jsonValue() }),
          ),
        ]),
      ),
      { requiredKeys: [] },
    );
    const content = fc.record(
      {
        role: fc.oneof(fc.constantFrom('user', 'model', ''), fc.jsonValue()),
        parts: fc.oneof(fc.array(piece), piece, fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(content), (contents) => {
        const exchange = request({ contents });
        expect(exchange.messages).toHaveLength(contents.length);
        for (const { role, parts, opaque } of exchange.messages)
          if (role === 'unknown' || parts.some(({ kind }) => kind === 'unknown')) expect(opaque).toBeDefined();
        expect(
          project(exchange, 2)
            .turns.map(canonOf)
            .every((canon) => canon.length > 0),
        ).toBe(true);
      }),
    );
  });
});

describe('gemini’s environment', () => {
  it.each([
    [{ generationConfig: { responseMimeType: 'application/json' } }, true],
    [{ generationConfig: { responseMimeType: 'text/plain' } }, false],
    [{ generation_config: { response_schema: { type: 'OBJECT' } } }, true],
    [{ generationConfig: { responseJsonSchema: {} } }, true],
    [{ toolConfig: { functionCallingConfig: { mode: 'ANY' } } }, true],
    [{ tool_config: { function_calling_config: { mode: 'AUTO' } } }, false],
    [{ generationConfig: {} }, false],
  ])('%j: constrained is %s', (extra, constrained) => {
    expect(request(extra).environment.constrained).toBe(constrained);
  });

  it('a history that begins in the provider’s cache is held by the provider', () => {
    expect(request({ cachedContent: 'cachedContents/abc' }).delta).toBeDefined();
    expect(request({ cached_content: 'cachedContents/abc' }).delta).toBeDefined();
    expect(request({ cachedContent: '' }).delta).toBeUndefined();
    expect(request({}).delta).toBeUndefined();
  });

  it('the system’s text from any of its shapes', () => {
    for (const system of [
      { systemInstruction: { role: 'user', parts: [{ text: 'a' }] } },
      { system_instruction: { parts: { text: 'a' } } },
    ])
      expect(request(system).environment.system).toBe('a');
    expect(golden('deep-chat').environment).toMatchObject({ system: 'You are kind.', maxOutput: 2000, tools: null });
  });
});

describe('identity on gemini', () => {
  it('a reply replayed event by event is one turn, and one unit of folding', () => {
    const exchange = golden('sdk');
    for (const domain of [2, 3] as const) {
      const { turns, spans } = project(exchange, domain);
      expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
      expect(turns[1]).toEqual({ role: 'assistant', content: 'Pack light, and keep the rope dry — 漢字 too.' });
      expect(spans[3]).toEqual([6, 7, 8]);
    }
    expect(unitsOf(exchange).map(({ first, last }) => [first, last])).toEqual([
      [0, 0],
      [1, 4],
      [5, 5],
      [6, 8],
      [9, 9],
    ]);
  });

  it('calls and results are one unit: in parallel, one by one, in pieces, with an id on either side or on none', () => {
    const units = (contents: object[]): unknown =>
      unitsOf(request({ contents })).map(({ first, last, open }) => [first, last, open]);
    const call = (name: string, id?: string): object => ({
      functionCall: { name, args: {}, ...(id === undefined ? {} : { id }) },
    });
    const answer = (name: string, id?: string): object => ({
      functionResponse: { name, response: {}, ...(id === undefined ? {} : { id }) },
    });
    const user = (...parts: object[]): object => ({ role: 'user', parts });
    const model = (...parts: object[]): object => ({ role: 'model', parts });
    for (const [called, answered] of [
      ['1', undefined],
      [undefined, '1'],
      ['1', '1'],
      [undefined, undefined],
    ])
      expect(units([user({ text: 'q' }), model(call('f', called)), user(answer('f', answered)), user({ text: 'r' })])).toEqual([
        [0, 0, false],
        [1, 2, false],
        [3, 3, false],
      ]);
    expect(
      units([
        user({ text: 'q' }),
        model(call('f')),
        model(call('f'), call('g')),
        user(answer('f'), answer('g')),
        user(answer('f')),
      ]),
    ).toEqual([
      [0, 0, false],
      [1, 4, false],
    ]);
    expect(units([model(call('f')), user(answer('g'))])).toEqual([
      [0, 0, true],
      [1, 1, true],
    ]);
  });
});

describe('a summary request on gemini', () => {
  const prompt = { system: 'Throughline fold request\nSum up.', user: 'data', maxOutput: 900, model: 'm' };

  it('is a request its own wire recognises, not streamed, without tools', () => {
    const exchange = exchangeOf(wire, wire.summaryUrl(goldens.url, 'm'), wire.summaryBody(prompt));
    expect(exchange).toMatchObject({
      stream: false,
      environment: { tools: null, maxOutput: 900, model: 'm', system: prompt.system },
    });
    expect(exchange.messages).toMatchObject([{ role: 'user', parts: [{ kind: 'text', text: 'data' }] }]);
  });

  it.each([
    [`${MODELS}/m:streamGenerateContent?alt=sse&key=k%2F1`, 'm', `${MODELS}/m:generateContent?key=k%2F1`],
    [`${MODELS}/m:streamGenerateContent?key=k&alt=sse&x=a%20b#f`, 'm', `${MODELS}/m:generateContent?key=k&x=a%20b#f`],
    [`${MODELS}/m:streamGenerateContent?alt=sse`, '', `${MODELS}/m:generateContent`],
    [`${MODELS}/m:generateContent?key=k&alt=json`, 'm', `${MODELS}/m:generateContent?key=k&alt=json`],
    [`${MODELS}/m:streamGenerateContent`, 'models/gemini-2.5-flash', `${MODELS}/gemini-2.5-flash:generateContent`],
    [`${MODELS}/m:streamGenerateContent`, 'a/b?c', `${MODELS}/m:generateContent`],
    ['https://x.example/tunedModels/m:streamGenerateContent', 'n', 'https://x.example/tunedModels/m:generateContent'],
  ])('of %s for %s goes to %s', (url, model, whole) => {
    expect(wire.summaryUrl(url, model)).toBe(whole);
  });

  it('leaves room for thoughts, which count against the same budget', () => {
    const budget = (model: string, like?: Exchange): unknown =>
      (JSON.parse(wire.summaryBody({ ...prompt, model }, like)) as { generationConfig: unknown }).generationConfig;
    expect(budget('gemini-2.0-flash')).toEqual({ maxOutputTokens: 900 });
    expect(budget('gemini-2.5-pro')).toEqual({ maxOutputTokens: 4996 });
    const like = request({ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } });
    expect(budget('gemini-2.5-flash', like)).toMatchObject({ thinkingConfig: { thinkingBudget: 0 } });
    expect(budget('gemini-2.5-pro', like)).toEqual({ maxOutputTokens: 4996 });
  });

  it('is judged by the safety settings of its conversation', () => {
    const safety = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
    const like = request({ safety_settings: safety });
    expect(JSON.parse(wire.summaryBody({ ...prompt, model: 'gemini-2.5-flash' }, like))).toMatchObject({
      safetySettings: safety,
    });
    expect(wire.summaryBody(prompt, like)).not.toContain('safety');
  });
});
