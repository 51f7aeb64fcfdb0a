/**
 * A Gemini request as an exchange, losslessly.
 *
 * The model and whether it streams stand in the URL. A content without a role is the user's. A content that holds anything
 * unaccounted for is opaque: identity then takes it whole, and it is never folded.
 */
import { canonicalJson } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, member, rawOf, textOf } from '#base/json';
import { isEnvironmentFrame } from '#neutral/environment-frames';
import type { Environment, Exchange, Message, MessageRole, Part } from '#neutral/message';
import { isAbsent, spanOf, stringMember } from '../body.ts';
import { messageHasExtras, shapeOf } from '../members.ts';
import type { RequestHead } from '../wire.ts';
import { contentParts } from './parts.ts';
import { either } from './spelling.ts';
import { modelOf, streams } from './url.ts';

const ROLES: ReadonlyMap<string, MessageRole> = new Map([
  ['', 'user'],
  ['user', 'user'],
  ['model', 'assistant'],
  // What earlier clients call the content that brings a function's response.
  ['function', 'user'],
]);
const KNOWN = shapeOf({ text: ['role'], any: ['parts'] });

/** The exchange of a recognised body. */
export function parse(head: RequestHead, doc: JsonDocument, hash: Sha256): Exchange {
  const list = member(doc.root, 'contents');
  const nodes = list?.kind === 'array' ? list.items : [];
  const cached = either(doc.root, 'cachedContent');
  return {
    wire: 'gemini',
    source: doc.source,
    environment: environmentOf(head, doc),
    messages: nodes.map((node, index) => parseContent(doc, node, index, hash)),
    stream: streams(head.url),
    list: list === undefined ? { start: 0, end: 0 } : spanOf(list),
    // The beginning of the history, or more, is held by the provider.
    ...(cached === undefined || rawOf(doc, cached) === '""' ? {} : { delta: 'cachedContent' }),
  };
}

function parseContent(doc: JsonDocument, node: JsonNode, index: number, hash: Sha256): Message {
  const source = spanOf(node);
  const role = roleOf(doc, node);
  const all = role === 'unknown' ? [] : contentParts(doc, either(node, 'parts'), hash);
  // A signature that came behind the last word stands on an empty text, which some clients send back and others do not.
  const parts = role === 'assistant' ? all.filter((part) => part.kind !== 'text' || part.text !== '') : all;
  const base = { index, role, parts, source };
  if (isOpaque(node, role, parts)) return { ...base, opaque: canonicalJson(doc, node) };
  return isEnvironmentFrame(base) ? { ...base, environment: true } : base;
}

function roleOf(doc: JsonDocument, node: JsonNode): MessageRole {
  if (node.kind !== 'object') return 'unknown';
  if (isAbsent(node, 'role')) return 'user';
  return ROLES.get(stringMember(doc, node, 'role') ?? 'none') ?? 'unknown';
}

function isOpaque(node: JsonNode, role: MessageRole, parts: readonly Part[]): boolean {
  if (node.kind !== 'object' || node.duplicate || role === 'unknown') return true;
  if (role !== 'assistant' && isAbsent(node, 'parts')) return true;
  return parts.some((part) => part.kind === 'unknown') || messageHasExtras(node, KNOWN);
}

function environmentOf(head: RequestHead, doc: JsonDocument): Environment {
  const { root } = doc;
  const tools = either(root, 'tools');
  const some = tools?.kind === 'object' || (tools?.kind === 'array' && tools.items.length > 0);
  const limit = either(either(root, 'generationConfig'), 'maxOutputTokens');
  return {
    model: modelOf(head.url),
    system: systemText(doc),
    tools: tools !== undefined && some ? rawOf(doc, tools) : null,
    constrained: isConstrained(doc),
    maxOutput: limit?.kind === 'number' ? Number(rawOf(doc, limit)) : null,
  };
}

function systemText(doc: JsonDocument): string {
  const system = either(doc.root, 'systemInstruction');
  if (system?.kind === 'string') return textOf(doc, system);
  const parts = either(system, 'parts');
  const items = parts?.kind === 'array' ? parts.items : parts === undefined ? [] : [parts];
  return items.map((item) => stringMember(doc, item, 'text') ?? '').join('\n\n');
}

/** Members that tie the answer to a form; a choice left to the model, and plain text, do not. */
function isConstrained(doc: JsonDocument): boolean {
  const config = either(doc.root, 'generationConfig');
  const said = (node: JsonNode | undefined): string => (node === undefined ? '' : textOf(doc, node));
  const type = said(either(config, 'responseMimeType'));
  if (type !== '' && type !== 'text/plain') return true;
  const schemas = ['responseSchema', 'responseJsonSchema', '_responseJsonSchema', 'responseFormat'];
  if (schemas.some((name) => either(config, name) !== undefined)) return true;
  const mode = said(either(either(either(doc.root, 'toolConfig'), 'functionCallingConfig'), 'mode'));
  return mode !== '' && !/^(?:auto|mode_unspecified)$/i.test(mode);
}
