/**
 * Message content on the OpenAI chat wire: a string, null, or a list of parts.
 */
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, member, textOf } from '#base/json';
import type { Part } from '#neutral/message';
import { spanOf, stringMember } from '../body.ts';
import { mediaOfBase64, mediaOfUrl } from '../media.ts';
import { innerHasExtras, partHasExtras, type Shape, shapeOf } from '../members.ts';

/** The parts of a content value; one it does not know is `unknown`. An absent or null content has none. */
export function contentParts(doc: JsonDocument, content: JsonNode | undefined, hash: Sha256): Part[] {
  if (content === undefined || (content.kind === 'literal' && content.value === null)) return [];
  if (content.kind === 'string') return [{ kind: 'text', text: textOf(doc, content) }];
  if (content.kind === 'array') return content.items.map((item) => contentPart(doc, item, hash));
  return [{ kind: 'unknown', span: spanOf(content) }];
}

/**
 * Members each part type may hold. Thinking is `closed` when it is over, which is status. A file's name and a video's bounds are
 * shown to the model, so they are content: parts that hold them are not understood.
 */
const PARTS: ReadonlyMap<string, Shape> = new Map([
  ['text', shapeOf({ text: ['type', 'text'] })],
  ['refusal', shapeOf({ text: ['type', 'refusal'] })],
  ['thinking', shapeOf({ text: ['type'], flag: ['closed'], any: ['thinking'] })],
  ...['image_url', 'video_url', 'audio_url', 'input_audio', 'file'].map((type): [string, Shape] => [
    type,
    shapeOf({ text: ['type'], any: [type] }),
  ]),
]);
/** What media parts hold. `detail` and `format` say how to look at the bytes that are there, not which. */
const LINK = shapeOf({ text: ['url', 'detail'] });
const AUDIO = shapeOf({ text: ['data', 'format'] });
const FILE = shapeOf({ text: ['file_data'] });
const INNER_TEXT = shapeOf({ text: ['type', 'text'] });

function contentPart(doc: JsonDocument, node: JsonNode, hash: Sha256): Part {
  const span = spanOf(node);
  const type = stringMember(doc, node, 'type') ?? '';
  const shape = PARTS.get(type);
  const accounted = node.kind === 'object' && !node.duplicate && shape !== undefined && !partHasExtras(node, shape);
  return (accounted ? knownPart(doc, node, type, hash) : null) ?? { kind: 'unknown', span };
}

function knownPart(doc: JsonDocument, node: JsonNode, type: string, hash: Sha256): Part | null {
  const span = spanOf(node);
  if (type === 'text' || type === 'refusal') {
    const text = stringMember(doc, node, type);
    return text === null ? null : { kind: type, text, span };
  }
  if (type === 'thinking') {
    const text = thinkingText(doc, member(node, 'thinking'));
    return text === null ? null : { kind: 'reasoning', text, span };
  }
  const media = mediaOf(doc, member(node, type), type, hash);
  return media === null ? null : { kind: 'media', media, span };
}

/** Thinking inside content is a string or a list of text parts. */
function thinkingText(doc: JsonDocument, node: JsonNode | undefined): string | null {
  if (node?.kind === 'string') return textOf(doc, node);
  if (node?.kind !== 'array') return null;
  const texts = node.items.map((item) => {
    const known = stringMember(doc, item, 'type') === 'text' && !innerHasExtras(item, INNER_TEXT);
    return known ? stringMember(doc, item, 'text') : null;
  });
  return texts.includes(null) ? null : texts.join('');
}

function mediaOf(doc: JsonDocument, value: JsonNode | undefined, type: string, hash: Sha256): string | null {
  if (value === undefined) return null;
  if (type === 'input_audio') {
    const data = innerHasExtras(value, AUDIO) ? null : stringMember(doc, value, 'data');
    return data === null ? null : mediaOfBase64(data, hash);
  }
  if (type === 'file') {
    const data = innerHasExtras(value, FILE) ? null : stringMember(doc, value, 'file_data');
    if (data === null) return null; // only an id: the bytes are on the server
    return /^data:/i.test(data) ? mediaOfUrl(data, hash) : mediaOfBase64(data, hash);
  }
  if (value.kind === 'string') return mediaOfUrl(textOf(doc, value), hash);
  const url = innerHasExtras(value, LINK) ? null : stringMember(doc, value, 'url');
  return url === null ? null : mediaOfUrl(url, hash);
}
