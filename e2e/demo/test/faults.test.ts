/** Faults strike every wire alike: cuts, silence, and failures inside a stream in the provider's own words. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DemoServer, startDemo } from '../model/server.ts';

let demo: DemoServer;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.close());
beforeEach(() => fetch(`${demo.origin}/demo/reset`, { method: 'POST' }));

const QUESTION = 'Tell me about windmills, please.';
const messages = [{ role: 'user', content: QUESTION }];
const contents = [{ parts: [{ text: QUESTION }] }];
const MODEL = { model: 'demo-small', stream: true };
const GEMINI = '/v1beta/models/demo-small:streamGenerateContent';
const FAILED = 'The demo model was told to fail here.';

/** Each wire with a streamed request and the last thing of a stream that failed. */
const WIRES: readonly [string, string, object, RegExp][] = [
  ['openai-chat', '/v1/chat/completions', { ...MODEL, messages }, /\n\ndata: \{"error":\{"message":"[^"]+","type".*\}\n\n$/],
  [
    'openai-responses',
    '/v1/responses',
    { ...MODEL, input: QUESTION },
    /\n\nevent: error\ndata: \{"type":"error","sequence_number":\d+,.*\}\n\n$/,
  ],
  [
    'anthropic-messages',
    '/v1/messages',
    { ...MODEL, max_tokens: 400, messages },
    /\n\nevent: error\ndata: \{"type":"error","error":.*\}\n\n$/,
  ],
  ['gemini', `${GEMINI}?alt=sse`, { contents }, /\r\n\r\ndata: \{"error":\{"code":500,.*\}\r\n\r\n$/],
  ['gemini as an array', GEMINI, { contents }, /\},\r\n\{"error":\{"code":500,.*\}\r\n\]$/],
  ['ollama-chat', '/api/chat', { model: 'demo-small', messages }, /\}\n\{"error":"[^"]+"\}\n$/],
];

async function fault(what: object): Promise<void> {
  expect((await fetch(`${demo.origin}/demo/faults`, { method: 'POST', body: JSON.stringify(what) })).status).toBe(200);
}
const post = (path: string, body: object) =>
  fetch(demo.origin + path, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'x-api-key': 'k', 'x-goog-api-key': 'k', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  });

/** Everything that arrives before the connection ends, and whether it broke. */
async function arriving(response: Response): Promise<{ text: string; broke: boolean }> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = '';
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
      text += decoder.decode(read.value, { stream: true });
    return { text, broke: false };
  } catch {
    return { text, broke: true };
  }
}

describe.each(WIRES)('%s', (_id, path, body, failure) => {
  it('fails inside its stream in its own way, once', async () => {
    const whole = await (await post(path, body)).text();
    await fault({ errorAfter: 700 });
    const response = await post(path, body);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toMatch(failure);
    expect(text).toContain(FAILED);
    const shared = [...text].findIndex((character, index) => character !== whole[index]);
    expect(shared).toBeGreaterThanOrEqual(700);
    expect(await (await post(path, body)).text()).toBe(whole);
  });

  it('is cut after so many bytes', async () => {
    const whole = await (await post(path, body)).text();
    await fault({ cutAfter: 700 });
    expect(await arriving(await post(path, body))).toEqual({ text: whole.slice(0, 700), broke: true });
  });

  it('falls silent and goes on', async () => {
    const whole = await (await post(path, body)).text();
    await fault({ stallAfter: 300, stall: 30 });
    expect(await arriving(await post(path, body))).toEqual({ text: whole, broke: false });
  });

  it('refuses with a status in its own shape', async () => {
    await fault({ status: 503 });
    const response = await post(path, body);
    expect(response.status).toBe(503);
    expect(JSON.stringify(await response.json())).toContain('told to answer 503');
  });
});
