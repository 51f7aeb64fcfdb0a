/**
 * Answers on the OpenAI chat wire, streamed or whole.
 *
 * Only the first choice is understood (others pass by), a finish or `[DONE]` ends it, and what comes after `[DONE]` is ignored.
 * `prompt_tokens` includes what came from the cache; the usage reported here keeps the two apart.
 */
import { Gathering, later } from '../answer.ts';
import type { AnswerReader } from '../decoder.ts';
import { countOf, listOf, objectOf, type Plain, parseObject, stringOf } from '../plain.ts';

/** A reader for one answer. */
export function createAnswerReader(): AnswerReader {
  const gathering = new Gathering();
  let done = false;
  let prompt: number | null = null;
  let cached: number | null = null;
  let output: number | null = null;

  const usage = (value: unknown): void => {
    const told = objectOf(value);
    if (told === null) return;
    prompt = later(prompt, countOf(told.prompt_tokens));
    output = later(output, countOf(told.completion_tokens));
    const details = objectOf(told.prompt_tokens_details);
    cached = later(cached, countOf(details?.cached_tokens) ?? countOf(told.prompt_cache_hit_tokens));
  };

  const document = (text: string, key: 'delta' | 'message'): void => {
    const value = parseObject(text);
    if (value === null) {
      gathering.giveUp();
      return;
    }
    if (value.error !== undefined && value.error !== null) gathering.fail();
    usage(value.usage);
    for (const [position, item] of listOf(value.choices).entries()) {
      const choice = objectOf(item);
      if (choice === null || (countOf(choice.index) ?? position) !== 0) continue;
      const said = objectOf(choice[key]);
      if (said !== null) take(gathering, said);
      const finish = stringOf(choice.finish_reason);
      if (finish) gathering.stop = finish;
      // A whole answer is over by being whole; a stream is over when it says so.
      if (finish || key === 'message') gathering.end();
    }
  };

  return {
    event(_type, data) {
      if (done) return;
      done = data.trim() === '[DONE]';
      if (done) gathering.end();
      else if (data.trim() !== '') document(data, 'delta');
    },
    body: (text) => document(text, 'message'),
    giveUp: () => gathering.giveUp(),
    answer() {
      const fresh = prompt === null ? null : Math.max(0, prompt - (cached ?? 0));
      return gathering.answer({ fresh, cached, written: null, output });
    },
  };
}

/** Takes what a delta or a message says. */
function take(gathering: Gathering, said: Plain): void {
  gathering.reasoning(stringOf(said.reasoning_content) ?? stringOf(said.reasoning) ?? stringOf(said.thinking));
  if (typeof said.content === 'string') gathering.text(said.content);
  for (const part of listOf(said.content).map(objectOf)) {
    if (part?.type === 'text') gathering.text(stringOf(part.text));
    if (part?.type === 'thinking') {
      gathering.reasoning(stringOf(part.thinking));
      for (const inner of listOf(part.thinking)) gathering.reasoning(stringOf(objectOf(inner)?.text));
    }
  }
  for (const [position, item] of listOf(said.tool_calls).entries()) {
    const call = objectOf(item);
    if (call !== null) takeCall(gathering, `${countOf(call.index) ?? position}`, call);
  }
  const legacy = objectOf(said.function_call);
  if (legacy !== null)
    gathering.call('function_call', { name: stringOf(legacy.name), arguments: argumentsOf(legacy.arguments) });
}

function takeCall(gathering: Gathering, key: string, call: Plain): void {
  const inner = objectOf(call.function) ?? objectOf(call.custom);
  gathering.call(key, {
    id: stringOf(call.id),
    name: stringOf(inner?.name),
    arguments: argumentsOf(inner?.arguments) ?? stringOf(inner?.input),
  });
}

/** Some servers give arguments as an object. */
function argumentsOf(value: unknown): string | null {
  return objectOf(value) === null ? stringOf(value) : JSON.stringify(value);
}
