/**
 * Folding on the Responses wire, before a server as strict as OpenAI's: an answer's reasoning, calls and text leave together, what stays is the
 * page's own, and no item of ours has an id.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pause } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

type Item = { type?: string; id?: string; role?: string; call_id?: string; content?: unknown };
type Answer = { status: number; output: Item[]; error: unknown };

let world: World;
let page: Page;
beforeAll(async () => {
  world = await startWorld({ window: 4_000 });
  page = await world.open();
});
afterAll(() => world?.dispose());

const input: Item[] = [];
const bodies = (): string[] =>
  world.front.recorded.map(({ body }) => body.toString()).filter((body) => !body.includes('Throughline fold request'));
const last = (): string => bodies().at(-1) ?? '';

async function ask(...items: Item[]): Promise<Item[]> {
  input.push(...items);
  const body = JSON.stringify({
    model: 'demo-small',
    instructions: 'You are attentive.',
    input,
    tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }],
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    store: false,
  });
  const answer = await page.evaluate(async (sent): Promise<Answer> => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' };
    const response = await fetch('/v1/responses', { method: 'POST', headers, body: sent });
    const { output, error } = (await response.json()) as Answer;
    return { status: response.status, output, error };
  }, body);
  expect(answer).toMatchObject({ status: 200, error: null });
  input.push(...answer.output);
  await pause(60);
  return answer.output;
}

const user = (content: string): Item => ({ role: 'user', content });
const label = '[Earlier conversation, folded: ';

test('old turns are folded whole, the rest stays to the byte, and facts in them are still answered', async () => {
  await ask(user('Please remember this. The locker code is 4711-0815. I will ask for it later.'));
  for (let turn = 0; turn < 30 && !last().includes(label); turn++) {
    const made = await ask(user(`Call look with {"row":${turn}}`));
    const call = made.find(({ type }) => type === 'function_call');
    expect(call).toBeDefined();
    const seen = { type: 'function_call_output', call_id: call?.call_id as string, output: `Row ${turn} is in order.` };
    await ask(seen);
    await ask(
      user(
        `Part ${turn} of my notes. ${`The warehouse keeps pallets and crates in row ${turn}; deliveries come at noon. `.repeat(6)}`,
      ),
    );
  }
  const sent = (JSON.parse(last()) as { input: Item[] }).input;
  const blocks = sent.filter(({ content }) => typeof content === 'string' && content.startsWith(label));
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) expect(Object.keys(block).sort()).toEqual(['content', 'role', 'type']);
  expect(last()).not.toContain('I will ask for it later');

  // What stays is what the page sent, and every piece of reasoning has what followed it.
  const own = input.map((item) => JSON.stringify(item));
  const kept = sent.filter((item) => !blocks.includes(item)).map((item) => JSON.stringify(item));
  for (const item of kept) expect(own).toContain(item);
  for (const [place, item] of sent.entries())
    if (item.type === 'reasoning') expect(JSON.stringify(sent[place + 1])).toBe(own[own.indexOf(JSON.stringify(item)) + 1]);

  const answer = await ask(user('What is the locker code?'));
  expect(JSON.stringify(answer)).toContain('4711-0815');
  expect(last()).toContain(label);
  expect(last()).not.toContain('I will ask for it later');
});
