/**
 * Folding on the Ollama wire, before a server that leaves out what does not fit and says nothing: the window is the one the page asks for,
 * lines arrive as they were written, calls leave with their results though nothing but their order pairs them.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pause } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

interface Call {
  function: { name: string; arguments: object };
}
interface Message {
  role: string;
  content: string;
  thinking?: string;
  tool_calls?: Call[];
  tool_name?: string;
}
interface Line {
  message: Message;
  done: boolean;
}
interface Answered {
  status: number;
  type: string | null;
  reads: string[];
}

const WINDOW = 16_384;
let world: World;
let page: Page;
beforeAll(async () => {
  world = await startWorld();
  page = await world.open();
});
afterAll(() => world?.dispose());

const label = '[Earlier conversation, folded: ';
const isSummary = (body: string): boolean => body.includes('Throughline fold request');
const bodies = (): string[] => world.front.recorded.map(({ body }) => body.toString());
const last = (): string => bodies().findLast((body) => !isSummary(body)) ?? '';

const messages: Message[] = [{ role: 'system', content: 'You are attentive.' }];

/** Asks as a page does that makes no preflight, and keeps the answer with the thinking in a member of its own naming. */
async function ask(message: Message): Promise<Message> {
  messages.push(message);
  const body = JSON.stringify({
    model: 'demo-small',
    messages,
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
    think: true,
    options: { num_ctx: WINDOW },
  });
  const answer = await page.evaluate(async (sent): Promise<Answered> => {
    const response = await fetch('/api/chat', { method: 'POST', body: sent });
    const decoder = new TextDecoder();
    const reads: string[] = [];
    const reader = response.body?.getReader();
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
      reads.push(decoder.decode(read.value, { stream: true }));
    return { status: response.status, type: response.headers.get('content-type'), reads };
  }, body);
  expect(answer).toMatchObject({ status: 200, type: 'application/x-ndjson' });
  for (const read of answer.reads) expect(read.endsWith('\n')).toBe(true);
  const lines = answer.reads
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect(lines.at(-1)?.done).toBe(true);
  const calls = lines.flatMap((line) => line.message.tool_calls ?? []);
  const said: Message & { reasoning: string } = {
    role: 'assistant',
    content: lines.map((line) => line.message.content).join(''),
    reasoning: lines.map((line) => line.message.thinking ?? '').join(''),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  messages.push(said);
  await pause(60);
  return said;
}

const user = (content: string): Message => ({ role: 'user', content });

test('old turns are folded whole before they are forgotten, the rest stays to the byte', async () => {
  await ask(user('Please remember this. The locker code is 4711-0815. I will ask for it later.'));
  for (let turn = 0; turn < 40 && !last().includes(label); turn++) {
    const made = await ask(user(`Call look with {"row":${turn}}`));
    expect(made.tool_calls).toEqual([{ function: { name: 'look', arguments: { row: turn } } }]);
    await ask({ role: 'tool', tool_name: 'look', content: `Row ${turn} is in order.` });
    await ask(
      user(
        `Part ${turn} of my notes. ${`The warehouse keeps pallets and crates in row ${turn}; deliveries come at noon. `.repeat(30)}`,
      ),
    );
  }
  expect(last()).toContain(label);
  expect(last()).not.toContain('I will ask for it later');
  expect(last().length / 4).toBeLessThan(WINDOW);

  // What stays is what the page sent; a block is the beginning of a user message or one of its own.
  const sent = (JSON.parse(last()) as { messages: Message[] }).messages;
  const own = messages.map((message) => JSON.stringify(message));
  for (const message of sent) {
    if (!message.content.startsWith(label)) expect(own).toContain(JSON.stringify(message));
    else expect(Object.keys(message)).toEqual(['role', 'content']);
  }
  const calls = sent.flatMap((message) => message.tool_calls ?? []).length;
  expect(sent.filter(({ role }) => role === 'tool')).toHaveLength(calls);

  // The summary was asked for as the model is loaded, and not streamed.
  const summary = bodies().find(isSummary);
  expect(JSON.parse(summary ?? '{}')).toMatchObject({ model: 'demo-small', stream: false, options: { num_ctx: WINDOW } });

  const answer = await ask(user('What is the locker code?'));
  expect(answer.content).toBe('4711-0815');
  expect(last()).toContain(label);
  expect(last()).not.toContain('I will ask for it later');
});
