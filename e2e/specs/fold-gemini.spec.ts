/**
 * Folding on the Gemini wire, before a server as strict as Google's, for a page that keeps its history as Google's own client does: every
 * event of a reply as a content. Calls leave with their results, signatures stay on their parts, and the key stays in the query.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pause } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

interface Part {
  text?: string;
  functionCall?: { name: string };
  functionResponse?: object;
  thoughtSignature?: string;
}
interface Content {
  role: string;
  parts: Part[];
}

let world: World;
let page: Page;
beforeAll(async () => {
  world = await startWorld({ window: 4_000 });
  page = await world.open();
});
afterAll(() => world?.dispose());

const label = '[Earlier conversation, folded: ';
const isSummary = (body: string): boolean => body.includes('Throughline fold request');
const turns = () => world.front.recorded.filter(({ body }) => !isSummary(body.toString()));
const last = (): string => turns().at(-1)?.body.toString() ?? '';

const contents: Content[] = [];

/** Asks, and keeps every event of the answer as a content of its own; gives the answer's parts. */
async function ask(parts: Part[]): Promise<Part[]> {
  contents.push({ role: 'user', parts });
  const body = JSON.stringify({
    contents,
    systemInstruction: { parts: [{ text: 'You are attentive.' }] },
    tools: [{ functionDeclarations: [{ name: 'look' }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  });
  const answer = await page.evaluate(async (sent) => {
    const response = await fetch('/v1beta/models/demo-small:streamGenerateContent?alt=sse&key=sk-demo-key', {
      method: 'POST',
      body: sent,
    });
    return { status: response.status, text: await response.text() };
  }, body);
  expect(answer).toMatchObject({ status: 200 });
  const said = [...answer.text.matchAll(/^data: (\{.*\})\r$/gm)].map(
    ([, data]) => (JSON.parse(data as string) as { candidates: { content: Content }[] }).candidates[0]?.content as Content,
  );
  expect(said.length).toBeGreaterThan(0);
  contents.push(...said);
  await pause(60);
  return said.flatMap((content) => content.parts);
}

const text = (words: string): Part[] => [{ text: words }];

test('old turns are folded whole, the rest stays to the byte, and facts in them are still answered', async () => {
  await ask(text('Please remember this. The locker code is 4711-0815. I will ask for it later.'));
  for (let turn = 0; turn < 30 && !last().includes(label); turn++) {
    const made = await ask(text(`Call look with {"row":${turn}}`));
    expect(made.find((part) => part.functionCall !== undefined)?.thoughtSignature).toBeDefined();
    await ask([{ functionResponse: { name: 'look', response: { output: `Row ${turn} is in order.` } } }]);
    await ask(
      text(
        `Part ${turn} of my notes. ${`The warehouse keeps pallets and crates in row ${turn}; deliveries come at noon. `.repeat(6)}`,
      ),
    );
  }
  expect(last()).toContain(label);
  expect(last()).not.toContain('I will ask for it later');

  // What stays is what the page sent, in its order; a content that took a block keeps its own parts.
  const sent = (JSON.parse(last()) as { contents: Content[] }).contents;
  const own = contents.map((content) => JSON.stringify(content));
  const isBlock = (part: Part): boolean => part.text?.startsWith(label) === true;
  expect(sent.flatMap(({ parts }) => parts).filter(isBlock).length).toBeGreaterThan(0);
  for (const { role, parts } of sent) {
    const rest = parts.filter((part) => !isBlock(part));
    if (rest.length < parts.length) expect(role).toBe('user');
    if (rest.length > 0)
      expect(own).toContain(JSON.stringify({ ...(role === 'model' ? { parts: rest, role } : { role, parts: rest }) }));
  }
  const kinds = sent.flatMap(({ parts }) => parts).flatMap((part) => Object.keys(part));
  expect(kinds.filter((kind) => kind === 'functionCall')).toHaveLength(
    kinds.filter((kind) => kind === 'functionResponse').length,
  );

  // The summary went to the same model, not streamed, with the key where the page has it.
  const summary = world.front.recorded.find(({ body }) => isSummary(body.toString()));
  expect(summary?.url).toBe('/v1beta/models/demo-small:generateContent?key=sk-demo-key');
  expect(turns().at(-1)?.url).toBe('/v1beta/models/demo-small:streamGenerateContent?alt=sse&key=sk-demo-key');

  const answer = await ask(text('What is the locker code?'));
  expect(JSON.stringify(answer)).toContain('4711-0815');
  expect(last()).toContain(label);
  expect(last()).not.toContain('I will ask for it later');
});
