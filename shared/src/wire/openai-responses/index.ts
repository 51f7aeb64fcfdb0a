/**
 * The OpenAI Responses wire: `POST …/responses` with `input`, a string or a list of items.
 *
 * One answer of the model is several items here: reasoning, calls and text stand beside each other, each with the id the server gave
 * it. No id is ever made by us.
 */
import type { JsonDocument } from '#base/json';
import { member } from '#base/json';
import { pathOf } from '../body.ts';
import { createDecoder } from '../decoder.ts';
import type { RequestHead, SummaryPrompt, Wire } from '../wire.ts';
import { createAnswerReader } from './answer.ts';
import { parse } from './parse.ts';
import { render } from './render.ts';

export const openaiResponses: Wire = {
  id: 'openai-responses',
  recognise,
  parse: (_head, body, hash) => parse(body, hash),
  render,
  decoder: () => createDecoder(createAnswerReader()),
  summaryBody,
  summaryUrl: (url) => url,
};

function recognise(head: RequestHead, { root }: JsonDocument): boolean {
  if (head.method.toUpperCase() !== 'POST' || !pathOf(head.url).endsWith('/responses')) return false;
  if (root.kind !== 'object' || root.duplicate) return false;
  const input = member(root, 'input');
  return input?.kind === 'string' || input?.kind === 'array';
}

/** `store: false`: a server that keeps answers has no reason to keep this one. */
function summaryBody(prompt: SummaryPrompt): string {
  return JSON.stringify({
    model: prompt.model,
    instructions: prompt.system,
    input: [{ role: 'user', content: prompt.user }],
    max_output_tokens: prompt.maxOutput,
    store: false,
    stream: false,
  });
}
