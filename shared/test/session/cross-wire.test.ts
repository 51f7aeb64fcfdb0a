import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drive } from '#base/digest';
import { parseJson } from '#base/json';
import { type Chains, chainsOf } from '#chain/chain';
import type { Exchange } from '#neutral/message';
import { recognise } from '#wire/registry';
import { nativeSha256 } from '../arbitrary/hash.ts';
import { createWorld } from '../arbitrary/world.ts';

/** A conversation as a client holds it: rounds of a question and the answers to it. */
interface Answer {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly {
    readonly name: string;
    readonly input: { readonly [key: string]: unknown };
    readonly output: string;
  }[];
}
interface Round {
  readonly question: string;
  /** Every answer but the last one has calls. */
  readonly answers: readonly Answer[];
}
/** What becomes of reasoning when the client replays it. */
type Reasoning = 'kept' | 'dropped' | 'demoted';

const word = fc.oneof(
  fc.constantFrom('hi', 'go on', 'a "quoted"\n\u00e9 text ', 'Hello! How can I help?'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
);
const input = fc.dictionary(fc.constantFrom('b', 'a', 'path'), fc.oneof(fc.integer(), fc.string(), fc.array(fc.boolean())), {
  maxKeys: 3,
});
const call = fc.record({ name: fc.constantFrom('search', 'now'), input, output: word });
const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    question: word,
    answers: fc
      .tuple(
        fc.array(
          fc.record({
            reasoning: word,
            text: fc.oneof(fc.constant(''), word),
            calls: fc.array(call, { minLength: 1, maxLength: 2 }),
          }),
          { maxLength: 2 },
        ),
        fc.record({ reasoning: word, text: word, calls: fc.constant([]) }),
      )
      .map(([through, last]) => [...through, last]),
  }),
  { minLength: 1, maxLength: 4 },
);

/** The text that the client replays for an answer. */
const replayed = (answer: Answer, mode: Reasoning): string => (mode === 'demoted' ? answer.reasoning : '') + answer.text;

function parsed(path: string, body: object): Exchange {
  const doc = parseJson(JSON.stringify(body, null, 1));
  const head = { method: 'POST', url: `https://api.example/v1/${path}` };
  const wire = doc === null ? null : recognise(head, doc);
  if (doc === null || wire === null) throw new Error('no wire for the body');
  return wire.parse(head, doc, nativeSha256);
}

function openai(history: readonly Round[], mode: Reasoning, last: string): Exchange {
  const messages: object[] = [{ role: 'system', content: 'Be brief.' }];
  let id = 0;
  for (const round of history) {
    messages.push({ role: 'user', content: round.question });
    for (const answer of round.answers) {
      const text = replayed(answer, mode);
      const ids = answer.calls.map((_, index) => `call_${id + index}`);
      id += ids.length;
      messages.push({
        role: 'assistant',
        content: text === '' ? null : text,
        ...(mode === 'kept' ? { reasoning_content: answer.reasoning } : {}),
        ...(ids.length === 0
          ? {}
          : {
              tool_calls: answer.calls.map((made, index) => ({
                id: ids[index],
                type: 'function',
                function: { name: made.name, arguments: JSON.stringify(made.input) },
              })),
            }),
      });
      for (const [index, made] of answer.calls.entries()) {
        messages.push({ role: 'tool', tool_call_id: ids[index], content: made.output });
      }
    }
  }
  messages.push({ role: 'user', content: [{ type: 'text', text: last }] });
  return parsed('chat/completions', { model: 'm-1', messages, stream: true });
}

function anthropic(history: readonly Round[], mode: Reasoning, last: string): Exchange {
  const messages: object[] = [];
  let id = 0;
  for (const round of history) {
    messages.push({ role: 'user', content: [{ type: 'text', text: round.question, cache_control: { type: 'ephemeral' } }] });
    for (const answer of round.answers) {
      const text = replayed(answer, mode);
      const ids = answer.calls.map((_, index) => `toolu_${id + index}`);
      id += ids.length;
      messages.push({
        role: 'assistant',
        content: [
          ...(mode === 'kept' ? [{ type: 'thinking', thinking: answer.reasoning, signature: `sig${id}` }] : []),
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...answer.calls.map((made, index) => ({
            type: 'tool_use',
            id: ids[index],
            name: made.name,
            input: Object.fromEntries(Object.entries(made.input).toReversed()),
          })),
        ],
      });
      if (answer.calls.length === 0) continue;
      const results = answer.calls.map((made, index) => ({
        type: 'tool_result',
        tool_use_id: ids[index],
        content: made.output,
      }));
      messages.push({ role: 'user', content: results });
    }
  }
  messages.push({ role: 'user', content: last });
  return parsed('messages', { model: 'm-2', max_tokens: 4096, system: 'Be thorough.', messages });
}

/** `whole`: a reply as one content; else every part of it as its own, as Google's own client replays a stream. */
function gemini(history: readonly Round[], mode: Reasoning, last: string, whole = false): Exchange {
  const contents: object[] = [];
  for (const round of history) {
    contents.push({ parts: [{ text: round.question }] });
    for (const answer of round.answers) {
      const text = replayed(answer, mode);
      const parts = [
        ...(mode === 'kept' ? [{ text: answer.reasoning, thought: true }] : []),
        ...(text === '' ? [] : [{ text }]),
        ...answer.calls.map((made, index) => ({
          functionCall: { name: made.name, args: made.input },
          ...(index === 0 ? { thoughtSignature: 'c2ln' } : {}),
        })),
        { text: '', thoughtSignature: 'c2ln' },
      ];
      contents.push(...(whole ? [{ role: 'model', parts }] : parts.map((part) => ({ role: 'model', parts: [part] }))));
      if (answer.calls.length === 0) continue;
      const results = answer.calls.map((made) => ({
        functionResponse: { name: made.name, response: { output: made.output } },
      }));
      contents.push({ role: 'user', parts: results });
    }
  }
  contents.push({ role: 'user', parts: [{ text: last }] });
  return parsed('models/m-3:streamGenerateContent?alt=sse', {
    system_instruction: { parts: { text: 'Be exact.' } },
    contents,
  });
}

const geminiWhole: typeof ollama = (history, mode, last) => gemini(history, mode, last, true);

/** No ids: results are told apart by name and order. */
function ollama(history: readonly Round[], mode: Reasoning, last: string): Exchange {
  const messages: object[] = [{ role: 'system', content: 'Be kind.' }];
  for (const round of history) {
    messages.push({ role: 'user', content: round.question });
    for (const answer of round.answers) {
      messages.push({
        role: 'assistant',
        content: replayed(answer, mode),
        ...(mode === 'kept' ? { thinking: answer.reasoning } : {}),
        ...(answer.calls.length === 0
          ? {}
          : { tool_calls: answer.calls.map((made) => ({ function: { name: made.name, arguments: made.input } })) }),
      });
      for (const made of answer.calls) messages.push({ role: 'tool', tool_name: made.name, content: made.output });
    }
  }
  messages.push({ role: 'user', content: last });
  return parsed('api/chat', { model: 'm-4:8b', messages });
}

const chains = (asked: Exchange): Chains => drive(chainsOf(asked), nativeSha256);

describe('one conversation on several wires', () => {
  it('has one chain in both domains when the clients replay the same', () => {
    fc.assert(
      fc.property(rounds, word, fc.constantFrom<Reasoning[]>('kept', 'dropped', 'demoted'), (history, last, mode) => {
        const one = chains(openai(history, mode, last));
        for (const other of [anthropic, gemini, geminiWhole, ollama]) {
          const asked = chains(other(history, mode, last));
          expect(asked[2].links).toEqual(one[2].links);
          expect(asked[3].links).toEqual(one[3].links);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['domain 2 when one client drops reasoning', 2, 'kept', 'dropped'],
    ['domain 3 when one client turns reasoning into text', 3, 'kept', 'demoted'],
  ] as const)('has one chain in %s', (_, domain, first, second) => {
    fc.assert(
      fc.property(rounds, word, (history, last) => {
        const one = chains(openai(history, first, last));
        for (const other of [anthropic, gemini, ollama])
          expect(chains(other(history, second, last))[domain].links).toEqual(one[domain].links);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps its session when the client switches wires at every turn', async () => {
    const modes = fc.array(fc.constantFrom<Reasoning[]>('kept', 'demoted'), { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rounds, modes, async (history, replay) => {
        const world = createWorld();
        let session: string | null = null;
        for (const [index, round] of history.entries()) {
          const render = [openai, anthropic, gemini, ollama][index % 4] ?? openai;
          const resolution = await world.askExchange(render(history.slice(0, index), replay[index] ?? 'kept', round.question));
          expect(resolution.via).toBe(index === 0 ? 'new' : 'prefix');
          session ??= resolution.session;
          expect(resolution.session).toBe(session);
        }
      }),
      { numRuns: 200 },
    );
  });
});
