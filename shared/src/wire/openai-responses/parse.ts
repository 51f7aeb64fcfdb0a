/**
 * A Responses request as an exchange, losslessly: one message per item.
 *
 * An item that holds anything unaccounted for is opaque: identity then takes it whole, and it is never folded. A request whose history
 * is on the server says so in `delta`.
 */
import { canonicalJson } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, type JsonObject, member, textOf } from '#base/json';
import { isEnvironmentFrame } from '#neutral/environment-frames';
import type { Environment, Exchange, Message, MessageRole, Part } from '#neutral/message';
import { isAbsent, isTrue, numberMember, rawArray, spanOf, stringMember } from '../body.ts';
import { messageHasExtras, shapeOf } from '../members.ts';
import { contentParts } from './content.ts';
import { ITEMS, roleOfUnknown } from './items.ts';

const ROLES: ReadonlyMap<string, MessageRole> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'developer'],
]);
const PLAIN = shapeOf({ text: ['type', 'role', 'name'], any: ['content'] });
/** `phase` is status: where in its work the model said this. */
const ASSISTANT = shapeOf({ text: ['type', 'role', 'name', 'phase'], any: ['content'] });

/** The exchange of a recognised body. */
export function parse(doc: JsonDocument, hash: Sha256): Exchange {
  const input = member(doc.root, 'input');
  const messages = messagesOf(doc, input, hash);
  const delta = deltaOf(doc, input);
  return {
    wire: 'openai-responses',
    source: doc.source,
    environment: environmentOf(doc, messages),
    messages,
    stream: isTrue(doc.root, 'stream'),
    list: input === undefined ? { start: 0, end: 0 } : spanOf(input),
    ...(delta === null ? {} : { delta }),
  };
}

function messagesOf(doc: JsonDocument, input: JsonNode | undefined, hash: Sha256): Message[] {
  if (input?.kind === 'array') return input.items.map((node, index) => parseItem(doc, node, index, hash));
  if (input?.kind !== 'string') return [];
  return [{ index: 0, role: 'user', parts: [{ kind: 'text', text: textOf(doc, input) }], source: spanOf(input) }];
}

/** Why the history cannot be told from the body, or null. */
function deltaOf(doc: JsonDocument, input: JsonNode | undefined): string | null {
  const held = ['previous_response_id', 'conversation'].find((key) => !isAbsent(doc.root, key));
  if (held !== undefined) return held;
  const items = input?.kind === 'array' ? input.items : [];
  return items.some((item) => isReference(doc, item)) ? 'item_reference' : null;
}

/** A reference may leave its type out: then it is an id and nothing else. */
function isReference(doc: JsonDocument, node: JsonNode): boolean {
  if (node.kind !== 'object') return false;
  if (!isAbsent(node, 'type')) return stringMember(doc, node, 'type') === 'item_reference';
  return !isAbsent(node, 'id') && node.members.every(({ key }) => key === 'id' || key === 'type');
}

interface Understood {
  readonly role: MessageRole;
  /** Null when the item is opaque. */
  readonly parts: readonly Part[] | null;
  readonly name?: string;
}

function parseItem(doc: JsonDocument, node: JsonNode, index: number, hash: Sha256): Message {
  const source = spanOf(node);
  const { role, parts, name } =
    node.kind === 'object' ? understand(doc, node, hash) : { role: 'unknown' as const, parts: null };
  const base = { index, role, parts: parts ?? [], source, ...(name === undefined ? {} : { name }) };
  if (parts === null || role === 'unknown') return { ...base, opaque: canonicalJson(doc, node) };
  return isEnvironmentFrame(base) ? { ...base, environment: true } : base;
}

function understand(doc: JsonDocument, node: JsonObject, hash: Sha256): Understood {
  const type = stringMember(doc, node, 'type');
  // A message may leave its type out.
  if (type === 'message' || (type === null && isAbsent(node, 'type'))) return understandMessage(doc, node, hash);
  const kind = ITEMS.get(type ?? '');
  if (kind === undefined) return { role: roleOfUnknown(type, stringMember(doc, node, 'role')), parts: null };
  const accounted = !node.duplicate && !messageHasExtras(node, kind.shape);
  return { role: kind.role, parts: accounted ? kind.parts(doc, node, hash) : null };
}

function understandMessage(doc: JsonDocument, node: JsonObject, hash: Sha256): Understood {
  const role = ROLES.get(stringMember(doc, node, 'role') ?? '') ?? 'unknown';
  const name = stringMember(doc, node, 'name');
  const all = contentParts(doc, member(node, 'content'), hash);
  const accounted = !node.duplicate && !messageHasExtras(node, role === 'assistant' ? ASSISTANT : PLAIN);
  const known = accounted && !all.some((part) => part.kind === 'unknown');
  const parts = role === 'assistant' ? all.filter((part) => part.kind !== 'text' || part.text !== '') : all;
  return { role, parts: known ? parts : null, ...(name === null || name === '' ? {} : { name }) };
}

/** `instructions`, then the leading run of system and developer items. A stored `prompt` template is environment too, unseen. */
function environmentOf(doc: JsonDocument, messages: readonly Message[]): Environment {
  const { root } = doc;
  const end = messages.findIndex((message) => message.role !== 'system' && message.role !== 'developer');
  const leading = messages.slice(0, end < 0 ? messages.length : end);
  const texts = leading.map((message) => message.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''));
  return {
    model: stringMember(doc, root, 'model'),
    system: [stringMember(doc, root, 'instructions') ?? '', ...texts].filter((text) => text !== '').join('\n\n'),
    tools: rawArray(doc, root, 'tools'),
    constrained: isConstrained(doc),
    maxOutput: numberMember(doc, root, 'max_output_tokens'),
  };
}

/** Members that tie the answer to a form; a choice left to the model and plain text do not. */
function isConstrained(doc: JsonDocument): boolean {
  const { root } = doc;
  if (!isAbsent(root, 'tool_choice') && stringMember(doc, root, 'tool_choice') !== 'auto') return true;
  const text = member(root, 'text');
  const format = text === undefined ? undefined : member(text, 'format');
  return (
    text !== undefined && format !== undefined && !isAbsent(text, 'format') && stringMember(doc, format, 'type') !== 'text'
  );
}
