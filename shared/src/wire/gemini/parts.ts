/**
 * Content parts on the Gemini wire.
 *
 * A part holds exactly one kind of data; its `thoughtSignature` is for the provider alone and stays where it is, because rendering
 * never takes a part apart. Code that ran on the server, bounds of a video, and whatever comes next are not understood.
 */
import { canonicalJson } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, type JsonObject, rawOf, textOf } from '#base/json';
import type { Part, SourceSpan } from '#neutral/message';
import { isTrue, spanOf, stringMember } from '../body.ts';
import { mediaOfBase64, mediaOfUrl } from '../media.ts';
import { innerHasExtras, partHasExtras, type Shape, shapeOf } from '../members.ts';
import { camel, either, isAmbiguous, spelled } from './spelling.ts';

const SIGNATURE = spelled('thoughtSignature');

/** Members each kind of part may hold. The resolution says how to look at the bytes that are there, not which. */
const KNOWN: ReadonlyMap<string, Shape> = new Map([
  ['text', shapeOf({ text: ['text', ...SIGNATURE], flag: ['thought'] })],
  ['functionCall', dataShape('functionCall')],
  ['functionResponse', dataShape('functionResponse')],
  ['inlineData', dataShape('inlineData', 'mediaResolution')],
  ['fileData', dataShape('fileData', 'mediaResolution')],
]);

const CALL = shapeOf({ text: ['id', 'name'], any: ['args'] });
const RESULT = shapeOf({ text: ['id', 'name'], any: ['response', 'parts'] });
const INLINE = shapeOf({ text: ['data', ...spelled('mimeType')] });
const FILE = shapeOf({ text: spelled('fileUri', 'mimeType') });
/** Members that SDKs wrap a tool's plain text in, because the API wants an object. */
const WRAPPERS: ReadonlySet<string> = new Set(['output', 'error', 'result']);

function dataShape(...names: readonly string[]): Shape {
  return shapeOf({ text: SIGNATURE, flag: ['thought'], any: spelled(...names) });
}

/** The parts of a content; what it does not know is `unknown`. One part may stand without its list. */
export function contentParts(doc: JsonDocument, parts: JsonNode | undefined, hash: Sha256): Part[] {
  if (parts === undefined) return [];
  if (parts.kind === 'array') return parts.items.map((item) => contentPart(doc, item, hash));
  return [contentPart(doc, parts, hash)];
}

function contentPart(doc: JsonDocument, node: JsonNode, hash: Sha256): Part {
  return (node.kind === 'object' ? knownPart(doc, node, hash) : null) ?? { kind: 'unknown', span: spanOf(node) };
}

/** The part's kind of data in Google's own spelling, or null when it is not known or the part holds more than it should. */
function kindOf(node: JsonObject): string | null {
  if (isAmbiguous(node)) return null;
  const kind = node.members.map(({ key }) => camel(key)).find((key) => KNOWN.has(key) && either(node, key) !== undefined);
  const shape = KNOWN.get(kind ?? '');
  return kind === undefined || shape === undefined || partHasExtras(node, shape) ? null : kind;
}

function knownPart(doc: JsonDocument, node: JsonObject, hash: Sha256): Part | null {
  const span = spanOf(node);
  const kind = kindOf(node);
  const data = kind === null ? undefined : either(node, kind);
  if (kind === null || data === undefined) return null;
  const thought = isTrue(node, 'thought');
  if (kind === 'text') {
    const text = stringMember(doc, node, 'text');
    return text === null ? null : { kind: thought ? 'reasoning' : 'text', text, span };
  }
  // Only words are thoughts: a picture or a call that is marked as one is not understood.
  if (thought) return null;
  if (kind === 'functionCall') return callPart(doc, data, span);
  if (kind === 'functionResponse') return resultPart(doc, data, span, hash);
  const media = mediaOf(doc, kind, data, hash);
  return media === null ? null : { kind: 'media', media, span };
}

function callPart(doc: JsonDocument, node: JsonNode, span: SourceSpan): Part | null {
  const name = stringMember(doc, node, 'name');
  if (name === null || innerHasExtras(node, CALL)) return null;
  const args = either(node, 'args');
  const callId = stringMember(doc, node, 'id') || null;
  return {
    kind: 'call',
    name,
    arguments: args === undefined || rawOf(doc, args) === '""' ? '{}' : canonicalJson(doc, args),
    source: args === undefined ? '' : rawOf(doc, args),
    ...(callId === null ? {} : { callId }),
    span,
  };
}

function resultPart(doc: JsonDocument, node: JsonNode, span: SourceSpan, hash: Sha256): Part | null {
  if (innerHasExtras(node, RESULT)) return null;
  const parts = contentParts(doc, either(node, 'parts'), hash);
  const media = parts.flatMap((part) => (part.kind === 'media' ? [part.media] : []));
  if (media.length < parts.length) return null;
  const name = stringMember(doc, node, 'name');
  const callId = stringMember(doc, node, 'id') || null;
  return {
    kind: 'result',
    text: resultText(doc, either(node, 'response')),
    ...(media.length === 0 ? {} : { media }),
    ...(callId === null ? {} : { callId }),
    ...(name === null ? {} : { name }),
    span,
  };
}

/** What a tool said: its own text where it was only wrapped, anything else as canonical JSON. */
function resultText(doc: JsonDocument, response: JsonNode | undefined): string {
  if (response === undefined) return '';
  const [only, second] = response.kind === 'object' ? response.members : [];
  if (only !== undefined && second === undefined && WRAPPERS.has(only.key) && only.value.kind === 'string')
    return textOf(doc, only.value);
  return canonicalJson(doc, response);
}

function mediaOf(doc: JsonDocument, kind: string, data: JsonNode, hash: Sha256): string | null {
  if (data.kind !== 'object' || isAmbiguous(data)) return null;
  if (kind === 'inlineData') {
    const bytes = innerHasExtras(data, INLINE) ? null : stringMember(doc, data, 'data');
    return bytes === null ? null : mediaOfBase64(bytes, hash);
  }
  const uri = innerHasExtras(data, FILE) ? undefined : either(data, 'fileUri');
  return uri?.kind === 'string' ? mediaOfUrl(textOf(doc, uri), hash) : null;
}
