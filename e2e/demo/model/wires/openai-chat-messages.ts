/**
 * OpenAI's rules for `messages`: known roles and keys, content of the right kind, every tool call answered right after it and every
 * tool message answering a call.
 */
import { isObject, type Json, kindOf, strange, words } from '../shape.ts';
import type { Refusal, Said } from '../wire.ts';

const ROLES = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];
const KEYS: Record<string, ReadonlySet<string>> = {
  system: words('role content name'),
  developer: words('role content name'),
  user: words('role content name'),
  assistant: words('role content name refusal audio tool_calls function_call annotations'),
  tool: words('role content tool_call_id'),
  function: words('role content name'),
};
const PARTS: Record<string, ReadonlySet<string>> = {
  system: words('text'),
  developer: words('text'),
  user: words('text image_url input_audio file'),
  assistant: words('text refusal'),
  tool: words('text'),
  function: words('text'),
};

/** A 400 in OpenAI's shape. */
export const bad = (message: string, param: string | null, code: string | null = null): Refusal => ({
  status: 400,
  message,
  type: 'invalid_request_error',
  param,
  code,
});

function contentOf(message: Json, role: string, at: string): { text: string } | Refusal {
  const content = message.content;
  if (typeof content === 'string') return { text: content };
  if (Array.isArray(content)) {
    if (content.length === 0) {
      return bad(
        `Invalid '${at}.content': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        `${at}.content`,
        'empty_array',
      );
    }
    const texts: string[] = [];
    for (const [index, part] of content.entries()) {
      const type = isObject(part) ? part.type : undefined;
      if (!isObject(part) || typeof type !== 'string') {
        return bad(
          `Missing required parameter: '${at}.content[${index}].type'.`,
          `${at}.content[${index}].type`,
          'missing_required_parameter',
        );
      }
      if (!PARTS[role]?.has(type)) {
        const known = [...(PARTS[role] ?? [])].map((name) => `'${name}'`).join(', ');
        return bad(
          `Invalid value: '${type}'. Supported values are: ${known}.`,
          `${at}.content[${index}].type`,
          'invalid_value',
        );
      }
      if (type === 'text' && typeof part.text !== 'string') {
        return bad(
          `Missing required parameter: '${at}.content[${index}].text'.`,
          `${at}.content[${index}].text`,
          'missing_required_parameter',
        );
      }
      texts.push(type === 'text' ? String(part.text) : `(${type})`);
    }
    return { text: texts.join('\n') };
  }
  const mayBeEmpty =
    role === 'assistant' &&
    (message.tool_calls !== undefined || message.function_call !== undefined || message.refusal != null);
  if ((content === null || content === undefined) && mayBeEmpty) return { text: '' };
  if (content === undefined)
    return bad(`Missing required parameter: '${at}.content'.`, `${at}.content`, 'missing_required_parameter');
  return bad(
    `Invalid type for '${at}.content': expected one of a string or array of objects, but got ${kindOf(content)} instead.`,
    `${at}.content`,
    'invalid_type',
  );
}

function callIds(message: Json, at: string): readonly string[] | Refusal {
  const calls = message.tool_calls;
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) {
    return bad(
      `Invalid type for '${at}.tool_calls': expected an array of objects, but got ${kindOf(calls)} instead.`,
      `${at}.tool_calls`,
      'invalid_type',
    );
  }
  if (calls.length === 0) {
    return bad(
      `Invalid '${at}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      `${at}.tool_calls`,
      'empty_array',
    );
  }
  const ids: string[] = [];
  for (const [index, call] of calls.entries()) {
    const where = `${at}.tool_calls[${index}]`;
    if (!isObject(call) || typeof call.id !== 'string')
      return bad(`Missing required parameter: '${where}.id'.`, `${where}.id`, 'missing_required_parameter');
    if (call.type !== 'function')
      return bad(`Missing required parameter: '${where}.type'.`, `${where}.type`, 'missing_required_parameter');
    const named =
      isObject(call.function) && typeof call.function.name === 'string' && typeof call.function.arguments === 'string';
    if (!named)
      return bad(`Missing required parameter: '${where}.function'.`, `${where}.function`, 'missing_required_parameter');
    ids.push(call.id);
  }
  return ids;
}

const isRefusal = (value: object): value is Refusal => 'status' in value;

/** The messages as plain text, or the first thing wrong with them. */
export function checkMessages(messages: readonly unknown[]): { said: Said[]; system: string } | Refusal {
  const said: Said[] = [];
  const system: string[] = [];
  let open = new Set<string>();
  let callsAt = -1;
  const unanswered = (): Refusal =>
    bad(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      `messages.[${callsAt + 1}].role`,
    );
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    if (!isObject(message))
      return bad(`Invalid type for '${at}': expected an object, but got ${kindOf(message)} instead.`, at, 'invalid_type');
    const role = message.role;
    if (role === undefined) return bad(`Missing required parameter: '${at}.role'.`, `${at}.role`, 'missing_required_parameter');
    if (typeof role !== 'string' || !ROLES.includes(role)) {
      const known = ROLES.map((name) => `'${name}'`)
        .join(', ')
        .replace(/, ('[a-z]+')$/, ', and $1');
      return bad(`Invalid value: '${String(role)}'. Supported values are: ${known}.`, `${at}.role`, 'invalid_value');
    }
    const extra = strange(message, KEYS[role] ?? new Set());
    if (extra !== null) return bad(`Unknown parameter: '${at}.${extra}'.`, `${at}.${extra}`, 'unknown_parameter');
    const content = contentOf(message, role, at);
    if (isRefusal(content)) return content;
    if (role === 'tool') {
      const id = message.tool_call_id;
      if (typeof id !== 'string')
        return bad(`Missing required parameter: '${at}.tool_call_id'.`, `${at}.tool_call_id`, 'missing_required_parameter');
      if (callsAt < 0)
        return bad(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages.[${index}].role`,
        );
      if (!open.delete(id))
        return bad(
          `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
          `messages.[${index}].tool_call_id`,
        );
      said.push({ role: 'tool', text: content.text });
      continue;
    }
    if (open.size > 0) return unanswered();
    callsAt = -1;
    if (role === 'system' || role === 'developer') system.push(content.text);
    else said.push({ role: role === 'assistant' ? 'assistant' : 'user', text: content.text });
    if (role !== 'assistant') continue;
    const ids = callIds(message, at);
    if (isRefusal(ids)) return ids;
    open = new Set(ids);
    if (ids.length > 0) callsAt = index;
  }
  return open.size > 0 ? unanswered() : { said, system: system.join('\n\n') };
}
