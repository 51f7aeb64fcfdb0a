/**
 * Google's rules for one part: nothing unknown in it, one kind of data, names and bytes that can be read, a signature that this model gave.
 */
import { isObject, type Json } from '../shape.ts';
import { sign, signed } from '../signature.ts';
import type { Refusal } from '../wire.ts';

/** A 400 in Google's shape. */
export const bad = (message: string): Refusal => ({ status: 400, message, type: 'INVALID_ARGUMENT' });

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The object with every key in camel case, which is how both spellings are read, or the refusal of a key that nobody knows. */
export function fields(value: unknown, known: ReadonlySet<string>, at: string, type: string): Json | Refusal {
  if (!isObject(value)) return bad(`Invalid value at '${at}' (${type}), ${JSON.stringify(value)}`);
  const read: Json = {};
  for (const [key, held] of Object.entries(value)) {
    const where = at === '' ? '' : ` at '${at}'`;
    if (!known.has(camel(key))) return bad(`Invalid JSON payload received. Unknown name "${key}"${where}: Cannot find field.`);
    if (held !== null) read[camel(key)] = held;
  }
  return read;
}

export const isRefusal = (value: Json | Refusal): value is Refusal =>
  'status' in value && 'message' in value && 'type' in value;

export const PART_TYPE = 'type.googleapis.com/google.ai.generativelanguage.v1beta.Part';
const DATA = ['text', 'inlineData', 'functionCall', 'functionResponse', 'fileData', 'executableCode', 'codeExecutionResult'];
const PART = new Set([...DATA, 'thought', 'thoughtSignature', 'partMetadata', 'videoMetadata', 'mediaResolution']);
const INNER: Record<string, ReadonlySet<string>> = {
  inlineData: new Set(['mimeType', 'data']),
  fileData: new Set(['mimeType', 'fileUri']),
  functionCall: new Set(['id', 'name', 'args']),
  functionResponse: new Set(['id', 'name', 'response', 'willContinue', 'scheduling', 'parts']),
};
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** What Google takes from clients that have no signature to give back. */
const SKIPPED = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']);

/** What a signature vouches for: the call it stands on, or that the text is an answer of this model. */
const vouched = (call: { name: string; args: unknown } | null): string =>
  call === null ? 'gemini answer' : `gemini call ${call.name} ${JSON.stringify(call.args ?? {})}`;
export const signature = (call: { name: string; args: unknown } | null): string => sign(vouched(call));

interface Named {
  readonly id: string | null;
  readonly name: string;
}
/** Contents of one role in a row. */
export interface Turn {
  readonly role: 'user' | 'model';
  /** Index of its first content. */
  readonly at: number;
  readonly kinds: string[];
  readonly calls: (Named & { readonly signed: boolean })[];
  readonly results: Named[];
}

function checkSignature(part: Json, at: string): Refusal | null {
  const { thoughtSignature, functionCall } = part;
  if (thoughtSignature === undefined) return null;
  if (typeof thoughtSignature !== 'string' || !BASE64.test(thoughtSignature))
    return bad(
      `Invalid value at '${at}.thought_signature' (TYPE_BYTES), Base64 decoding failed for ${JSON.stringify(thoughtSignature)}`,
    );
  const call = isObject(functionCall) ? { name: String(functionCall.name), args: functionCall.args } : null;
  return SKIPPED.has(thoughtSignature) || signed(vouched(call), thoughtSignature) ? null : bad('Corrupted thought signature.');
}

function checkData(kind: string, value: unknown, role: Turn['role'], at: string): Refusal | Json {
  const path = `${at}.${snake(kind)}`;
  if (kind === 'text') {
    if (typeof value !== 'string') return bad(`Invalid value at '${path}' (TYPE_STRING), ${JSON.stringify(value)}`);
    // Streams end with an empty text, which clients send back; nobody else has a reason to say nothing.
    if (value === '' && role === 'user') return noData(at);
    return { text: value };
  }
  const known = INNER[kind];
  if (known === undefined) return isObject(value) ? value : bad(`Invalid value at '${path}'`);
  const inner = fields(value, known, path, 'Message');
  if (isRefusal(inner)) return inner;
  if (kind === 'inlineData') {
    const { data, mimeType } = inner;
    if (typeof data !== 'string' || !BASE64.test(data))
      return bad(`Invalid value at '${path}.data' (TYPE_BYTES), Base64 decoding failed for ${JSON.stringify(data)}`);
    if (typeof mimeType !== 'string' || mimeType === '')
      return bad(`* GenerateContentRequest.${path}.mime_type: mime_type must not be empty.\n`);
  }
  if (kind === 'fileData' && typeof inner.fileUri !== 'string')
    return bad(`* GenerateContentRequest.${path}.file_uri: file_uri must not be empty.\n`);
  if (kind !== 'functionCall' && kind !== 'functionResponse') return inner;
  if (typeof inner.name !== 'string' || inner.name === '')
    return bad(`* GenerateContentRequest.${path}.name: Name cannot be empty.\n`);
  const struct = kind === 'functionCall' ? 'args' : 'response';
  if (inner[struct] !== undefined && !isObject(inner[struct]))
    return bad(
      `Invalid value at '${path}.${struct}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(inner[struct])}`,
    );
  return inner;
}

const noData = (at: string): Refusal =>
  bad(`* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field\n`);

const idOf = (inner: Json): string | null => (typeof inner.id === 'string' && inner.id !== '' ? inner.id : null);

/** Reads one part into its turn; gives its text. */
export function readPart(value: unknown, turn: Turn, at: string): string | Refusal {
  const part = fields(value, PART, at, PART_TYPE);
  if (isRefusal(part)) return part;
  const [kind, second] = Object.keys(part).filter((key) => DATA.includes(key));
  if (kind === undefined) return noData(at);
  if (second !== undefined)
    return bad(`Invalid value at '${at}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`);
  const inner = checkData(kind, part[kind], turn.role, at);
  const wrong = isRefusal(inner) ? inner : checkSignature(part, at);
  if (wrong !== null) return wrong;
  const held = inner as Json;
  turn.kinds.push(kind);
  const named = { id: idOf(held), name: String(held.name) };
  if (kind === 'functionCall') turn.calls.push({ ...named, signed: part.thoughtSignature !== undefined });
  if (kind === 'functionResponse') turn.results.push(named);
  if (kind === 'text') return part.thought === true ? '' : String(held.text);
  return kind === 'functionResponse' ? JSON.stringify(held.response ?? {}) : '';
}
