/**
 * Items that are no messages: reasoning, calls, and their outputs. What a built-in tool of the provider did is not understood and stands
 * as it came.
 */
import { canonicalArguments, canonicalJson, quote } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, type JsonObject, member, rawOf, textOf } from '#base/json';
import type { MessageRole, Part } from '#neutral/message';
import { isAbsent, spanOf, stringMember } from '../body.ts';
import { innerHasExtras, type Shape, shapeOf } from '../members.ts';
import { resultPart } from './content.ts';

interface ItemKind {
  readonly role: MessageRole;
  readonly shape: Shape;
  /** The item's parts, or null when it is not understood. */
  readonly parts: (doc: JsonDocument, node: JsonObject, hash: Sha256) => readonly Part[] | null;
}

const output: ItemKind = {
  role: 'tool',
  shape: shapeOf({ text: ['type', 'call_id'], any: ['output'] }),
  parts: (doc, node, hash) => one(resultPart(doc, node, hash)),
};

/** Item types that are understood; messages are read in parse.ts. */
export const ITEMS: ReadonlyMap<string, ItemKind> = new Map<string, ItemKind>([
  ['reasoning', { role: 'assistant', shape: shapeOf({ text: ['type'], any: ['summary', 'content'] }), parts: reasoningParts }],
  [
    'function_call',
    {
      role: 'assistant',
      shape: shapeOf({ text: ['type', 'call_id', 'name'], any: ['arguments'] }),
      parts: (doc, node) => one(functionPart(doc, node)),
    },
  ],
  [
    'custom_tool_call',
    {
      role: 'assistant',
      shape: shapeOf({ text: ['type', 'call_id', 'name', 'input'] }),
      parts: (doc, node) => one(customPart(doc, node)),
    },
  ],
  ['function_call_output', output],
  ['custom_tool_call_output', output],
]);

/**
 * Who made an item of a type that is not understood. One that names the system or the developer is theirs. Otherwise the model made
 * it, the calls of built-in tools above all, unless it answers something: such an item belongs to the reasoning before it, and must
 * never be parted from it.
 */
export function roleOfUnknown(type: string | null, role: string | null): MessageRole {
  if (role === 'system' || role === 'developer') return role;
  return type === null || /_(?:output|response|reference)$/.test(type) ? 'unknown' : 'assistant';
}

function one(part: Part | null): readonly Part[] | null {
  return part === null ? null : [part];
}

/** One part per text. What the server encrypted has no words, but still is a piece of its own. */
function reasoningParts(doc: JsonDocument, node: JsonObject): readonly Part[] | null {
  const parts: Part[] = [];
  for (const [key, type] of [
    ['summary', 'summary_text'],
    ['content', 'reasoning_text'],
  ] as const) {
    const list = member(node, key);
    if (list === undefined || isAbsent(node, key)) continue;
    if (list.kind !== 'array') return null;
    for (const item of list.items) {
      const text = innerText(doc, item, type);
      if (text === null) return null;
      parts.push({ kind: 'reasoning', text, span: spanOf(item) });
    }
  }
  return parts.length > 0 ? parts : [{ kind: 'reasoning', text: '', redacted: true, span: spanOf(node) }];
}

const INNER_TEXT = shapeOf({ text: ['type', 'text'] });

function innerText(doc: JsonDocument, node: JsonNode, type: string): string | null {
  const known = stringMember(doc, node, 'type') === type && !innerHasExtras(node, INNER_TEXT);
  return known ? stringMember(doc, node, 'text') : null;
}

function functionPart(doc: JsonDocument, node: JsonObject): Part | null {
  const name = stringMember(doc, node, 'name');
  if (name === null) return null;
  const base = { kind: 'call', name, ...callIdOf(doc, node), span: spanOf(node) } as const;
  const given = member(node, 'arguments');
  if (given === undefined || isAbsent(node, 'arguments')) return { ...base, arguments: '{}', source: '' };
  if (given.kind !== 'string') return { ...base, arguments: canonicalJson(doc, given), source: rawOf(doc, given) };
  const text = textOf(doc, given);
  return { ...base, arguments: canonicalArguments(text), source: text };
}

/** A custom tool takes plain text, which is never read as JSON. */
function customPart(doc: JsonDocument, node: JsonObject): Part | null {
  const name = stringMember(doc, node, 'name');
  const input = stringMember(doc, node, 'input');
  if (name === null || input === null) return null;
  return { kind: 'call', name, arguments: quote(input), source: input, ...callIdOf(doc, node), span: spanOf(node) };
}

function callIdOf(doc: JsonDocument, node: JsonObject): { readonly callId?: string } {
  const callId = stringMember(doc, node, 'call_id');
  return callId === null ? {} : { callId };
}
