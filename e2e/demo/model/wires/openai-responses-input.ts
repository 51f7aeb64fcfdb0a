/**
 * OpenAI's rules for `input` as a whole: every call has its output and every output its call, reasoning keeps what follows it and what follows
 * keeps its reasoning, no id comes twice, references lead to something that was kept.
 *
 * A message of ours that needs its reasoning carries the reasoning's id in its own: `msg_r<n>` needs `rs_<n>`, and so does `fc_r<n>`.
 */
import { isObject, type Json, kindOf } from '../shape.ts';
import { redacted } from '../signature.ts';
import type { Refusal, Said } from '../wire.ts';
import { bad, checkItem, textsOf, typeOf } from './openai-responses-items.ts';
import { itemOf } from './openai-responses-store.ts';

const isRefusal = (value: object): value is Refusal => 'status' in value && 'message' in value;

/** The items of a request's own input, references replaced by what they lead to; or the first thing wrong with them. */
export function ownItems(input: unknown): readonly Json[] | Refusal {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  if (!Array.isArray(input))
    return bad(
      `Invalid type for 'input': expected one of a string or array of objects, but got ${kindOf(input)} instead.`,
      'input',
      'invalid_type',
    );
  const items: Json[] = [];
  for (const [index, given] of input.entries()) {
    const wrong = checkItem(given, `input[${index}]`);
    if (wrong !== null) return wrong;
    const found = resolved(given as Json);
    if (isRefusal(found)) return found;
    items.push(found);
  }
  return items;
}

/** A reference as the item it names. Reasoning without its encrypted content must have been kept, too. */
function resolved(item: Json): Json | Refusal {
  const type = typeOf(item);
  const lost: Refusal = {
    status: 404,
    message: `Item with id '${String(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    type: 'invalid_request_error',
    param: 'input',
    code: null,
  };
  if (type === 'item_reference') return itemOf(String(item.id)) ?? lost;
  if (type !== 'reasoning') return item;
  if (typeof item.encrypted_content !== 'string') return itemOf(String(item.id)) === undefined ? lost : item;
  if (redacted(item.encrypted_content)) return item;
  return bad(
    'The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    null,
    'invalid_encrypted_content',
  );
}

const isCall = (type: string): boolean => type === 'function_call' || type === 'custom_tool_call';
/** What the model makes, and therefore what reasoning may lead to. */
const isMade = (item: Json | undefined): boolean =>
  item !== undefined &&
  (isCall(typeOf(item)) || /^(?:reasoning|web_search_call)$/.test(typeOf(item)) || item.role === 'assistant');

/** What the items say as plain text, or the first thing that does not fit together. */
export function checkInput(items: readonly Json[]): { said: Said[]; system: string } | Refusal {
  const ids = new Set<string>();
  const open = new Map<string, string>();
  const answered = new Set<string>();
  const said: Said[] = [];
  const system: string[] = [];
  for (const [index, item] of items.entries()) {
    const type = typeOf(item);
    const id = typeof item.id === 'string' ? item.id : null;
    if (id !== null && ids.has(id))
      return bad(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`, 'input');
    const reasoning = /^(?:msg|fc)_r(\w+)$/.exec(id ?? '')?.[1];
    if (reasoning !== undefined && !ids.has(`rs_${reasoning}`))
      return bad(
        `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: 'rs_${reasoning}'.`,
        'input',
      );
    if (id !== null) ids.add(id);
    if (type === 'reasoning' && !isMade(items[index + 1]))
      return bad(`Item '${id}' of type 'reasoning' was provided without its required following item.`, 'input');
    const callId = String(item.call_id);
    if (isCall(type)) open.set(callId, type.startsWith('custom') ? 'custom tool call' : 'function call');
    if (type.endsWith('_output')) {
      const kind = type.startsWith('custom') ? 'custom tool call' : 'function call';
      if (open.get(callId) !== kind) return bad(`No tool call found for ${kind} output with call_id ${callId}.`, 'input');
      answered.add(callId);
      said.push({ role: 'tool', text: textsOf(item.output) });
    }
    if (type !== 'message') continue;
    if (item.role === 'system' || item.role === 'developer') system.push(textsOf(item.content));
    else said.push({ role: item.role === 'assistant' ? 'assistant' : 'user', text: textsOf(item.content) });
  }
  for (const [callId, kind] of open)
    if (!answered.has(callId)) return bad(`No tool output found for ${kind} ${callId}.`, 'input');
  return { said, system: system.join('\n\n') };
}

/** Names of the declared tools, or what is wrong with them. */
export function toolNames(tools: unknown): readonly string[] | Refusal {
  if (tools == null) return [];
  if (!Array.isArray(tools))
    return bad(
      `Invalid type for 'tools': expected an array of objects, but got ${kindOf(tools)} instead.`,
      'tools',
      'invalid_type',
    );
  const names: string[] = [];
  for (const [index, tool] of tools.entries()) {
    const type = isObject(tool) ? tool.type : undefined;
    if (!isObject(tool) || typeof type !== 'string')
      return bad(`Missing required parameter: 'tools[${index}].type'.`, `tools[${index}].type`, 'missing_required_parameter');
    if ((type === 'function' || type === 'custom') && typeof tool.name !== 'string')
      return bad(`Missing required parameter: 'tools[${index}].name'.`, `tools[${index}].name`, 'missing_required_parameter');
    names.push(String(tool.name ?? type));
  }
  return names;
}
