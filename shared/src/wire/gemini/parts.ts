/**
 * Parts of a content on the Gemini wire. A part is one thing and marks about it; both spellings that the API reads are read here.
 */
import { canonicalJson } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, type JsonObject, member, rawOf, textOf } from '#base/json';
import type { Part } from '#neutral/message';
import { isAbsent, isTrue, spanOf, stringMember } from '../body.ts';
import { mediaOfBase64 } from '../media.ts';
import { innerHasExtras, partHasExtras, type Shape, shapeOf } from '../members.ts';

/** Signatures belong to their part and stay on it; they are no content. */
const MARKS = ['thoughtSignature', 'thought_signature'];
const KINDS: readonly (readonly [kind: 'text' | 'call' | 'result' | 'data' | 'file', ...names: string[]])[] = [
  ['text', 'text'],
  ['call', 'functionCall', 'function_call'],
  ['result', 'functionResponse', 'function_response'],
  ['data', 'inlineData', 'inline_data'],
  ['file', 'fileData', 'file_data'],
];
const CALL = shapeOf({ text: ['name', 'id'], any: ['args'] });
const RESPONSE = shapeOf({ text: ['name', 'id'], any: ['response'] });
const DATA = shapeOf({ text: ['mimeType', 'mime_type', 'data'] });
const FILE = shapeOf({ text: ['mimeType', 'mime_type', 'fileUri', 'file_uri'] });
const SHAPES = new Map<string, Shape>(
  KINDS.flatMap(([, ...names]) => names).map((name) => [name, shapeOf({ text: MARKS, flag: ['thought'], any: [name] })]),
);
/** Members that SDKs wrap a tool's plain text in, because the API wants an object. */
const WRAPPERS: ReadonlySet<string> = new Set(['output', 'error', 'result']);

/** The member under one of its spellings. */
export function memberOf(node: JsonNode, ...names: readonly string[]): JsonNode | undefined {
  const name = names.find((candidate) => !isAbsent(node, candidate));
  return name === undefined ? undefined : member(node, name);
}

/** The parts of a content; what it does not know is `unknown`. */
export function contentParts(doc: JsonDocument, parts: JsonNode | undefined, hash: Sha256): Part[] {
  if (parts?.kind !== 'array') return [{ kind: 'unknown', ...(parts === undefined ? {} : { span: spanOf(parts) }) }];
  return parts.items.map((item) => partOf(doc, item, hash) ?? { kind: 'unknown', span: spanOf(item) });
}

function partOf(doc: JsonDocument, node: JsonNode, hash: Sha256): Part | null {
  if (node.kind !== 'object' || node.duplicate) return null;
  for (const [kind, ...names] of KINDS) {
    const name = names.find((candidate) => !isAbsent(node, candidate));
    const value = name === undefined ? undefined : member(node, name);
    const shape = SHAPES.get(name ?? '');
    if (value === undefined || shape === undefined) continue;
    if (partHasExtras(node, shape)) return null;
    if (kind === 'text') return textPart(doc, node, value);
    if (kind === 'call') return callPart(doc, node, value);
    if (kind === 'result') return resultPart(doc, node, value);
    return mediaPart(doc, node, value, kind, hash);
  }
  return null;
}

function textPart(doc: JsonDocument, node: JsonObject, value: JsonNode): Part | null {
  if (value.kind !== 'string') return null;
  return { kind: isTrue(node, 'thought') ? 'reasoning' : 'text', text: textOf(doc, value), span: spanOf(node) };
}

function callPart(doc: JsonDocument, node: JsonObject, value: JsonNode): Part | null {
  const name = stringMember(doc, value, 'name');
  if (name === null || innerHasExtras(value, CALL)) return null;
  const args = memberOf(value, 'args');
  const callId = stringMember(doc, value, 'id');
  return {
    kind: 'call',
    name,
    arguments: args === undefined ? '{}' : canonicalJson(doc, args),
    source: args === undefined ? '' : rawOf(doc, args),
    ...(callId === null || callId === '' ? {} : { callId }),
    span: spanOf(node),
  };
}

function resultPart(doc: JsonDocument, node: JsonObject, value: JsonNode): Part | null {
  if (innerHasExtras(value, RESPONSE)) return null;
  const response = memberOf(value, 'response');
  const callId = stringMember(doc, value, 'id');
  const name = stringMember(doc, value, 'name');
  return {
    kind: 'result',
    text: response === undefined ? '' : responseText(doc, response),
    ...(callId === null || callId === '' ? {} : { callId }),
    ...(name === null ? {} : { name }),
    span: spanOf(node),
  };
}

/** The tool's own text where it was only wrapped, else the response as canonical JSON. */
function responseText(doc: JsonDocument, response: JsonNode): string {
  const only = response.kind === 'object' && response.members.length === 1 ? response.members[0] : undefined;
  if (only !== undefined && WRAPPERS.has(only.key) && only.value.kind === 'string') return textOf(doc, only.value);
  return canonicalJson(doc, response);
}

function mediaPart(doc: JsonDocument, node: JsonObject, value: JsonNode, kind: 'data' | 'file', hash: Sha256): Part | null {
  if (innerHasExtras(value, kind === 'data' ? DATA : FILE)) return null;
  const data = stringMember(doc, value, 'data');
  const file = stringMember(doc, value, 'fileUri') ?? stringMember(doc, value, 'file_uri');
  const media = kind === 'data' ? (data === null ? null : mediaOfBase64(data, hash)) : file === null ? null : `url:${file}`;
  return media === null ? null : { kind: 'media', media, span: spanOf(node) };
}
