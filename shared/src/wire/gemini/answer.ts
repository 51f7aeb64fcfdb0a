/**
 * Answers on the Gemini wire: server-sent events, a JSON array of the same documents, or one document.
 *
 * A finish reason ends the answer, and words that come after it still count: some servers name it early. `promptTokenCount`
 * includes what came from the cache; the usage reported here keeps the two apart.
 */
import { Gathering, later } from '../answer.ts';
import type { AnswerReader } from '../decoder.ts';
import { countOf, listOf, objectOf, type Plain, parseObject, stringOf } from '../plain.ts';

/** A reader for one answer. */
export function createAnswerReader(): AnswerReader {
  const gathering = new Gathering();
  let prompt: number | null = null;
  let tools: number | null = null;
  let cached: number | null = null;
  let words: number | null = null;
  let thoughts: number | null = null;
  let calls = 0;

  const usage = (told: Plain | null): void => {
    prompt = later(prompt, countOf(told?.promptTokenCount));
    tools = later(tools, countOf(told?.toolUsePromptTokenCount));
    cached = later(cached, countOf(told?.cachedContentTokenCount));
    words = later(words, countOf(told?.candidatesTokenCount));
    thoughts = later(thoughts, countOf(told?.thoughtsTokenCount));
  };

  const part = (said: Plain): void => {
    const text = stringOf(said.text);
    if (said.thought === true) gathering.reasoning(text);
    else gathering.text(text);
    const call = objectOf(said.functionCall);
    if (call === null) return;
    // Arguments in pieces have a form of their own, which is not understood here.
    if (call.partialArgs !== undefined || call.willContinue === true) gathering.giveUp();
    calls += 1;
    const args = objectOf(call.args);
    gathering.call(`${calls}`, { name: stringOf(call.name), arguments: args === null ? null : JSON.stringify(args) });
  };

  const document = (value: Plain | null): void => {
    if (value === null) {
      gathering.giveUp();
      return;
    }
    if (value.error !== undefined && value.error !== null) gathering.fail();
    usage(objectOf(value.usageMetadata));
    const blocked = stringOf(objectOf(value.promptFeedback)?.blockReason);
    if (blocked !== null) {
      gathering.stop = blocked;
      gathering.fail();
    }
    for (const [position, item] of listOf(value.candidates).entries()) {
      const candidate = objectOf(item);
      if (candidate === null || (countOf(candidate.index) ?? position) !== 0) continue;
      for (const one of listOf(objectOf(candidate.content)?.parts)) {
        const said = objectOf(one);
        if (said !== null) part(said);
      }
      const finish = stringOf(candidate.finishReason);
      if (finish === null || finish === '' || finish === 'FINISH_REASON_UNSPECIFIED') continue;
      gathering.stop = finish;
      gathering.end();
    }
  };

  return {
    event: (_type, data) => document(parseObject(data)),
    body(text) {
      const list = text.trimStart().startsWith('[') ? parseList(text) : [parseObject(text)];
      if (list === null) gathering.giveUp();
      for (const item of list ?? []) document(objectOf(item));
    },
    giveUp: () => gathering.giveUp(),
    answer() {
      const fresh = prompt === null ? null : Math.max(0, prompt - (cached ?? 0)) + (tools ?? 0);
      const output = words === null && thoughts === null ? null : (words ?? 0) + (thoughts ?? 0);
      return gathering.answer({ fresh, cached, written: null, output });
    },
  };
}

/** The array in the text, or null when it was cut off. */
function parseList(text: string): readonly unknown[] | null {
  try {
    return listOf(JSON.parse(text));
  } catch {
    return null; // not all of it came: nothing is counted
  }
}
