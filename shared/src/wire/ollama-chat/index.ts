/**
 * The Ollama chat wire: `POST …/api/chat` with `messages`.
 */
import { messageList } from '../body.ts';
import { createDecoder } from '../decoder.ts';
import { renderJoined } from '../joined.ts';
import type { Wire } from '../wire.ts';
import { createAnswerReader } from './answer.ts';
import { parse } from './parse.ts';
import { summaryBody } from './summary.ts';

export const ollamaChat: Wire = {
  id: 'ollama-chat',
  recognise: (head, body) => messageList(head, body, '/api/chat') !== null,
  parse: (_head, body, hash) => parse(body, hash),
  render: renderJoined,
  decoder: () => createDecoder(createAnswerReader(), 'lines'),
  summaryBody,
  summaryUrl: (url) => url,
};
