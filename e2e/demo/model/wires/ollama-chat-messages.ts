/**
 * Ollama's rules for `messages`: what Go's JSON decoder takes into its structs. Members it does not know are dropped, as there; a value
 * of another kind is refused in the decoder's words. Calls and results are not checked against each other, as there.
 */
import { isObject, type Json } from '../shape.ts';
import type { Refusal, Said } from '../wire.ts';

const ROLES = ['system', 'user', 'assistant', 'tool'];

/** A refusal in Ollama's shape, which is a text and nothing else. */
export const bad = (message: string, status = 400): Refusal => ({ status, message, type: 'error' });

/** Go's word for what a JSON value is. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The refusal of a member that is there, not null (Go reads null as nothing) and of another kind; else null. */
export function mismatch(value: unknown, kind: string, type: string, at: string): Refusal | null {
  if (value === undefined || value === null || kindOf(value) === kind) return null;
  return bad(`json: cannot unmarshal ${kindOf(value)} into Go struct field ChatRequest.${at} of type ${type}`);
}

const first = (...found: (Refusal | null)[]): Refusal | null => found.find((one) => one !== null) ?? null;

/** Base64 as Go's standard encoding takes it: padded, and nothing but its alphabet and line ends. */
function checkImages(images: unknown): Refusal | null {
  const wrong = mismatch(images, 'array', '[]api.ImageData', 'messages.images');
  if (wrong !== null || !Array.isArray(images)) return wrong;
  for (const image of images) {
    if (typeof image !== 'string')
      return mismatch(image, 'string', 'api.ImageData', 'messages.images') ?? bad('illegal base64 data at input byte 0');
    const data = image.replace(/[\r\n]/g, '');
    const sound = /^[A-Za-z0-9+/]*={0,2}/.exec(data)?.[0].length ?? 0;
    if (sound < data.length || data.length % 4 !== 0) return bad(`illegal base64 data at input byte ${sound}`);
  }
  return null;
}

function checkCalls(calls: unknown): Refusal | null {
  const at = 'messages.tool_calls';
  const wrong = mismatch(calls, 'array', '[]api.ToolCall', at);
  if (wrong !== null || !Array.isArray(calls)) return wrong;
  for (const call of calls) {
    const made = isObject(call) ? call.function : undefined;
    const inner: Json = isObject(made) ? made : {};
    const found = first(
      mismatch(call, 'object', 'api.ToolCall', at),
      mismatch(made, 'object', 'api.ToolCallFunction', `${at}.function`),
      mismatch(inner.name, 'string', 'string', `${at}.function.name`),
      mismatch(inner.arguments, 'object', 'api.ToolCallFunctionArguments', `${at}.function.arguments`),
    );
    if (found !== null) return found;
    if (typeof inner.name !== 'string' || inner.name === '') return bad('tool call without a function name');
  }
  return null;
}

/** The messages as plain text with where each of them stands, or the first thing wrong with them. */
export function checkMessages(messages: readonly unknown[]): readonly (Said & { readonly system: boolean })[] | Refusal {
  const said: (Said & { system: boolean })[] = [];
  for (const message of messages) {
    if (!isObject(message)) return mismatch(message, 'object', 'api.Message', 'messages') ?? bad('invalid role: ""');
    const found = first(
      ...['role', 'content', 'thinking', 'tool_name', 'tool_call_id'].map((name) =>
        mismatch(message[name], 'string', 'string', `messages.${name}`),
      ),
      checkImages(message.images),
      checkCalls(message.tool_calls),
    );
    if (found !== null) return found;
    const role = String(message.role ?? '').toLowerCase();
    if (!ROLES.includes(role)) return bad(`invalid role: ${JSON.stringify(role)}`);
    const text = typeof message.content === 'string' ? message.content : '';
    said.push({ role: role === 'assistant' || role === 'tool' ? role : 'user', text, system: role === 'system' });
  }
  return said;
}
