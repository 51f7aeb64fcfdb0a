/**
 * An Anthropic messages request as an exchange, losslessly.
 *
 * A message that holds anything unaccounted for is opaque: identity then takes it whole, and it is never folded.
 */
import { canonicalJson } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, member, textOf } from '#base/json';
import { isEnvironmentFrame } from '#neutral/environment-frames';
import type { Environment, Exchange, Message, MessageRole } from '#neutral/message';
import { isAbsent, isTrue, numberMember, rawArray, spanOf, stringMember } from '../body.ts';
import { messageHasExtras, shapeOf } from '../members.ts';
import { contentParts } from './blocks.ts';

const ROLES: ReadonlyMap<string, MessageRole> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
]);
const KNOWN = shapeOf({ text: ['role'], any: ['content'] });

/** The exchange of a recognised body. */
export function parse(doc: JsonDocument, hash: Sha256): Exchange {
  const list = member(doc.root, 'messages');
  const nodes = list?.kind === 'array' ? list.items : [];
  return {
    wire: 'anthropic-messages',
    source: doc.source,
    environment: environmentOf(doc),
    messages: nodes.map((node, index) => parseMessage(doc, node, index, hash)),
    stream: isTrue(doc.root, 'stream'),
    list: list === undefined ? { start: 0, end: 0 } : spanOf(list),
  };
}

function parseMessage(doc: JsonDocument, node: JsonNode, index: number, hash: Sha256): Message {
  const source = spanOf(node);
  const role = ROLES.get(stringMember(doc, node, 'role') ?? '') ?? 'unknown';
  const all = role === 'unknown' ? [] : contentParts(doc, member(node, 'content'), hash);
  const parts = role === 'assistant' ? all.filter((part) => part.kind !== 'text' || part.text !== '') : all;
  const base = { index, role, parts, source };
  const accounted = node.kind === 'object' && !node.duplicate && role !== 'unknown' && !messageHasExtras(node, KNOWN);
  if (!accounted || parts.some((part) => part.kind === 'unknown')) return { ...base, opaque: canonicalJson(doc, node) };
  return isEnvironmentFrame(base) ? { ...base, environment: true } : base;
}

function environmentOf(doc: JsonDocument): Environment {
  const { root } = doc;
  return {
    model: stringMember(doc, root, 'model'),
    system: systemText(doc),
    tools: rawArray(doc, root, 'tools'),
    constrained: isConstrained(doc),
    maxOutput: numberMember(doc, root, 'max_tokens'),
  };
}

function systemText(doc: JsonDocument): string {
  const system = member(doc.root, 'system');
  if (system?.kind === 'string') return textOf(doc, system);
  if (system?.kind !== 'array') return '';
  return system.items.map((item) => stringMember(doc, item, 'text') ?? '').join('\n\n');
}

/** Members that tie the answer to a form; a choice left to the model does not. */
function isConstrained(doc: JsonDocument): boolean {
  const { root } = doc;
  const choice = member(root, 'tool_choice');
  if (choice !== undefined && !isAbsent(root, 'tool_choice') && stringMember(doc, choice, 'type') !== 'auto') return true;
  const output = member(root, 'output_config');
  return !isAbsent(root, 'output_format') || (output !== undefined && !isAbsent(output, 'format'));
}
