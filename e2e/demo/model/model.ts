/** The model behind every wire: prices the prompt, refuses what does not fit its window, answers or summarises. */
import { createHash } from 'node:crypto';
import { answer, lastQuestion } from './answer.ts';
import type { PromptCache } from './cache.ts';
import { isSummary, summarise } from './summarise.ts';
import { countPrompt, countTokens } from './tokens.ts';
import type { Asked, Spoken } from './wire.ts';

export interface ModelOptions {
  /** Answer summaries with contentless text. */
  blankSummaries: boolean;
  /** Sentences of a reply that is not about facts; three times as many when asked to answer at length. */
  sentences: number;
  /** Milliseconds before the answer starts. */
  delay: number;
  /** Milliseconds between two stream events. */
  pace: number;
  /** Largest body taken. */
  maxBytes: number;
}

export const DEFAULTS: Readonly<ModelOptions> = {
  blankSummaries: false,
  sentences: 6,
  delay: 0,
  pace: 0,
  maxBytes: 32 * 1024 * 1024,
};

/** Models by name: demo-small is small on purpose. */
export const WINDOWS: ReadonlyMap<string, number> = new Map([
  ['demo-small', 16_384],
  ['demo-32k', 32_768],
  ['demo-128k', 131_072],
]);

export { isSummary };

/** Tokens of the prompt, for the window. */
export const promptTokens = (asked: Asked): number => countPrompt(asked.prompt);

/** Cuts an answer at the output limit, on a word. */
function limited(text: string, maxOutput: number | null): { text: string; cut: boolean } {
  if (maxOutput === null || countTokens(text) <= maxOutput) return { text, cut: false };
  const short = text.slice(0, maxOutput * 3);
  return { text: short.slice(0, short.lastIndexOf(' ')), cut: true };
}

/** The answer to a request that passed its check. */
export function speak(asked: Asked, options: ModelOptions, cache: PromptCache): Spoken {
  const id = createHash('sha256').update(asked.prompt.join('\n')).digest('hex').slice(0, 24);
  const long = /\bat length\b/i.test(`${asked.system}\n${lastQuestion(asked)}`) ? 3 : 1;
  const said = isSummary(asked)
    ? { text: summarise(asked, options.blankSummaries), call: null }
    : answer(asked, options.sentences * long);
  const { text, cut } = limited(said.text, asked.maxOutput);
  const thinking = asked.thinking
    ? `The question has ${lastQuestion(asked).length} characters. I look for the answer in what I was given.`
    : '';
  const output = countTokens(text) + countTokens(thinking) + countTokens(said.call?.arguments ?? '');
  return {
    id,
    text,
    thinking,
    calls: said.call === null ? [] : [{ id: `call_${id.slice(0, 20)}`, ...said.call }],
    stop: said.call !== null ? 'calls' : cut ? 'length' : 'end',
    priced: { ...cache.price(asked.model, asked.prompt), output },
  };
}
