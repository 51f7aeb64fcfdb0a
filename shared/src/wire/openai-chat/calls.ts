/**
 * Tool calls an assistant message replays: `tool_calls`, and the older `function_call`.
 */
import { canonicalArguments, canonicalJson, quote } from '#base/canonical';
import { type JsonDocument, type JsonNode, member, rawOf, textOf } from '#base/json';
import type { Part } from '#neutral/message';
import { isAbsent, spanOf, stringMember } from '../body.ts';
import { innerHasExtras, partHasExtras, shapeOf } from '../members.ts';

const CALL = shapeOf({ text: ['type'], any: ['function'] });
const CUSTOM_CALL = shapeOf({ text: ['type'], any: ['custom'] });
const FUNCTION = shapeOf({ text: ['name'], any: ['arguments'] });
const CUSTOM = shapeOf({ text: ['name', 'input'] });

/** The calls of a message, in order. */
export function callParts(doc: JsonDocument, message: JsonNode): Part[] {
  const parts: Part[] = [];
  const calls = member(message, 'tool_calls');
  if (calls?.kind === 'array') parts.push(...calls.items.map((item) => callPart(doc, item)));
  else if (calls !== undefined && !isAbsent(message, 'tool_calls')) parts.push({ kind: 'unknown', span: spanOf(calls) });
  const legacy = member(message, 'function_call');
  if (legacy !== undefined && !isAbsent(message, 'function_call'))
    parts.push(functionPart(doc, legacy, spanOf(legacy), null) ?? { kind: 'unknown', span: spanOf(legacy) });
  return parts;
}

function callPart(doc: JsonDocument, node: JsonNode): Part {
  const span = spanOf(node);
  const unknown: Part = { kind: 'unknown', span };
  if (node.kind !== 'object' || node.duplicate) return unknown;
  const callId = stringMember(doc, node, 'id');
  const inner = member(node, 'function');
  const type = stringMember(doc, node, 'type') ?? 'function';
  if (inner !== undefined && !isAbsent(node, 'function')) {
    const known = type === 'function' && !partHasExtras(node, CALL);
    return (known ? functionPart(doc, inner, span, callId) : null) ?? unknown;
  }
  const custom = member(node, 'custom');
  const name = custom && stringMember(doc, custom, 'name');
  const input = custom && stringMember(doc, custom, 'input');
  if (type !== 'custom' || partHasExtras(node, CUSTOM_CALL) || innerHasExtras(custom, CUSTOM)) return unknown;
  if (typeof name !== 'string' || typeof input !== 'string') return unknown;
  return { kind: 'call', name, arguments: quote(input), source: input, span, ...(callId === null ? {} : { callId }) };
}

function functionPart(
  doc: JsonDocument,
  node: JsonNode,
  span: { start: number; end: number },
  callId: string | null,
): Part | null {
  const name = stringMember(doc, node, 'name');
  if (name === null || innerHasExtras(node, FUNCTION)) return null;
  const given = member(node, 'arguments');
  const base = { kind: 'call', name, span, ...(callId === null ? {} : { callId }) } as const;
  if (given === undefined || isAbsent(node, 'arguments')) return { ...base, arguments: '{}', source: '' };
  if (given.kind !== 'string') return { ...base, arguments: canonicalJson(doc, given), source: rawOf(doc, given) };
  const text = textOf(doc, given);
  return { ...base, arguments: canonicalArguments(text), source: text };
}
