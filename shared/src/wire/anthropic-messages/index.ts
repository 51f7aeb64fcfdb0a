/**
 * The Anthropic messages wire: `POST …/messages` with `messages` and a numeric `max_tokens`.
 */
import { member } from '#base/json';
import { messageList } from '../body.ts';
import { createDecoder } from '../decoder.ts';
import type { SummaryPrompt, Wire } from '../wire.ts';
import { createAnswerReader } from './answer.ts';
import { parse } from './parse.ts';
import { render } from './render.ts';

export const anthropicMessages: Wire = {
  id: 'anthropic-messages',
  recognise: (head, body) =>
    messageList(head, body, '/messages') !== null && member(body.root, 'max_tokens')?.kind === 'number',
  parse: (_head, body, hash) => parse(body, hash),
  render,
  decoder: () => createDecoder(createAnswerReader()),
  summaryBody,
  summaryUrl: (url) => url,
};

function summaryBody(prompt: SummaryPrompt): string {
  return JSON.stringify({
    model: prompt.model,
    max_tokens: prompt.maxOutput,
    system: prompt.system,
    messages: [{ role: 'user', content: prompt.user }],
    stream: false,
  });
}
