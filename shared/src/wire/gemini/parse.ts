/**
 * A Gemini request as an exchange, losslessly.
 *
 * The model and whether the answer is streamed stand in the URL. A content that holds anything unaccounted for is opaque: identity
 * then takes it whole, and it is never folded.
 */
import { canonicalJson } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, member, rawOf, textOf } from '#base/json';
import { isEnvironmentFrame } from '#neutral/environment-frames';
import type { Environment, Exchange, Message, MessageRole } from '#neutral/message';
import { isAbsent, numberMember, pathOf, spanOf, stringMember } from '../body.ts';
import { messageHasExtras, shapeOf } from '../members.ts';
import type { RequestHead } from '../wire.ts';
import { contentParts, memberOf } from './parts.ts';

const ROLES: ReadonlyMap<string, MessageRole> = new Map([
  ['user', 'user'],
  ['model', 'assistant'],
  // What earlier clients call the message that brings a function's response.
  ['function', 'user'],
]);
const KNOWN = shapeOf({ text: ['role'], any: ['parts'] });

/** The ends of the paths of this wire. */
export const WHOLE = ':generateContent';
export const STREAM = ':streamGenerateContent';

/** The exchange of a recognised body. */
export function parse(head: RequestHead, doc: JsonDocument, hash: Sha256): Exchange {
  const list = member(doc.root, 'contents');
  const nodes = list?.kind === 'array' ? list.items : [];
  const cached = memberOf(doc.root, 'cachedContent', 'cached_content') !== undefined;
  return {
    wire: 'gemini',
    source: doc.source,
    environment: environmentOf(head, doc),
    messages: nodes.map((node, index) => parseContent(doc, node, index, hash)),
    stream: pathOf(head.url).endsWith(STREAM),
    list: list === undefined ? { start: 0, end: 0 } : spanOf(list),
    ...(cached ? { delta: 'cached-content' } : {}),
  };
}

function parseContent(doc: JsonDocument, node: JsonNode, index: number, hash: Sha256): Message {
  const source = spanOf(node);
  // A content without a role is the user's.
  const role = isAbsent(node, 'role') ? 'user' : (ROLES.get(stringMember(doc, node, 'role') ?? '') ?? 'unknown');
  const all = role === 'unknown' ? [] : contentParts(doc, member(node, 'parts'), hash);
  // A signature that came behind the last word stands on an empty text.
  const parts = role === 'assistant' ? all.filter((part) => part.kind !== 'text' || part.text !== '') : all;
  const base = { index, role, parts, source };
  const accounted = node.kind === 'object' && !node.duplicate && role !== 'unknown' && !messageHasExtras(node, KNOWN);
  if (!accounted || parts.some((part) => part.kind === 'unknown')) return { ...base, opaque: canonicalJson(doc, node) };
  return isEnvironmentFrame(base) ? { ...base, environment: true } : base;
}

function environmentOf(head: RequestHead, doc: JsonDocument): Environment {
  const { root } = doc;
  const config = memberOf(root, 'generationConfig', 'generation_config');
  const tools = memberOf(root, 'tools');
  const number = (...names: string[]): number | null =>
    config === undefined ? null : (names.map((name) => numberMember(doc, config, name)).find((one) => one !== null) ?? null);
  return {
    model: modelOf(head.url),
    system: systemText(doc),
    tools: tools?.kind === 'array' && tools.items.length > 0 ? rawOf(doc, tools) : null,
    constrained: isConstrained(doc, config),
    maxOutput: number('maxOutputTokens', 'max_output_tokens'),
  };
}

/** The name between the last slash and the method. */
function modelOf(url: string): string | null {
  const name = /\/([^/]+):[A-Za-z]+$/.exec(pathOf(url))?.[1];
  if (name === undefined) return null;
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // a stray percent sign: the name as it stands
  }
}

function systemText(doc: JsonDocument): string {
  const system = memberOf(doc.root, 'systemInstruction', 'system_instruction');
  if (system?.kind === 'string') return textOf(doc, system);
  const parts = system === undefined ? undefined : member(system, 'parts');
  if (parts?.kind !== 'array') return '';
  return parts.items.map((part) => stringMember(doc, part, 'text') ?? '').join('\n\n');
}

/** What ties the answer to a form, or takes the choice of functions from the model. */
function isConstrained(doc: JsonDocument, config: JsonNode | undefined): boolean {
  const schema = ['responseSchema', 'response_schema', 'responseJsonSchema', 'response_json_schema'];
  const types = ['responseMimeType', 'response_mime_type'];
  const type = types.map((name) => config && stringMember(doc, config, name)).find((one) => typeof one === 'string');
  if (type !== undefined && type !== null && type !== '' && type !== 'text/plain') return true;
  if (config !== undefined && schema.some((name) => !isAbsent(config, name))) return true;
  const tool = memberOf(doc.root, 'toolConfig', 'tool_config');
  const calling = tool && memberOf(tool, 'functionCallingConfig', 'function_calling_config');
  const mode = calling && stringMember(doc, calling, 'mode');
  return typeof mode === 'string' && !/^(auto|mode_unspecified)$/i.test(mode);
}
