/**
 * An Ollama chat request as an exchange, losslessly.
 *
 * A message that holds anything unaccounted for is opaque: identity then takes it whole, and it is never folded.
 */
import { canonicalArguments, canonicalJson } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, member, rawOf, textOf } from '#base/json';
import { isEnvironmentFrame } from '#neutral/environment-frames';
import type { Environment, Exchange, Message, MessageRole, Part } from '#neutral/message';
import { isAbsent, isFalse, numberMember, rawArray, spanOf, stringMember } from '../body.ts';
import { leadingText, REASONING, reasoningsOf } from '../chat.ts';
import { mediaOfBase64 } from '../media.ts';
import { innerHasExtras, messageHasExtras, partHasExtras, shapeOf } from '../members.ts';

const ROLES: ReadonlyMap<string, MessageRole> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['tool', 'tool'],
]);

const COMMON = { text: ['role', 'content', 'name'], any: ['images'] };
const PLAIN = shapeOf(COMMON);
const ASSISTANT = shapeOf({ text: [...COMMON.text, ...REASONING], any: [...COMMON.any, 'tool_calls'] });
const TOOL = shapeOf({ ...COMMON, text: [...COMMON.text, 'tool_name', 'tool_call_id'] });
const CALL = shapeOf({ text: ['type'], any: ['function'] });
/** `index` numbers the calls of one batch, which their order says already. */
const FUNCTION = new Map([...shapeOf({ text: ['name'], any: ['arguments'] }), ['index', ['number']] as const]);

/** The exchange of a recognised body. */
export function parse(doc: JsonDocument, hash: Sha256): Exchange {
  const list = member(doc.root, 'messages');
  const nodes = list?.kind === 'array' ? list.items : [];
  const messages = nodes.map((node, index) => parseMessage(doc, node, index, hash));
  return {
    wire: 'ollama-chat',
    source: doc.source,
    environment: environmentOf(doc, messages),
    messages,
    // What does not say otherwise is streamed.
    stream: !isFalse(doc.root, 'stream'),
    list: list === undefined ? { start: 0, end: 0 } : spanOf(list),
  };
}

function parseMessage(doc: JsonDocument, node: JsonNode, index: number, hash: Sha256): Message {
  const source = spanOf(node);
  const role = ROLES.get(stringMember(doc, node, 'role') ?? '') ?? 'unknown';
  const parts = role === 'unknown' ? [] : messageParts(doc, node, role, hash);
  const name = role === 'tool' ? null : stringMember(doc, node, 'name');
  const base = { index, role, parts, source, ...(name === null || name === '' ? {} : { name }) };
  if (isOpaque(doc, node, role, parts)) return { ...base, opaque: canonicalJson(doc, node) };
  return isEnvironmentFrame(base) ? { ...base, environment: true } : base;
}

function isOpaque(doc: JsonDocument, node: JsonNode, role: MessageRole, parts: readonly Part[]): boolean {
  if (node.kind !== 'object' || node.duplicate || role === 'unknown') return true;
  if (parts.some((part) => part.kind === 'unknown')) return true;
  if (role !== 'assistant' && parts.length === 0) return true;
  if (role === 'assistant' && reasoningsOf(doc, node).length > 1) return true;
  return messageHasExtras(node, role === 'assistant' ? ASSISTANT : role === 'tool' ? TOOL : PLAIN);
}

function messageParts(doc: JsonDocument, node: JsonNode, role: MessageRole, hash: Sha256): Part[] {
  const content = stringMember(doc, node, 'content');
  const images = imageParts(doc, node, hash);
  if (role === 'tool') return [resultPart(doc, node, content ?? '', images)];
  // An empty text says as little as none; a user who says nothing at all still said something.
  const text: Part[] = content === null || (content === '' && role === 'assistant') ? [] : [{ kind: 'text', text: content }];
  if (role !== 'assistant') return [...text, ...images];
  const [reasoning] = reasoningsOf(doc, node);
  return [
    ...(reasoning === undefined ? [] : [{ kind: 'reasoning', text: reasoning } as const]),
    ...text,
    ...images,
    ...callParts(doc, node),
  ];
}

function imageParts(doc: JsonDocument, node: JsonNode, hash: Sha256): Part[] {
  const images = member(node, 'images');
  if (images === undefined || isAbsent(node, 'images')) return [];
  if (images.kind !== 'array') return [{ kind: 'unknown', span: spanOf(images) }];
  return images.items.map((item) => {
    const media = item.kind === 'string' ? mediaOfBase64(textOf(doc, item), hash) : null;
    return media === null ? { kind: 'unknown', span: spanOf(item) } : { kind: 'media', media, span: spanOf(item) };
  });
}

function resultPart(doc: JsonDocument, node: JsonNode, text: string, images: readonly Part[]): Part {
  const media = images.filter((part) => part.kind === 'media').map((part) => part.media);
  if (media.length < images.length) return { kind: 'unknown' };
  const callId = stringMember(doc, node, 'tool_call_id');
  const name = stringMember(doc, node, 'tool_name') ?? stringMember(doc, node, 'name');
  return {
    kind: 'result',
    text,
    ...(media.length === 0 ? {} : { media }),
    ...(callId === null ? {} : { callId }),
    ...(name === null ? {} : { name }),
  };
}

function callParts(doc: JsonDocument, node: JsonNode): Part[] {
  const calls = member(node, 'tool_calls');
  if (calls === undefined || isAbsent(node, 'tool_calls')) return [];
  if (calls.kind !== 'array') return [{ kind: 'unknown', span: spanOf(calls) }];
  return calls.items.map((item) => callPart(doc, item) ?? { kind: 'unknown', span: spanOf(item) });
}

function callPart(doc: JsonDocument, node: JsonNode): Part | null {
  if (node.kind !== 'object' || node.duplicate || partHasExtras(node, CALL)) return null;
  const inner = member(node, 'function');
  const name = inner === undefined || innerHasExtras(inner, FUNCTION) ? null : stringMember(doc, inner, 'name');
  if (inner === undefined || name === null) return null;
  const given = member(inner, 'arguments');
  const callId = stringMember(doc, node, 'id');
  const base = { kind: 'call', name, span: spanOf(node), ...(callId === null ? {} : { callId }) } as const;
  if (given === undefined || isAbsent(inner, 'arguments')) return { ...base, arguments: '{}', source: '' };
  // The API wants an object; some clients send the text of one.
  if (given.kind !== 'string') return { ...base, arguments: canonicalJson(doc, given), source: rawOf(doc, given) };
  const text = textOf(doc, given);
  return { ...base, arguments: canonicalArguments(text), source: text };
}

function environmentOf(doc: JsonDocument, messages: readonly Message[]): Environment {
  const { root } = doc;
  const options = member(root, 'options');
  const format = member(root, 'format');
  const formatted = format !== undefined && !isAbsent(root, 'format') && rawOf(doc, format) !== '""';
  const option = (name: string): number | null => (options === undefined ? null : numberMember(doc, options, name));
  const [budget, window] = [option('num_predict'), option('num_ctx')];
  return {
    model: stringMember(doc, root, 'model'),
    system: leadingText(messages, ['system']),
    tools: rawArray(doc, root, 'tools'),
    constrained: formatted,
    // Negative numbers mean "as long as it takes".
    maxOutput: budget !== null && budget > 0 ? budget : null,
    ...(window !== null && window > 0 ? { window } : {}),
  };
}
