/**
 * A summary request on the Ollama wire. It is loaded as the conversation is: another window or another layout makes the server load the
 * model again, and a window too small cuts the history without a word.
 */
import { type JsonDocument, type JsonNode, member, parseJson, plainOf } from '#base/json';
import type { Exchange } from '#neutral/message';
import { isAbsent, stringMember } from '../body.ts';
import type { SummaryPrompt } from '../wire.ts';

/** Options that say how the model is loaded; the others say how it speaks. */
const LOADING = ['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread', 'use_mmap'];
/** A model whose thinking is set to a level thinks in any case, and it counts against the output budget. */
const THINKING_ROOM = 4096;

/** The body: not streamed, which has to be said here, and without thinking where that can be had. */
export function summaryBody(prompt: SummaryPrompt, like?: Exchange): string {
  const doc = like?.environment.model === prompt.model ? parseJson(like.source) : null;
  const level = doc === null ? null : stringMember(doc, doc.root, 'think');
  const options = doc === null ? undefined : member(doc.root, 'options');
  return JSON.stringify({
    model: prompt.model,
    messages: [
      { role: 'system', content: prompt.system },
      { role: 'user', content: prompt.user },
    ],
    stream: false,
    think: level ?? false,
    ...given(doc, doc?.root, ['keep_alive']),
    options: { ...given(doc, options, LOADING), num_predict: prompt.maxOutput + (level === null ? 0 : THINKING_ROOM) },
  });
}

/** The members that are there, as they are. */
function given(doc: JsonDocument | null, node: JsonNode | undefined, names: readonly string[]): Record<string, unknown> {
  if (doc === null || node === undefined) return {};
  const found = names.filter((name) => !isAbsent(node, name)).map((name) => [name, member(node, name)] as const);
  return Object.fromEntries(found.map(([name, value]) => [name, value && plainOf(doc, value)]));
}
