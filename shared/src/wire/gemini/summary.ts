/**
 * A summary request on the Gemini wire. The model is in the URL, and nothing that Google does not know is in the body.
 */
import { type JsonDocument, parseJson, plainOf } from '#base/json';
import type { Exchange } from '#neutral/message';
import type { SummaryPrompt } from '../wire.ts';
import { either } from './spelling.ts';

/** Models that think unless told otherwise, and count it against the output budget. */
const THINKING_MODEL = /^(?:models\/)?gemini-(?:2\.5|[3-9]|\d\d)/;
const THINKING_ROOM = 4096;

/** The body, with room to think where the model does, and thinking and safety set as the conversation's own request sets them. */
export function summaryBody(prompt: SummaryPrompt, like?: Exchange): string {
  const doc = like?.environment.model === prompt.model ? parseJson(like.source) : null;
  const thinking = givenIn(doc, 'generationConfig', 'thinkingConfig');
  const safety = givenIn(doc, 'safetySettings');
  const room = THINKING_MODEL.test(prompt.model) || thinking !== undefined ? THINKING_ROOM : 0;
  return JSON.stringify({
    systemInstruction: { parts: [{ text: prompt.system }] },
    contents: [{ role: 'user', parts: [{ text: prompt.user }] }],
    ...(safety === undefined ? {} : { safetySettings: safety }),
    generationConfig: {
      maxOutputTokens: prompt.maxOutput + room,
      ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
    },
  });
}

function givenIn(doc: JsonDocument | null, ...path: readonly string[]): unknown {
  const node = path.reduce((at, name) => either(at, name), doc?.root);
  return doc === null || node === undefined ? undefined : plainOf(doc, node);
}
