/** The demo model takes and refuses on the Gemini wire what Google does, and streams as it does, also to Google's own client. */
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DemoServer, startDemo } from '../model/server.ts';

interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { name: string; args: unknown };
}
interface Answer {
  candidates?: { content: { parts: Part[]; role: string }; finishReason?: string }[];
  usageMetadata?: Record<string, number>;
  error?: { code: number; message: string; status: string; details?: unknown };
}

const KEY = { 'x-goog-api-key': 'test-key' };
const MODEL = '/v1beta/models/demo-small';

let demo: DemoServer;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.close());
beforeEach(() => fetch(`${demo.origin}/demo/reset`, { method: 'POST' }));

const post = (path: string, body: unknown, headers: Record<string, string> = KEY) =>
  fetch(demo.origin + path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
async function ask(body: unknown, path = `${MODEL}:generateContent`, headers = KEY as Record<string, string>) {
  const response = await post(path, body, headers);
  return { status: response.status, json: (await response.json()) as Answer };
}
const partsOf = ({ json }: { json: Answer }): Part[] => json.candidates?.[0]?.content.parts ?? [];
const user = (...texts: string[]) => ({ role: 'user', parts: texts.map((text) => ({ text })) });
const model = (...parts: object[]) => ({ role: 'model', parts });
const call = (name = 'look', more: object = {}) => ({ functionCall: { name, args: {} }, ...more });
const result = (name = 'look') => ({ functionResponse: { name, response: { output: 'seen' } } });
const answer = (...names: string[]) => ({ role: 'user', parts: names.map(result) });
const LONG = 'word '.repeat(16_000);

const BAD: [string, unknown, number, RegExp][] = [
  ['not JSON', '{"contents":', 400, /^Invalid JSON payload received/],
  ['no contents', {}, 400, /contents is not specified/],
  ['empty contents', { contents: [] }, 400, /contents is not specified/],
  [
    'unknown field',
    { contents: [user('a')], stream: true },
    400,
    /^Invalid JSON payload received\. Unknown name "stream": Cannot find field\.$/,
  ],
  ['unknown field of a content', { contents: [{ ...user('a'), name: 'x' }] }, 400, /Unknown name "name" at 'contents\[0\]'/],
  [
    'unknown field of a part',
    { contents: [{ parts: [{ type: 'text', text: 'a' }] }] },
    400,
    /Unknown name "type" at 'contents\[0\]\.parts\[0\]'/,
  ],
  [
    'unknown field of the config',
    { contents: [user('a')], generationConfig: { max_tokens: 5 } },
    400,
    /Unknown name "max_tokens" at 'generation_config'/,
  ],
  [
    'a role of another wire',
    { contents: [user('a'), { role: 'assistant', parts: [{ text: 'b' }] }, user('c')] },
    400,
    /valid role: user, model/,
  ],
  ['a system role', { contents: [{ role: 'system', parts: [{ text: 'a' }] }, user('c')] }, 400, /valid role: user, model/],
  ['no parts', { contents: [{ role: 'user', parts: [] }] }, 400, /contents\[0\]\.parts: contents\.parts must not be empty/],
  ['an empty part', { contents: [{ parts: [{}] }] }, 400, /required oneof field 'data' must have one initialized field/],
  ['an empty text of the user', { contents: [user('')] }, 400, /required oneof field 'data'/],
  [
    'two data in a part',
    { contents: [{ parts: [{ text: 'a', inlineData: { mimeType: 'a/b', data: 'QQ==' } }] }] },
    400,
    /\(oneof\), oneof field 'data' is already set/,
  ],
  [
    'bytes that are no base64',
    { contents: [{ parts: [{ inlineData: { mimeType: 'a/b', data: '?' } }] }] },
    400,
    /inline_data\.data' \(TYPE_BYTES\), Base64 decoding failed/,
  ],
  ['the model first', { contents: [model({ text: 'a' }), user('b')] }, 400, /start with a user role/],
  [
    'a call first',
    { contents: [model(call()), answer('look'), user('b')] },
    400,
    /function call turn comes immediately after a user turn/,
  ],
  ['the model last', { contents: [user('a'), model({ text: 'b' })] }, 400, /end with a user role or a function response/],
  [
    'a call without its result',
    { contents: [user('a'), model(call()), user('b')] },
    400,
    /number of function response parts is equal/,
  ],
  [
    'a result without its call',
    { contents: [user('a'), model({ text: 'b' }), answer('look')] },
    400,
    /function response turn comes immediately after a function call turn/,
  ],
  [
    'one result for two calls',
    { contents: [user('a'), model(call(), call()), answer('look'), user('b')] },
    400,
    /number of function response parts is equal/,
  ],
  [
    'a result of another name',
    { contents: [user('a'), model(call()), answer('hear'), user('b')] },
    400,
    /number of function response parts is equal/,
  ],
  [
    'words between a call and its result',
    { contents: [user('a'), model(call()), user('b'), answer('look')] },
    400,
    /function response turn comes immediately/,
  ],
  [
    'words before a result in one content',
    { contents: [user('a'), model(call()), { role: 'user', parts: [{ text: 'b' }, result()] }] },
    400,
    /function response turn comes immediately/,
  ],
  ['a call of the user', { contents: [{ role: 'user', parts: [call()] }] }, 400, /function call turn/],
  [
    'a call of this turn without its signature',
    { contents: [user('a'), model(call()), answer('look')] },
    400,
    /missing a thought_signature in functionCall parts.*`default_api:look`/,
  ],
  [
    'a signature of somebody else',
    { contents: [user('a'), model({ text: 'b', thoughtSignature: 'AAAA' }), user('c')] },
    400,
    /Corrupted thought signature/,
  ],
  [
    'a response that is no object',
    { contents: [user('a'), model(call()), { parts: [{ functionResponse: { name: 'look', response: 'x' } }] }] },
    400,
    /google\.protobuf\.Struct/,
  ],
  [
    'a system instruction as a string',
    { contents: [user('a')], systemInstruction: 'x' },
    400,
    /Invalid value at 'system_instruction'/,
  ],
  ['no output at all', { contents: [user('a')], generationConfig: { maxOutputTokens: 0 } }, 400, /must be positive/],
  ['a cache that is not there', { contents: [user('a')], cachedContent: 'cachedContents/x' }, 403, /CachedContent not found/],
  [
    'over the window',
    { contents: [user(LONG)] },
    400,
    /^The input token count \(\d+\) exceeds the maximum number of tokens allowed \(16384\)\.$/,
  ],
];

describe('gemini refuses', () => {
  it.each(BAD)('%s', async (_name, body, status, words) => {
    const refused = await ask(body);
    expect(refused.json.error?.message).toMatch(words);
    expect(refused).toMatchObject({
      status,
      json: { error: { code: status, status: status === 403 ? 'PERMISSION_DENIED' : 'INVALID_ARGUMENT' } },
    });
  });

  it('an unknown model, a missing key and a wrong one', async () => {
    const body = { contents: [user('a')] };
    expect(await ask(body, '/v1/models/none:generateContent')).toMatchObject({
      status: 404,
      json: { error: { status: 'NOT_FOUND' } },
    });
    expect((await ask(body, `${MODEL}:generateContent`, {})).status).toBe(403);
    expect((await ask(body, `${MODEL}:generateContent?key=k`, {})).status).toBe(200);
    expect((await ask(body, `${MODEL}:generateContent?key=invalid`, {})).json.error?.message).toMatch(/API key not valid/);
    expect((await post('/models/demo-small:generateContent', body)).status).toBe(404);
  });
});

describe('gemini takes', () => {
  it('what is right: both spellings, no role, pieces of a reply in a row, results in one content or several, words behind them', async () => {
    const skipped = { thoughtSignature: 'skip_thought_signature_validator' };
    for (const contents of [
      [{ parts: [{ text: 'a' }, { inline_data: { mime_type: 'image/png', data: 'iVBORw0KGgo=' } }] }],
      [user('a'), model({ text: 'b' }), model({ text: 'c' }), model({ text: '' }), user('d')],
      [user('a'), user('b')],
      [user('a'), model(call('look', skipped), call('hear')), answer('hear', 'look')],
      [user('a'), model(call('look', skipped)), model(call('hear')), answer('look'), answer('hear')],
      [user('a'), model(call()), { role: 'user', parts: [result(), { text: 'go on' }] }],
      [user('a'), model(call()), answer('look'), user('b')],
    ])
      expect((await ask({ system_instruction: { parts: [{ text: 's' }] }, contents })).json.error).toBeUndefined();
  });

  it('back a signature it gave, on the part it stood on and on no other', async () => {
    const tools = [{ functionDeclarations: [{ name: 'look' }, { name: 'hear' }] }];
    const question = user('Call look with {"at":1}');
    const [given] = partsOf(await ask({ contents: [question], tools }));
    expect(given?.functionCall).toEqual({ name: 'look', args: { at: 1 } });
    const replay = (part: object, name: string) => ask({ contents: [question, model(part), answer(name)], tools });
    expect((await replay(given ?? {}, 'look')).status).toBe(200);
    expect((await replay({ functionCall: given?.functionCall }, 'look')).json.error?.message).toMatch(
      /missing a thought_signature/,
    );
    const moved = { ...call('hear'), thoughtSignature: given?.thoughtSignature };
    expect((await replay(moved, 'hear')).json.error?.message).toMatch(/Corrupted thought signature/);
  });
});

describe('gemini streams', () => {
  const contents = [user('Tell me about windmills and water 😀 please.')];
  const textOf = (answers: Answer[]) =>
    answers
      .flatMap((json) => partsOf({ json }))
      .map((part) => (part.thought ? '' : (part.text ?? '')))
      .join('');

  it('events with alt=sse, else one array; both say what the whole answer says', async () => {
    const thinking = { contents, generationConfig: { thinkingConfig: { includeThoughts: true } } };
    const whole = await ask(thinking);
    const sse = await post(`${MODEL}:streamGenerateContent?alt=sse`, thinking);
    expect(sse.headers.get('content-type')).toBe('text/event-stream');
    const events = [...(await sse.text()).matchAll(/^data: (\{.*\})\r\n\r\n/gm)].map(
      (match) => JSON.parse(match[1] ?? '') as Answer,
    );
    const array = await post(`${MODEL}:streamGenerateContent`, thinking);
    expect(array.headers.get('content-type')).toMatch(/^application\/json/);
    const pieces = (await array.json()) as Answer[];
    expect(pieces).toEqual(events);
    expect(pieces.length).toBeGreaterThan(5);
    expect(textOf(pieces)).toBe(textOf([whole.json]));
    expect(pieces.filter((piece) => piece.candidates?.[0]?.finishReason !== undefined)).toHaveLength(1);
    expect(pieces.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP', content: { parts: [{ text: '' }] } }] });
    expect(partsOf(whole)[0]).toMatchObject({ thought: true });
    expect(whole.json.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
  });

  it('counts what came from the cache inside the prompt', async () => {
    const long = Array.from({ length: 9 }, (_, index) =>
      index % 2 === 0 ? user('Plain words. '.repeat(90)) : model({ text: 'Other words. '.repeat(90) }),
    );
    const first = (await ask({ contents: long.slice(0, 7) })).json.usageMetadata;
    const second = (await ask({ contents: long })).json.usageMetadata;
    expect(first?.cachedContentTokenCount).toBeUndefined();
    expect(second?.cachedContentTokenCount).toBe(first?.promptTokenCount);
    expect(second?.promptTokenCount).toBeGreaterThan(first?.promptTokenCount ?? 0);
  });

  it('Google’s own client chats, streams, thinks and calls', async () => {
    const ai = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: demo.origin } });
    const config = {
      systemInstruction: 'You are kind.',
      tools: [{ functionDeclarations: [{ name: 'look' }] }],
      thinkingConfig: { includeThoughts: true },
    };
    const chat = ai.chats.create({ model: 'demo-small', config });
    for await (const _ of await chat.sendMessageStream({ message: 'The gate code is 4711-kiwi. Good.' }));
    expect((await chat.sendMessage({ message: 'Call look with {"at":1}' })).functionCalls).toMatchObject([{ name: 'look' }]);
    expect(
      (await chat.sendMessage({ message: { functionResponse: { name: 'look', response: { output: 'a tower' } } } })).text,
    ).not.toBe('');
    let said = '';
    for await (const chunk of await chat.sendMessageStream({ message: 'What is the gate code?' })) said += chunk.text ?? '';
    expect(said).toBe('4711-kiwi');
    const replies = chat
      .getHistory()
      .filter((content, index, all) => content.role === 'model' && all[index - 1]?.role === 'model');
    expect(replies.length).toBeGreaterThan(5);
  });
});
