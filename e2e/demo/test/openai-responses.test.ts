/** The demo model takes and refuses on the Responses wire what OpenAI does, keeps what it is told to keep, and streams as it does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoServer, startDemo } from '../model/server.ts';

interface Response {
  id: string;
  status: string;
  output: { type: string; id: string; call_id?: string; content?: { text: string }[]; [key: string]: unknown }[];
  usage: { input_tokens: number; input_tokens_details: { cached_tokens: number }; output_tokens: number };
  incomplete_details: { reason: string } | null;
  error: { message: string; type: string; param: string | null; code: string | null } | null;
}
type Event = { type: string; sequence_number: number; delta?: string; response?: Response };

const PATH = '/v1/responses';
const KEY = { authorization: 'Bearer test-key' };

let demo: DemoServer;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.close());

const post = (path: string, body: unknown, headers: Record<string, string> = KEY) =>
  fetch(demo.origin + path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
async function ask(input: unknown, more: object = {}): Promise<{ status: number; json: Response }> {
  const response = await post(PATH, { model: 'demo-small', input, ...more });
  return { status: response.status, json: (await response.json()) as Response };
}
async function listen(input: unknown, more: object = {}): Promise<Event[]> {
  const response = await post(PATH, { model: 'demo-small', stream: true, input, ...more });
  const text = await response.text();
  return [...text.matchAll(/^event: (.+)\ndata: (\{.*\})$/gm)].map(([, name, data]) => {
    const event = JSON.parse(data ?? '') as Event;
    expect(event.type).toBe(name);
    return event;
  });
}
const textOf = ({ json }: { json: Response }): string =>
  json.output.find(({ type }) => type === 'message')?.content?.[0]?.text ?? '';
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });
const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' });
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'seen' });
const tools = [{ type: 'function', name: 'look', parameters: {} }];
const long = (id: string) => id.padEnd(65, 'x');

describe('refusals, in its words', () => {
  it.each<[string, unknown, object, RegExp]>([
    ['unknown parameter', 'a', { colour: 1 }, /Unknown parameter: 'colour'/],
    ['chat messages', undefined, { messages: [] }, /Unknown parameter: 'messages'/],
    ['no input', undefined, {}, /Missing required parameter: 'input'/],
    ['input no list', { a: 1 }, {}, /one of a string or array of objects, but got an object/],
    ['unknown item', [{ type: 'smell' }], {}, /Invalid value: 'smell'/],
    ['unknown role', [{ role: 'robot', content: 'a' }], {}, /Invalid value: 'robot'/],
    ['unknown member', [{ ...user('a'), name: 'ana' }], {}, /Unknown parameter: 'input\[0\]\.name'/],
    ['missing content', [{ role: 'user' }], {}, /Missing required parameter: 'input\[0\]\.content'/],
    ['chat’s part', [user([{ type: 'text', text: 'a' }])], {}, /Invalid value: 'text'/],
    [
      'output text of a user',
      [user([{ type: 'output_text', text: 'a' }])],
      {},
      /'input_text', 'input_image', and 'input_file'/,
    ],
    [
      'input text of the model',
      [user('a'), assistant([{ type: 'input_text', text: 'a' }])],
      {},
      /'output_text', and 'refusal'/,
    ],
    ['an id of another kind', [user('a'), assistant('b', { id: 'fc_1' })], {}, /begins with 'msg'/],
    [
      'an id too long',
      [user('a'), assistant('b', { id: long('msg_') })],
      {},
      /maximum length 64, but got a string with length 65/,
    ],
    ['a call id too long', [user('a'), call(long('call_')), output(long('call_'))], {}, /maximum length 64/],
    ['an id twice', [user('a'), assistant('b', { id: 'msg_1' }), assistant('c', { id: 'msg_1' })], {}, /Duplicate item found/],
    ['arguments no string', [{ ...call('c'), arguments: {} }, output('c')], {}, /expected a string, but got an object/],
    ['output without its call', [user('a'), output('c')], {}, /No tool call found for function call output with call_id c/],
    ['call without its output', [user('a'), call('c'), user('b')], {}, /No tool output found for function call c/],
    [
      'output of another kind',
      [user('a'), call('c'), { ...output('c'), type: 'custom_tool_call_output' }],
      {},
      /No tool call found/,
    ],
    ['too small a budget', 'a', { max_output_tokens: 15 }, /Expected a value >= 16, but got 15/],
    [
      'a chat tool',
      'a',
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      /Missing required parameter: 'tools\[0\]\.name'/,
    ],
    ['unknown answer', 'a', { previous_response_id: 'resp_none' }, /Previous response with id 'resp_none' not found/],
    ['two histories', 'a', { previous_response_id: 'resp_1', conversation: 'conv_1' }, /Mutually exclusive parameters/],
    ['too long', 'word '.repeat(16_000), {}, /exceeds the context window/],
  ])('%s', async (_what, input, more, words) => {
    const { status, json } = await ask(input, more);
    expect({ status, type: json.error?.type }).toEqual({ status: 400, type: 'invalid_request_error' });
    expect(json.error?.message).toMatch(words);
  });

  it('not found is a 404', async () => {
    for (const [input, more] of [
      [[{ type: 'item_reference', id: 'msg_none' }], {}],
      [[{ type: 'reasoning', id: 'rs_none', summary: [] }, assistant('b')], {}],
      ['a', { conversation: 'conv_none' }],
    ] as const)
      expect((await ask(input, more)).status).toBe(404);
  });

  it('no key is a 401, on both paths', async () => {
    for (const path of [PATH, '/v1/conversations']) expect((await post(path, {}, {})).status).toBe(401);
  });
});

describe('answers', () => {
  it('know what a string or a list of items says, instructions and developer items too', async () => {
    expect(textOf(await ask('The code is amber-7. What is the code?'))).toBe('amber-7');
    const history = [
      { role: 'developer', content: 'The colour is teal.' },
      user([{ type: 'input_text', text: 'Hello.' }]),
      assistant('Hi.'),
    ];
    expect(textOf(await ask([...history, user('What is the colour?')]))).toBe('teal');
    expect(textOf(await ask('What is the tower?', { instructions: 'The tower is Eiffel.' }))).toBe('Eiffel');
  });

  it('are cut at their budget, and say so', async () => {
    const { json } = await ask('Tell me about windmills at length.', { max_output_tokens: 16 });
    expect(json).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    const events = await listen('Tell me about windmills at length.', { max_output_tokens: 16 });
    expect(events.at(-1)?.type).toBe('response.incomplete');
  });

  it('count the cached prefix inside the input', async () => {
    const input = Array.from({ length: 7 }, (_, i) =>
      (i % 2 === 0 ? user : assistant)(`${i} ${'some words to fill the prompt '.repeat(40)}`),
    );
    const first = (await ask(input)).json.usage;
    const second = (await ask([...input, assistant('so'), user('and?')])).json.usage;
    expect(second.input_tokens_details.cached_tokens).toBe(first.input_tokens);
    expect(second.input_tokens).toBeGreaterThan(first.input_tokens);
  });
});

describe('reasoning keeps what follows it', () => {
  const thought = { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'], store: false };
  it('its own output is taken back whole, and in no other way', async () => {
    const question = user('Tell me about bread.');
    const { json } = await ask([question], thought);
    const [reasoning, message] = json.output;
    expect([reasoning?.type, message?.type]).toEqual(['reasoning', 'message']);
    expect((await ask([question, reasoning, message, user('and?')], thought)).status).toBe(200);
    const refused = async (...items: unknown[]) => (await ask([question, ...items, user('and?')], thought)).json.error?.message;
    expect(await refused(reasoning)).toMatch(/without its required following item/);
    expect(await refused(message)).toMatch(/without its required 'reasoning' item/);
    expect(await refused({ ...reasoning, encrypted_content: 'AAAA' }, message)).toMatch(/could not be verified/);
  });
});

describe('what the server keeps', () => {
  it('an answer is gone on from by its id, unless it was not to be kept', async () => {
    const first = await ask('The key is copper. Remember it.');
    const second = await ask('What is the key?', { previous_response_id: first.json.id });
    expect(textOf(second)).toBe('copper');
    expect(textOf(await ask('And again: what is the key?', { previous_response_id: second.json.id }))).toBe('copper');
    const unkept = await ask('The key is iron. Remember it.', { store: false });
    expect((await ask('What is the key?', { previous_response_id: unkept.json.id })).json.error?.code).toBe(
      'previous_response_not_found',
    );
  });

  it('a reference stands for the item it names', async () => {
    const first = await ask('The key is bronze. What is the key?');
    const reference = { type: 'item_reference', id: first.json.output[0]?.id };
    expect((await ask([user('a'), reference, user('and?')])).status).toBe(200);
  });

  it('a conversation grows with every answer', async () => {
    const { id } = (await (await post('/v1/conversations', {})).json()) as { id: string };
    await ask('The key is silver. Remember it.', { conversation: id });
    expect(textOf(await ask('What is the key?', { conversation: { id } }))).toBe('silver');
  });
});

describe('streams', () => {
  it('carry the same text as the whole answer, numbered, and end with it', async () => {
    const question = 'Tell me about windmills and water 😀 please.';
    const whole = await ask(question);
    const events = await listen(question);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const text = events.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : []));
    expect(text.length).toBeGreaterThan(2);
    expect(text.join('')).toBe(textOf(whole));
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: whole.json.output } });
  });

  it('call a declared tool in pieces, and answer its output in words', async () => {
    const question = user('Call look with {"at":1}');
    const events = await listen([question], { tools });
    const pieces = events.flatMap(({ type, delta }) => (type === 'response.function_call_arguments.delta' ? [delta] : []));
    expect(pieces.join('')).toBe('{"at":1}');
    const [made] = events.at(-1)?.response?.output ?? [];
    const after = await ask([question, made, output(made?.call_id ?? '')], { tools });
    expect(after.json.output[0]?.type).toBe('message');
  });
});
