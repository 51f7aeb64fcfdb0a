/**
 * The Ollama chat wire of the demo model: no key, one JSON document per line, streaming unless told otherwise.
 *
 * Like Ollama it says nothing when a prompt is longer than the window (`options.num_ctx`, else the model's): the oldest messages
 * are left out, system messages and the newest one are kept. Only `truncate: false` gets a refusal.
 */
import { isObject } from '../shape.ts';
import { countPrompt, pieces } from '../tokens.ts';
import { type Asked, type CheckContext, type Checked, type ModelWire, type Refusal, refuse, type Spoken } from '../wire.ts';
import { bad, checkMessages, mismatch } from './ollama-chat-messages.ts';

const WHOLE_NUMBERS = ['num_ctx', 'num_predict', 'num_keep', 'seed', 'top_k', 'repeat_last_n'];
const LEVELS = ['high', 'medium', 'low'];

function checkMembers(body: Record<string, unknown>): Refusal | null {
  for (const [name, kind, type] of [
    ['model', 'string', 'string'],
    ['messages', 'array', '[]api.Message'],
    ['stream', 'bool', 'bool'],
    ['truncate', 'bool', 'bool'],
    ['tools', 'array', 'api.Tools'],
    ['options', 'object', 'map[string]interface {}'],
  ] as const) {
    const found = mismatch(body[name], kind, type, name);
    if (found !== null) return found;
  }
  const { think } = body;
  if (think != null && typeof think !== 'boolean' && !LEVELS.includes(String(think)))
    return bad(`invalid think value: ${JSON.stringify(think)} (must be "high", "medium", "low", true, or false)`);
  return null;
}

function toolNames(tools: unknown): string[] {
  const list: unknown[] = Array.isArray(tools) ? tools : [];
  return list.map((tool) => (isObject(tool) && isObject(tool.function) ? String(tool.function.name) : ''));
}

/** Which messages the model gets to see: every system message, and the newest ones that fit; the last one always. */
function fitting(system: readonly boolean[], prompt: readonly string[], room: number): readonly boolean[] {
  const kept = system.map((is, index) => is || index === system.length - 1);
  let left = room - countPrompt(prompt.filter((_, index) => kept[index]));
  for (let index = prompt.length - 2; index >= 0; index -= 1) {
    if (kept[index]) continue;
    left -= countPrompt([prompt[index] ?? '']);
    if (left < 0) break;
    kept[index] = true;
  }
  return kept;
}

const TOO_LONG = bad('the input length exceeds the context length');

function check(body: unknown, { windows }: CheckContext): Checked {
  if (!isObject(body)) return refuse(bad(body === undefined ? 'invalid character in request body' : 'missing request body'));
  const wrong = checkMembers(body);
  if (wrong !== null) return refuse(wrong);
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const said = checkMessages(messages);
  if ('status' in said) return refuse(said);
  if (typeof body.model !== 'string' || body.model === '') return refuse(bad('model is required'));
  const { model } = body;
  const window = windows.get(model);
  if (window === undefined) return refuse(bad(`model '${model}' not found`, 404));
  const options = isObject(body.options) ? body.options : {};
  const strange = WHOLE_NUMBERS.find((name) => options[name] != null && !Number.isInteger(options[name]));
  if (strange !== undefined) return refuse(bad(`option "${strange}" must be of type integer`, 500));
  const tools = toolNames(body.tools);
  const environment = tools.length > 0 ? [JSON.stringify(body.tools)] : [];
  const prompt = messages.map((message) => JSON.stringify(message));
  const room = Math.min(Number(options.num_ctx ?? window), window) - countPrompt(environment);
  if (body.truncate === false && countPrompt(prompt) > room) return refuse(TOO_LONG);
  const kept = fitting(
    said.map((one) => one.system),
    prompt,
    room,
  );
  const seen = said.filter((_, index) => kept[index]);
  const budget = Number(options.num_predict ?? -1);
  return {
    ok: true,
    asked: {
      model,
      stream: body.stream !== false,
      system: seen.flatMap(({ system, text }) => (system ? [text] : [])).join('\n\n'),
      said: seen.filter(({ system }) => !system),
      prompt: [...environment, ...prompt.filter((_, index) => kept[index])],
      maxOutput: budget > 0 ? budget : null,
      tools,
      thinking: body.think === true || LEVELS.includes(String(body.think)),
      usageInStream: true,
      marksCache: false,
    },
  };
}

const document = (asked: Asked, message: object, more: object = { done: false }): object => ({
  model: asked.model,
  created_at: '2023-11-14T22:13:20.123456789Z',
  message: { role: 'assistant', content: '', ...message },
  ...more,
});

/** How it ended and what it cost: the whole prompt, whether it was cached or not. */
const ending = ({ stop, priced }: Spoken): object => ({
  done_reason: stop === 'length' ? 'length' : 'stop',
  done: true,
  total_duration: 420_000_000,
  load_duration: 9_000_000,
  prompt_eval_count: priced.cached + priced.fresh,
  prompt_eval_duration: 80_000_000,
  eval_count: priced.output,
  eval_duration: 300_000_000,
});

const callsOf = (spoken: Spoken): object =>
  spoken.calls.length === 0
    ? {}
    : {
        tool_calls: spoken.calls.map(({ name, arguments: input }) => ({
          function: { name, arguments: JSON.parse(input) as unknown },
        })),
      };

function events(asked: Asked, spoken: Spoken): readonly string[] {
  const documents = [
    ...pieces(spoken.thinking, 24).map((thinking) => document(asked, { thinking })),
    ...pieces(spoken.text, 24).map((content) => document(asked, { content })),
    ...(spoken.calls.length > 0 ? [document(asked, callsOf(spoken))] : []),
    document(asked, {}, ending(spoken)),
  ];
  return documents.map((one) => `${JSON.stringify(one)}\n`);
}

export const ollamaChat: ModelWire = {
  id: 'ollama-chat',
  matches: (path) => path.endsWith('/api/chat'),
  check,
  beside(body, context) {
    // Nothing was said: the model is only loaded.
    if (!isObject(body) || !(body.messages == null || (Array.isArray(body.messages) && body.messages.length === 0)))
      return null;
    const checked = check(body, context);
    if (!checked.ok) return null;
    return { status: 200, body: document(checked.asked, {}, { done_reason: 'load', done: true }) };
  },
  refusalBody: ({ message }) => ({ error: message }),
  tooLong: () => TOO_LONG,
  tooLarge: () => bad('http: request body too large', 413),
  whole: (asked, spoken) =>
    document(
      asked,
      { content: spoken.text, ...(spoken.thinking === '' ? {} : { thinking: spoken.thinking }), ...callsOf(spoken) },
      ending(spoken),
    ),
  events,
  streamType: () => 'application/x-ndjson',
  streamError: (_asked, refusal) => `${JSON.stringify({ error: refusal.message })}\n`,
};
