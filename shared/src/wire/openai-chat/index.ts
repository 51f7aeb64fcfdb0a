/**
 * The OpenAI chat wire: `POST …/chat/completions` with `messages`.
 */
import { messageList } from '../body.ts';
import { createDecoder } from '../decoder.ts';
import { renderJoined } from '../joined.ts';
import type { Wire } from '../wire.ts';
import { createAnswerReader } from './answer.ts';
import { parse } from './parse.ts';
import { summaryBody } from './summary.ts';

export const openaiChat: Wire = {
  id: 'openai-chat',
  recognise: (head, body) => messageList(head, body, '/chat/completions') !== null,
  parse: (_head, body, hash) => parse(body, hash),
  render: renderJoined,
  decoder: () => createDecoder(createAnswerReader()),
  summaryBody,
  summaryUrl: (url) => url,
};
