/**
 * Answers on the Ollama wire: one JSON document per line, or one for the whole; the last one says `done`.
 *
 * `prompt_eval_count` is missing when the prompt was still in the server's cache, so a missing figure is unknown, not zero.
 */
import { Gathering, later } from '../answer.ts';
import type { AnswerReader } from '../decoder.ts';
import { countOf, listOf, objectOf, parseObject, stringOf } from '../plain.ts';

/** A reader for one answer. */
export function createAnswerReader(): AnswerReader {
  const gathering = new Gathering();
  let fresh: number | null = null;
  let output: number | null = null;
  let done = false;
  let calls = 0;

  const document = (text: string): void => {
    if (done) return;
    const value = parseObject(text);
    if (value === null) {
      gathering.giveUp();
      return;
    }
    if (value.error !== undefined && value.error !== null) gathering.fail();
    const message = objectOf(value.message);
    gathering.reasoning(stringOf(message?.thinking));
    gathering.text(stringOf(message?.content));
    for (const item of listOf(message?.tool_calls)) {
      // Calls are never in pieces here: each stands whole in one document.
      const call = objectOf(objectOf(item)?.function);
      if (call === null) continue;
      calls += 1;
      const given = objectOf(call.arguments);
      const said = given === null ? stringOf(call.arguments) : JSON.stringify(given);
      gathering.call(`${calls}`, { name: stringOf(call.name), arguments: said });
    }
    if (value.done !== true) return;
    done = true;
    fresh = later(fresh, countOf(value.prompt_eval_count));
    output = later(output, countOf(value.eval_count));
    gathering.stop = stringOf(value.done_reason);
    gathering.end();
  };

  return {
    event: (_type, data) => document(data),
    body: document,
    giveUp: () => gathering.giveUp(),
    answer: () => gathering.answer({ fresh, cached: null, written: null, output }),
  };
}
