/**
 * The Gemini wire: `POST …:generateContent` and `…:streamGenerateContent` with `contents`.
 */
import { quote } from '#base/canonical';
import { parseJson, rawOf } from '#base/json';
import type { Exchange } from '#neutral/message';
import { objectList } from '../body.ts';
import { createDecoder } from '../decoder.ts';
import { type Joining, renderJoined } from '../joined.ts';
import type { SummaryPrompt, Wire } from '../wire.ts';
import { createAnswerReader } from './answer.ts';
import { parse, STREAM, WHOLE } from './parse.ts';
import { memberOf } from './parts.ts';

const JOINING: Joining = {
  content: 'parts',
  element: (text) => `{"text":${quote(text)}}`,
  message: (text) => `{"role":"user","parts":[{"text":${quote(text)}}]}`,
  opensWithUser: true,
};

export const gemini: Wire = {
  id: 'gemini',
  recognise: (head, body) => [WHOLE, STREAM].some((end) => objectList(head, body, end, 'contents') !== null),
  parse,
  render: (exchange, plan) => renderJoined(exchange, plan, JOINING),
  decoder: () => createDecoder(createAnswerReader()),
  summaryBody,
  summaryUrl,
};

/** Thinking is paid from the output budget: how much of it the conversation allows itself, its summary may as well. */
function summaryBody(prompt: SummaryPrompt, like?: Exchange): string {
  const doc = like === undefined ? null : parseJson(like.source);
  const config = doc && memberOf(doc.root, 'generationConfig', 'generation_config');
  const thinking = config && memberOf(config, 'thinkingConfig', 'thinking_config');
  return JSON.stringify({
    systemInstruction: { parts: [{ text: prompt.system }] },
    contents: [{ role: 'user', parts: [{ text: prompt.user }] }],
    generationConfig: {
      maxOutputTokens: prompt.maxOutput,
      ...(doc && thinking ? { thinkingConfig: JSON.parse(rawOf(doc, thinking)) as unknown } : {}),
    },
  });
}

/** The model stands in the path, and `alt=sse` asks for a stream; the rest of the query (a key, say) stays. */
function summaryUrl(url: string, model: string): string {
  const [path = '', query] = url.replace(/#.*$/s, '').split(/\?(.*)/s);
  const asked = path.replace(/[^/]+:(?:streamGenerateContent|generateContent)\/*$/, `${encodeURIComponent(model)}${WHOLE}`);
  const rest = (query ?? '').split('&').filter((pair) => pair !== '' && !/^alt=sse$/i.test(pair));
  return rest.length === 0 ? asked : `${asked}?${rest.join('&')}`;
}
