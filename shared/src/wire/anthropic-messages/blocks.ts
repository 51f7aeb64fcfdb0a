/**
 * Content blocks on the Anthropic messages wire.
 */
import { canonicalJson } from '#base/canonical';
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, type JsonObject, member, rawOf } from '#base/json';
import type { Part } from '#neutral/message';
import { isAbsent, spanOf, stringMember } from '../body.ts';
import { typedParts } from '../content.ts';
import { mediaOfBase64, mediaOfText, mediaOfUrl } from '../media.ts';
import { innerHasExtras, type Shape, shapeOf } from '../members.ts';

/**
 * Members each block type may hold. A type that is not here is unknown, and so is a block with more than this: a document's title
 * and context are shown to the model. `is_error` is status: other wires have no word for it.
 */
const KNOWN: ReadonlyMap<string, Shape> = new Map([
  ['text', shapeOf({ text: ['type', 'text'] })],
  ['thinking', shapeOf({ text: ['type', 'thinking'] })],
  ['redacted_thinking', shapeOf({ text: ['type', 'data'] })],
  ['tool_use', shapeOf({ text: ['type', 'name'], any: ['input'] })],
  ['tool_result', shapeOf({ text: ['type', 'tool_use_id'], flag: ['is_error'], any: ['content'] })],
  ['image', shapeOf({ text: ['type'], any: ['source'] })],
  ['document', shapeOf({ text: ['type'], any: ['source'] })],
]);
/** A source by its type; the media type says how to read the bytes that are there, not which. */
const LINK = shapeOf({ text: ['type', 'url'] });
const DATA = shapeOf({ text: ['type', 'media_type', 'data'] });

/** The parts of a message's content; what it does not know is `unknown`. */
export function contentParts(doc: JsonDocument, content: JsonNode | undefined, hash: Sha256): Part[] {
  return typedParts(doc, content, hash, KNOWN, knownPart);
}

function knownPart(doc: JsonDocument, node: JsonObject, type: string, hash: Sha256): Part | null {
  const span = spanOf(node);
  switch (type) {
    case 'text': {
      const text = stringMember(doc, node, 'text');
      return text === null ? null : { kind: 'text', text, span };
    }
    case 'thinking': {
      const text = stringMember(doc, node, 'thinking');
      return text === null ? null : { kind: 'reasoning', text, span };
    }
    case 'redacted_thinking':
      return { kind: 'reasoning', text: '', redacted: true, span };
    case 'tool_use':
      return callPart(doc, node);
    case 'tool_result':
      return resultPart(doc, node, hash);
    default: {
      const media = mediaOf(doc, member(node, 'source'), hash);
      return media === null ? null : { kind: 'media', media, span };
    }
  }
}

function callPart(doc: JsonDocument, node: JsonObject): Part | null {
  const name = stringMember(doc, node, 'name');
  if (name === null) return null;
  const input = member(node, 'input');
  const callId = stringMember(doc, node, 'id');
  const none = input === undefined || isAbsent(node, 'input') || rawOf(doc, input) === '""';
  return {
    kind: 'call',
    name,
    arguments: none ? '{}' : canonicalJson(doc, input),
    source: input === undefined ? '' : rawOf(doc, input),
    ...(callId === null ? {} : { callId }),
    span: spanOf(node),
  };
}

function resultPart(doc: JsonDocument, node: JsonObject, hash: Sha256): Part | null {
  const content = isAbsent(node, 'content') ? [] : contentParts(doc, member(node, 'content'), hash);
  const text = content.filter((part) => part.kind === 'text').map((part) => part.text);
  const media = content.filter((part) => part.kind === 'media').map((part) => part.media);
  if (text.length + media.length < content.length) return null;
  const callId = stringMember(doc, node, 'tool_use_id');
  return {
    kind: 'result',
    text: text.join(''),
    ...(media.length === 0 ? {} : { media }),
    ...(callId === null ? {} : { callId }),
    span: spanOf(node),
  };
}

function mediaOf(doc: JsonDocument, source: JsonNode | undefined, hash: Sha256): string | null {
  if (source === undefined) return null;
  const type = stringMember(doc, source, 'type');
  if (type === 'url') {
    const url = innerHasExtras(source, LINK) ? null : stringMember(doc, source, 'url');
    return url === null ? null : mediaOfUrl(url, hash);
  }
  const data = innerHasExtras(source, DATA) ? null : stringMember(doc, source, 'data');
  if (data === null) return null; // a file id: the bytes are on the server
  if (type === 'base64') return mediaOfBase64(data, hash);
  return type === 'text' ? mediaOfText(data, hash) : null;
}
