/**
 * The Gemini wire: `POST …:generateContent` or `…:streamGenerateContent` with `contents`.
 */
import { messageList } from '../body.ts';
import { createDecoder } from '../decoder.ts';
import type { Wire } from '../wire.ts';
import { createAnswerReader } from './answer.ts';
import { parse } from './parse.ts';
import { render } from './render.ts';
import { summaryBody } from './summary.ts';
import { METHODS, wholeUrl } from './url.ts';

export const gemini: Wire = {
  id: 'gemini',
  recognise: (head, body) => METHODS.some((method) => messageList(head, body, method, 'contents') !== null),
  parse,
  render,
  decoder: () => createDecoder(createAnswerReader()),
  summaryBody,
  summaryUrl: wholeUrl,
};
