/**
 * Answers on the Responses wire, streamed or whole.
 *
 * A stream ends with `response.completed`, `.incomplete` or `.failed`, or with `error`; nothing after that counts. What comes as deltas
 * comes again whole, when its part, its item and the response are done: the whole is taken only where nothing of it came before.
 * `input_tokens` includes what came from the cache; the usage reported here keeps the two apart.
 */
import { Gathering, later } from '../answer.ts';
import type { AnswerReader } from '../decoder.ts';
import { countOf, listOf, objectOf, type Plain, parseObject, stringOf } from '../plain.ts';

/** Events that carry a piece of something, and the member that has it. Not a delta: the whole of it. */
const PIECES: ReadonlyMap<string, { readonly to: 'text' | 'reasoning' | 'call'; readonly key: string }> = new Map([
  ['response.output_text.delta', { to: 'text', key: 'delta' }],
  ['response.output_text.done', { to: 'text', key: 'text' }],
  ['response.reasoning_summary_text.delta', { to: 'reasoning', key: 'delta' }],
  ['response.reasoning_summary_text.done', { to: 'reasoning', key: 'text' }],
  ['response.reasoning_text.delta', { to: 'reasoning', key: 'delta' }],
  ['response.reasoning_text.done', { to: 'reasoning', key: 'text' }],
  ['response.function_call_arguments.delta', { to: 'call', key: 'delta' }],
  ['response.function_call_arguments.done', { to: 'call', key: 'arguments' }],
  ['response.custom_tool_call_input.delta', { to: 'call', key: 'delta' }],
  ['response.custom_tool_call_input.done', { to: 'call', key: 'input' }],
]);
const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** A reader for one answer. */
export function createAnswerReader(): AnswerReader {
  const gathering = new Gathering();
  /** Parts of which something came, and items of which something came. */
  const parts = new Set<string>();
  const items = new Set<string>();
  let over = false;
  let input: number | null = null;
  let cached: number | null = null;
  let output: number | null = null;

  const usage = (value: unknown): void => {
    const figures = objectOf(value);
    input = later(input, countOf(figures?.input_tokens));
    output = later(output, countOf(figures?.output_tokens));
    cached = later(cached, countOf(objectOf(figures?.input_tokens_details)?.cached_tokens));
  };

  const piece = (type: string, { to, key }: { to: 'text' | 'reasoning' | 'call'; key: string }, value: Plain): void => {
    const item = keyOf(value);
    const part = to === 'call' ? `call ${item}` : `${type.replace(/\.\w+$/, '')} ${item} ${indexOf(value)}`;
    if (key === 'delta' || !parts.has(part)) {
      if (to === 'call') gathering.callPiece(item, stringOf(value[key]));
      else gathering[to](stringOf(value[key]));
    }
    parts.add(part);
    items.add(item);
  };

  /** An item as it starts or as it ended. A call may come with its input at once, any other only says here what it says whole. */
  const take = (item: string, value: Plain | null, ended: boolean): void => {
    const given = value === null ? null : inputOfCall(value);
    if (value !== null && given !== null) {
      if (!items.has(item)) gathering.call(item, { id: stringOf(value.call_id), name: stringOf(value.name) });
      if (!parts.has(`call ${item}`)) gathering.callPiece(item, given);
      if (given !== '') parts.add(`call ${item}`);
    } else if (!ended || items.has(item)) return;
    else if (value !== null) takeWords(gathering, value);
    items.add(item);
  };

  const whole = (response: Plain): void => {
    usage(response.usage);
    for (const [index, value] of listOf(response.output).entries()) {
      const item = objectOf(value);
      const id = stringOf(item?.id) ?? '';
      take(items.has(id) ? id : `${index}`, item, true);
    }
    const status = stringOf(response.status) ?? 'completed';
    gathering.stop = stringOf(objectOf(response.incomplete_details)?.reason) ?? status;
    if (status === 'failed' || objectOf(response.error) !== null) gathering.fail();
    // Anything else is still being made (`background`), or was called off.
    else if (status === 'completed' || status === 'incomplete') gathering.end();
  };

  const understand = (type: string, value: Plain): void => {
    const known = PIECES.get(type);
    if (known !== undefined) piece(type, known, value);
    else if (type === 'response.output_item.added' || type === 'response.output_item.done')
      take(keyOf(value), objectOf(value.item), type.endsWith('done'));
    else if (ENDS.has(type)) {
      whole(objectOf(value.response) ?? {});
      if (type === 'response.failed') gathering.fail();
      over = true;
    } else if (type === 'error') {
      gathering.fail();
      over = true;
    }
  };

  return {
    event(type, data) {
      if (over || data.trim() === '' || data.trim() === '[DONE]') return;
      const value = parseObject(data);
      if (value === null) gathering.giveUp();
      else understand(type ?? stringOf(value.type) ?? '', value);
    },
    body(text) {
      const value = parseObject(text);
      if (value === null) gathering.giveUp();
      else if (Array.isArray(value.output)) whole(value);
      else if (value.error === undefined || value.error === null) gathering.giveUp();
      else gathering.fail();
    },
    giveUp: () => gathering.giveUp(),
    answer() {
      const fresh = input === null ? null : Math.max(0, input - (cached ?? 0));
      return gathering.answer({ fresh, cached, written: null, output });
    },
  };
}

/** The item an event speaks of. */
function keyOf(value: Plain): string {
  return `${countOf(value.output_index) ?? stringOf(value.item_id) ?? stringOf(objectOf(value.item)?.id) ?? ''}`;
}

function indexOf(value: Plain): string {
  return `${countOf(value.summary_index) ?? countOf(value.content_index) ?? ''}`;
}

/** What a call passes on, as far as it is known; null when the item is no call. */
function inputOfCall(item: Plain): string | null {
  if (item.type === 'function_call') return stringOf(item.arguments) ?? '';
  return item.type === 'custom_tool_call' ? (stringOf(item.input) ?? '') : null;
}

function takeWords(gathering: Gathering, item: Plain): void {
  const partsOf = (list: unknown, type: string): (string | null)[] =>
    listOf(list)
      .map(objectOf)
      .map((part) => (part?.type === type ? stringOf(part.text) : null));
  if (item.type === 'message') for (const text of partsOf(item.content, 'output_text')) gathering.text(text);
  if (item.type !== 'reasoning') return;
  for (const text of partsOf(item.summary, 'summary_text')) gathering.reasoning(text);
  for (const text of partsOf(item.content, 'reasoning_text')) gathering.reasoning(text);
}
