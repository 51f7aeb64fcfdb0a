/** The demo model takes and refuses on the Ollama wire what Ollama's server does, and answers in lines of JSON, also to its own client. */
import { type Message, Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoServer, startDemo } from '../model/server.ts';

interface Document {
  model: string;
  message: {
    role: string;
    content: string;
    thinking?: string;
    tool_calls?: { function: { name: string; arguments: object } }[];
  };
  done: boolean;
  done_reason?: string;
  prompt_eval_count?: number;
  eval_count?: number;
  error?: string;
}

let demo: DemoServer;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.close());

/** As a page without a preflight sends it. */
const post = (body: unknown) =>
  fetch(`${demo.origin}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
async function ask(messages: unknown, more: object = {}): Promise<{ status: number; json: Document }> {
  const response = await post({ model: 'demo-small', messages, stream: false, ...more });
  return { status: response.status, json: (await response.json()) as Document };
}
async function listen(messages: unknown, more: object = {}): Promise<Document[]> {
  const lines = (await (await post({ model: 'demo-small', messages, ...more })).text()).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as Document);
}
const user = (content: unknown, more: object = {}) => ({ role: 'user', content, ...more });
const assistant = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });
const calling = (args: unknown) => assistant('', { tool_calls: [{ function: { name: 'look', arguments: args } }] });
const tools = [{ type: 'function', function: { name: 'look', parameters: {} } }];

describe('refusals, in its words', () => {
  it.each([
    [
      'parts as content',
      [user([{ type: 'text', text: 'a' }])],
      {},
      /cannot unmarshal array .*messages\.content of type string/,
    ],
    ['an object as content', [user({ a: 1 })], {}, /cannot unmarshal object .*content of type string/],
    ['arguments as text', [user('a'), calling('{}')], {}, /cannot unmarshal string .*arguments of type api\.ToolCallFunction/],
    ['a call without a name', [user('a'), assistant('', { tool_calls: [{ function: {} }] })], {}, /without a function name/],
    ['calls no list', [assistant('', { tool_calls: {} })], {}, /tool_calls of type \[\]api\.ToolCall/],
    ['an image no list', [user('a', { images: 'AAAA' })], {}, /images of type \[\]api\.ImageData/],
    ['a data URL as image', [user('a', { images: ['data:image/png;base64,AAAA'] })], {}, /illegal base64 data at input byte 4/],
    ['base64 without its padding', [user('a', { images: ['AAA'] })], {}, /illegal base64 data at input byte 3/],
    ['thinking of another kind', [assistant('a', { thinking: {} })], {}, /messages\.thinking of type string/],
    ['an unknown role', [{ role: 'developer', content: 'a' }], {}, /invalid role: "developer"/],
    ['no role', [{ content: 'a' }], {}, /invalid role: ""/],
    ['a message no object', ['a'], {}, /cannot unmarshal string .*of type api\.Message/],
    ['messages no list', 'a', {}, /messages of type \[\]api\.Message/],
    ['stream of a wrong type', [user('a')], { stream: 'yes' }, /cannot unmarshal string .*stream of type bool/],
    ['options no object', [user('a')], { options: [] }, /cannot unmarshal array .*options/],
    ['a strange level of thinking', [user('a')], { think: 'much' }, /invalid think value: "much"/],
    ['no model', [user('a')], { model: '' }, /^model is required$/],
    [
      'too long, where nothing may be left out',
      [user('word '.repeat(16_000))],
      { truncate: false },
      /exceeds the context length/,
    ],
    ['one message longer than the window', [user('word '.repeat(16_000))], {}, /exceeds the context length/],
  ])('%s', async (_what, messages, more, words) => {
    const { status, json } = await ask(messages, more);
    expect(status).toBe(400);
    expect(Object.keys(json)).toEqual(['error']);
    expect(json.error).toMatch(words);
  });

  it('an unknown model is a 404, an option of the wrong kind a 500, and no JSON a 400', async () => {
    expect(await ask([user('a')], { model: 'none' })).toEqual({ status: 404, json: { error: "model 'none' not found" } });
    expect((await ask([user('a')], { options: { num_predict: 'many' } })).status).toBe(500);
    expect((await post('{"model":')).status).toBe(400);
  });

  it('no others: members it does not know, results without calls and assistants in a row are taken', async () => {
    const history = [
      { role: 'System', content: 'a' },
      assistant('b', { reasoning: 'not its own word' }),
      { role: 'tool', tool_name: 'look', content: 'seen' },
      user('c', { images: ['AAAA', 'AA==\n'] }),
      assistant(null, { tool_calls: null }),
    ];
    expect((await ask(history, { colour: 'blue', think: 'low', format: '' })).status).toBe(200);
  });
});

describe('answers', () => {
  it('stream unless told otherwise, one document a line, the last one says how it ended', async () => {
    const response = await post({ model: 'demo-small', messages: [user('Tell me about windmills.')] });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    await response.text();
    const documents = await listen([user('Tell me about windmills.')]);
    const { json } = await ask([user('Tell me about windmills.')]);
    expect(documents.length).toBeGreaterThan(4);
    expect(documents.map(({ message }) => message.content).join('')).toBe(json.message.content);
    expect(documents.map(({ done }) => done)).toEqual([...documents.slice(1).map(() => false), true]);
    expect(documents.at(-1)).toMatchObject({ done_reason: 'stop', prompt_eval_count: json.prompt_eval_count });
    expect(json).toMatchObject({ done: true, done_reason: 'stop', eval_count: expect.any(Number) });
  });

  it('are cut at num_predict, which may be negative for no end', async () => {
    expect((await ask([user('Hello.')], { options: { num_predict: 16 } })).json.done_reason).toBe('length');
    expect((await ask([user('Hello.')], { options: { num_predict: -1 } })).json.done_reason).toBe('stop');
  });

  it('think beside the text when asked to', async () => {
    const documents = await listen([user('Hello.')], { think: true });
    expect(documents.map(({ message }) => message.thinking ?? '').join('')).toMatch(/I look for the answer/);
    expect(documents.some(({ message }) => message.thinking !== undefined && message.content !== '')).toBe(false);
  });

  it('call a tool with an object, without an id, and take its result by name', async () => {
    const question = user('Call look with {"at":1}');
    const documents = await listen([question], { tools });
    const calls = documents.flatMap(({ message }) => message.tool_calls ?? []);
    expect(calls).toEqual([{ function: { name: 'look', arguments: { at: 1 } } }]);
    const after = [question, assistant('', { tool_calls: calls }), { role: 'tool', tool_name: 'look', content: 'seen' }];
    expect((await ask(after, { tools })).json.message.tool_calls).toBeUndefined();
  });

  it('forget silently what does not fit num_ctx: the oldest goes, system messages and the newest stay', async () => {
    const history = [
      { role: 'system', content: 'The colour is teal.' },
      user('The gate code is 4711.'),
      ...Array.from({ length: 8 }, () => assistant('some words that fill the window '.repeat(10))),
      user('What is the gate code? What is the colour?'),
    ];
    expect((await ask(history)).json.message.content).toBe('4711\nteal');
    expect((await ask(history, { options: { num_ctx: 512 } })).json.message.content).toBe('I do not know.\nteal');
    expect((await ask(history, { options: { num_ctx: 512 }, truncate: false })).status).toBe(400);
  });

  it('to nothing said only load the model', async () => {
    expect((await ask([])).json).toMatchObject({ message: { content: '' }, done: true, done_reason: 'load' });
  });

  it('to its own client: chats, streams, thinks, calls and fails', async () => {
    const client = new Ollama({ host: demo.origin });
    const request = { model: 'demo-small', tools: [{ type: 'function', function: { name: 'look' } }] };
    const history: Message[] = [user('The gate code is 4711-kiwi. Good.') as Message];
    let thought = '';
    let said = '';
    for await (const { message } of await client.chat({ ...request, messages: history, stream: true, think: true })) {
      thought += message.thinking ?? '';
      said += message.content;
    }
    expect(thought).not.toBe('');
    history.push({ role: 'assistant', content: said, thinking: thought }, user('Call look with {"at":1}') as Message);
    const { message } = await client.chat({ ...request, messages: history });
    expect(message.tool_calls).toEqual([{ function: { name: 'look', arguments: { at: 1 } } }]);
    history.push(message, { role: 'tool', tool_name: 'look', content: 'a tower' }, user('What is the gate code?') as Message);
    expect((await client.chat({ ...request, messages: history })).message.content).toBe('4711-kiwi');
    await expect(client.chat({ ...request, model: 'none', messages: history })).rejects.toThrow("model 'none' not found");
    demo.faults.add({ on: 'turn', times: 1, errorAfter: 1 });
    const failing = await client.chat({ ...request, messages: history, stream: true });
    const reading = (async () => {
      for await (const _ of failing);
    })();
    await expect(reading).rejects.toThrow('told to fail here');
  });
});
