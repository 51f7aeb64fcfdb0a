/**
 * Answers on the Gemini wire: a stream of events, a stream that is one JSON array, or one whole object.
 *
 * Every piece is a whole response object. There is no end mark: an answer has ended when a finish reason was said, and what comes
 * after it still counts (the figures often do). A prompt that was blocked, and an `error` in place of a piece, are errors. An array
 * that was cut is no JSON, so nothing of it counts. `promptTokenCount` includes what came from the cache; thoughts are counted beside
 * the answer.
 */
import { Gathering, later } from '../answer.ts';
import type { AnswerReader } from '../decoder.ts';
import { countOf, listOf, objectOf, type Plain, stringOf } from '../plain.ts';
import type { Usage } from '../wire.ts';

const FIGURES = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
] as const;
type Figure = (typeof FIGURES)[number];

/** A reader for one answer. */
export function createAnswerReader(): AnswerReader {
  const gathering = new Gathering();
  const figures = new Map<Figure, number | null>();
  let calls = 0;

  const take = (part: Plain): void => {
    if (part.thought === true) gathering.reasoning(stringOf(part.text));
    else gathering.text(stringOf(part.text));
    const call = objectOf(part.functionCall);
    if (call === null) return;
    // Arguments in pieces have a form of their own, which is not understood here.
    if (call.partialArgs !== undefined || call.willContinue === true) gathering.giveUp();
    // A call comes whole in its part: each is its own, whatever its id.
    calls += 1;
    const given = objectOf(call.args);
    gathering.call(`${calls}`, { name: stringOf(call.name), arguments: given === null ? null : JSON.stringify(given) });
  };

  const understand = (value: Plain | null): void => {
    if (value === null) {
      gathering.giveUp();
      return;
    }
    if (value.error !== undefined && value.error !== null) gathering.fail();
    const told = objectOf(value.usageMetadata);
    for (const name of FIGURES) figures.set(name, later(figures.get(name) ?? null, countOf(told?.[name])));
    const blocked = reasonOf(objectOf(value.promptFeedback)?.blockReason);
    if (blocked !== null) {
      gathering.stop = blocked;
      gathering.fail();
    }
    for (const [position, item] of listOf(value.candidates).entries()) {
      const candidate = objectOf(item);
      if (candidate === null || (countOf(candidate.index) ?? position) !== 0) continue;
      for (const part of listOf(objectOf(candidate.content)?.parts).map(objectOf)) if (part !== null) take(part);
      const finish = reasonOf(candidate.finishReason);
      if (finish === null) continue;
      gathering.stop = finish;
      gathering.end();
    }
  };

  return {
    event(_type, data) {
      // Relays end their streams the way another wire does.
      if (data.trim() !== '' && data.trim() !== '[DONE]') understand(objectOf(parsed(data)));
    },
    body(text) {
      const value = parsed(text);
      if (Array.isArray(value)) for (const piece of value) understand(objectOf(piece));
      else understand(objectOf(value));
      // A whole answer is over by being whole; a list of pieces is over when one says so.
      if (Array.isArray(objectOf(value)?.candidates)) gathering.end();
    },
    giveUp: () => gathering.giveUp(),
    answer: () => gathering.answer(usageOf((name) => figures.get(name) ?? null)),
  };
}

/** The reason, or null where it says nothing. */
function reasonOf(value: unknown): string | null {
  const reason = stringOf(value);
  return reason === null || /^$|_UNSPECIFIED$/.test(reason) ? null : reason;
}

function usageOf(told: (name: Figure) => number | null): Usage {
  const prompt = told('promptTokenCount');
  const cached = told('cachedContentTokenCount');
  const answered = told('candidatesTokenCount');
  const thought = told('thoughtsTokenCount');
  return {
    fresh: prompt === null ? null : Math.max(0, prompt - (cached ?? 0)) + (told('toolUsePromptTokenCount') ?? 0),
    cached,
    written: null,
    output: answered === null && thought === null ? null : (answered ?? 0) + (thought ?? 0),
  };
}

/** The JSON value, or undefined when the text is none, or was cut. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller gives up understanding
  }
}
