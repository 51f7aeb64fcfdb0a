/**
 * An OpenAI chat request as an exchange, losslessly.
 *
 * A message that holds anything unaccounted for is opaque: identity then takes it whole, and it is never folded.
 */
import { canonicalJson } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, member, rawOf } from '#base/json';
import { isEnvironmentFrame } from '#neutral/environment-frames';
import type { Environment, Exchange, Message, MessageRole, Part } from '#neutral/message';
import { isAbsent, isTrue, numberMember, rawArray, spanOf, stringMember } from '../body.ts';
import { leadingText, REASONING, reasoningsOf } from '../chat.ts';
import { messageHasExtras, shapeOf } from '../members.ts';
import { callParts } from './calls.ts';
import { contentParts } from './content.ts';

const ROLES: ReadonlyMap<string, MessageRole> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'developer'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

const COMMON = { text: ['role', 'name'], any: ['content'] };
const PLAIN = shapeOf(COMMON);
const ASSISTANT = shapeOf({
  text: [...COMMON.text, ...REASONING, 'refusal'],
  any: [...COMMON.any, 'tool_calls', 'function_call'],
});
const TOOL = shapeOf({ ...COMMON, text: [...COMMON.text, 'tool_call_id'] });

/** The exchange of a recognised body. */
export function parse(doc: JsonDocument, hash: Sha256): Exchange {
  const list = member(doc.root, 'messages');
  const nodes = list?.kind === 'array' ? list.items : [];
  const messages = nodes.map((node, index) => parseMessage(doc, node, index, hash));
  return {
    wire: 'openai-chat',
    source: doc.source,
    environment: environmentOf(doc, messages),
    messages,
    stream: isTrue(doc.root, 'stream'),
    list: list === undefined ? { start: 0, end: 0 } : spanOf(list),
  };
}

function parseMessage(doc: JsonDocument, node: JsonNode, index: number, hash: Sha256): Message {
  const source = spanOf(node);
  const role = ROLES.get(stringMember(doc, node, 'role') ?? '') ?? 'unknown';
  const name = role === 'tool' ? null : stringMember(doc, node, 'name');
  const parts = role === 'unknown' ? [] : messageParts(doc, node, role, hash);
  const base = { index, role, parts, source, ...(name === null || name === '' ? {} : { name }) };
  if (isOpaque(doc, node, role, parts)) return { ...base, opaque: canonicalJson(doc, node) };
  return isEnvironmentFrame(base) ? { ...base, environment: true } : base;
}

function isOpaque(doc: JsonDocument, node: JsonNode, role: MessageRole, parts: readonly Part[]): boolean {
  if (node.kind !== 'object' || node.duplicate || role === 'unknown') return true;
  if (parts.some((part) => part.kind === 'unknown')) return true;
  if (role !== 'assistant' && role !== 'tool' && isAbsent(node, 'content')) return true;
  if (role === 'assistant' && reasoningsOf(doc, node).length > 1) return true;
  return messageHasExtras(node, role === 'assistant' ? ASSISTANT : role === 'tool' ? TOOL : PLAIN);
}

function messageParts(doc: JsonDocument, node: JsonNode, role: MessageRole, hash: Sha256): Part[] {
  const content = contentParts(doc, member(node, 'content'), hash);
  if (role === 'tool') return [resultPart(doc, node, content)];
  if (role !== 'assistant') return content;
  const [reasoning] = reasoningsOf(doc, node);
  const refusal = stringMember(doc, node, 'refusal');
  return [
    ...(reasoning === undefined ? [] : [{ kind: 'reasoning', text: reasoning } as const]),
    // An empty text says as little as null: clients write either beside calls.
    ...content.filter((part) => part.kind !== 'text' || part.text !== ''),
    ...(refusal === null || refusal === '' ? [] : [{ kind: 'refusal', text: refusal } as const]),
    ...callParts(doc, node),
  ];
}

function resultPart(doc: JsonDocument, node: JsonNode, content: readonly Part[]): Part {
  const media = content.filter((part) => part.kind === 'media').map((part) => part.media);
  const text = content.filter((part) => part.kind === 'text').map((part) => part.text);
  const callId = stringMember(doc, node, 'tool_call_id');
  const name = stringMember(doc, node, 'name');
  if (media.length + text.length < content.length) return { kind: 'unknown' };
  return {
    kind: 'result',
    text: text.join(''),
    ...(media.length === 0 ? {} : { media }),
    ...(callId === null ? {} : { callId }),
    ...(name === null ? {} : { name }),
  };
}

function environmentOf(doc: JsonDocument, messages: readonly Message[]): Environment {
  const { root } = doc;
  return {
    model: stringMember(doc, root, 'model'),
    system: leadingText(messages, ['system', 'developer']),
    tools: rawArray(doc, root, 'tools') ?? rawArray(doc, root, 'functions'),
    constrained: isConstrained(doc),
    maxOutput: numberMember(doc, root, 'max_completion_tokens') ?? numberMember(doc, root, 'max_tokens'),
  };
}

/** Members that tie the answer to a form; their harmless values do not. */
function isConstrained(doc: JsonDocument): boolean {
  const { root } = doc;
  const chosen = ['tool_choice', 'function_call'].some(
    (key) => !isAbsent(root, key) && stringMember(doc, root, key) !== 'auto',
  );
  const format = member(root, 'response_format');
  const formatted = format !== undefined && !isAbsent(root, 'response_format') && stringMember(doc, format, 'type') !== 'text';
  const guided = ['grammar', 'json_schema', 'guided_json', 'guided_regex', 'guided_choice', 'guided_grammar'].some((key) => {
    const value = member(root, key);
    return value !== undefined && !isAbsent(root, key) && rawOf(doc, value) !== '""';
  });
  return chosen || formatted || guided;
}
