/**
 * OpenAI's rules for one `input` item: known types, their members, ids with the right beginning and of at most 64 characters, content parts
 * that the role may have.
 */
import { isObject, type Json, kindOf, strange, words } from '../shape.ts';
import type { Refusal } from '../wire.ts';

interface Kind {
  readonly keys: ReadonlySet<string>;
  readonly required: readonly string[];
  /** How an id begins. */
  readonly id: string;
}

/** What a message is called here: its role counts, not its type. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['message', { keys: words('type id role content status phase'), required: ['role', 'content'], id: 'msg' }],
  ['reasoning', { keys: words('type id summary content encrypted_content status'), required: ['id', 'summary'], id: 'rs' }],
  [
    'function_call',
    { keys: words('type id call_id name arguments status'), required: ['call_id', 'name', 'arguments'], id: 'fc' },
  ],
  ['function_call_output', { keys: words('type id call_id output status'), required: ['call_id', 'output'], id: 'fc' }],
  ['custom_tool_call', { keys: words('type id call_id name input status'), required: ['call_id', 'name', 'input'], id: 'ctc' }],
  ['custom_tool_call_output', { keys: words('type id call_id output status'), required: ['call_id', 'output'], id: 'ctc' }],
  ['item_reference', { keys: words('type id'), required: ['id'], id: '' }],
  ['web_search_call', { keys: words('type id status action'), required: ['id', 'status'], id: 'ws' }],
]);
const ROLES = ['assistant', 'system', 'developer', 'user'];
const INPUT = words('input_text input_image input_file');
const SAID = words('output_text refusal');
const PARTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['input_text', words('type text prompt_cache_breakpoint')],
  ['input_image', words('type image_url file_id detail prompt_cache_breakpoint')],
  ['input_file', words('type file_id file_data filename file_url prompt_cache_breakpoint')],
  ['output_text', words('type text annotations logprobs')],
  ['refusal', words('type refusal')],
]);
const ID_LENGTH = 64;

/** A 400 in OpenAI's shape. */
export const bad = (message: string, param: string | null, code: string | null = null): Refusal => ({
  status: 400,
  message,
  type: 'invalid_request_error',
  param,
  code,
});
export const missing = (param: string): Refusal =>
  bad(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
const quoted = (names: Iterable<string>): string =>
  [...names]
    .map((name) => `'${name}'`)
    .join(', ')
    .replace(/, ('[^']+')$/, ', and $1');
const unsupported = (value: unknown, names: Iterable<string>, param: string): Refusal =>
  bad(`Invalid value: '${String(value)}'. Supported values are: ${quoted(names)}.`, param, 'invalid_value');

/** The type of an item; a message may leave it out, and so may a reference. */
export function typeOf(item: Json): string {
  if (item.type != null) return String(item.type);
  return item.role === undefined && item.id !== undefined ? 'item_reference' : 'message';
}

function checkId(item: Json, key: 'id' | 'call_id', prefix: string, at: string): Refusal | null {
  const id = item[key];
  if (id == null) return null;
  const where = `${at}.${key}`;
  if (typeof id !== 'string')
    return bad(`Invalid type for '${where}': expected a string, but got ${kindOf(id)} instead.`, where, 'invalid_type');
  if (id.length > ID_LENGTH)
    return bad(
      `Invalid '${where}': string too long. Expected a string with maximum length ${ID_LENGTH}, but got a string with length ${id.length} instead.`,
      where,
      'string_above_max_length',
    );
  if (!id.startsWith(prefix))
    return bad(`Invalid '${where}': '${id}'. Expected an ID that begins with '${prefix}'.`, where, 'invalid_value');
  return null;
}

/** Checks a content value: a string, or parts of which only these may stand here. */
function checkContent(content: unknown, allowed: ReadonlySet<string>, at: string): Refusal | null {
  if (typeof content === 'string') return null;
  if (!Array.isArray(content))
    return bad(
      `Invalid type for '${at}': expected one of an array of objects or string, but got ${kindOf(content)} instead.`,
      at,
      'invalid_type',
    );
  for (const [index, part] of content.entries()) {
    const where = `${at}[${index}]`;
    if (!isObject(part) || typeof part.type !== 'string') return missing(`${where}.type`);
    const keys = PARTS.get(part.type);
    if (keys === undefined || !allowed.has(part.type)) return unsupported(part.type, allowed, where);
    const extra = strange(part, keys);
    if (extra !== null) return bad(`Unknown parameter: '${where}.${extra}'.`, `${where}.${extra}`, 'unknown_parameter');
    const wanted = part.type === 'refusal' ? 'refusal' : part.type.endsWith('_text') ? 'text' : null;
    if (wanted !== null && typeof part[wanted] !== 'string') return missing(`${where}.${wanted}`);
    if (part.type === 'input_image' && part.image_url == null && part.file_id == null) return missing(`${where}.image_url`);
  }
  return null;
}

/** Texts of a content value. */
export function textsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (isObject(part) ? String(part.text ?? part.refusal ?? `(${String(part.type)})`) : ''))
    .join('\n');
}

/** The first thing wrong with one item, or null. */
export function checkItem(item: unknown, at: string): Refusal | null {
  if (!isObject(item))
    return bad(`Invalid type for '${at}': expected an object, but got ${kindOf(item)} instead.`, at, 'invalid_type');
  const type = typeOf(item);
  const kind = KINDS.get(type);
  if (kind === undefined) return unsupported(type, KINDS.keys(), `${at}.type`);
  const extra = strange(item, kind.keys);
  if (extra !== null) return bad(`Unknown parameter: '${at}.${extra}'.`, `${at}.${extra}`, 'unknown_parameter');
  const absent = kind.required.find((key) => item[key] == null);
  if (absent !== undefined) return missing(`${at}.${absent}`);
  const wrongId = checkId(item, 'id', kind.id, at) ?? checkId(item, 'call_id', '', at);
  if (wrongId !== null) return wrongId;
  if (type === 'message') {
    if (!ROLES.includes(String(item.role))) return unsupported(item.role, ROLES, `${at}.role`);
    return checkContent(item.content, item.role === 'assistant' ? SAID : INPUT, `${at}.content`);
  }
  if (type.endsWith('_output')) return checkContent(item.output, INPUT, `${at}.output`);
  const text = type === 'function_call' ? 'arguments' : type === 'custom_tool_call' ? 'input' : null;
  if (text !== null && typeof item[text] !== 'string')
    return bad(
      `Invalid type for '${at}.${text}': expected a string, but got ${kindOf(item[text])} instead.`,
      `${at}.${text}`,
      'invalid_type',
    );
  return type === 'reasoning' ? checkReasoning(item, at) : null;
}

function checkReasoning(item: Json, at: string): Refusal | null {
  for (const [key, type] of [
    ['summary', 'summary_text'],
    ['content', 'reasoning_text'],
  ] as const) {
    const list = item[key];
    if (list == null) continue;
    if (!Array.isArray(list))
      return bad(
        `Invalid type for '${at}.${key}': expected an array of objects, but got ${kindOf(list)} instead.`,
        `${at}.${key}`,
        'invalid_type',
      );
    const wrong = list.findIndex((part) => !isObject(part) || part.type !== type || typeof part.text !== 'string');
    if (wrong >= 0) return missing(`${at}.${key}[${wrong}].text`);
  }
  return null;
}
