/**
 * Message content on the OpenAI chat wire: a string, null, or a list of parts.
 */
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, member, textOf } from '#base/json';
import type { Part } from '#neutral/message';
import { hasExtras, spanOf, stringMember } from '../body.ts';
import { mediaOfBase64, mediaOfUrl } from '../media.ts';

/** The parts of a content value; one it does not know is `unknown`. An absent or null content has none. */
export function contentParts(doc: JsonDocument, content: JsonNode | undefined, hash: Sha256): Part[] {
  if (content === undefined || (content.kind === 'literal' && content.value === null)) return [];
  if (content.kind === 'string') return [{ kind: 'text', text: textOf(doc, content) }];
  if (content.kind === 'array') return content.items.map((item) => contentPart(doc, item, hash));
  return [{ kind: 'unknown', span: spanOf(content) }];
}

const TEXT: ReadonlySet<string> = new Set(['type', 'text']);

function contentPart(doc: JsonDocument, node: JsonNode, hash: Sha256): Part {
  const span = spanOf(node);
  if (node.kind !== 'object' || node.duplicate) return { kind: 'unknown', span };
  const type = stringMember(doc, node, 'type');
  if (type === 'text') {
    const text = stringMember(doc, node, 'text');
    if (text !== null && !hasExtras(node, TEXT)) return { kind: 'text', text, span };
  }
  if (type === 'refusal') {
    const text = stringMember(doc, node, 'refusal');
    if (text !== null && !hasExtras(node, new Set(['type', 'refusal']))) return { kind: 'refusal', text, span };
  }
  if (type === 'thinking') {
    const text = thinkingText(doc, member(node, 'thinking'));
    if (text !== null && !hasExtras(node, new Set(['type', 'thinking', 'closed']))) return { kind: 'reasoning', text, span };
  }
  const media = type === null ? null : mediaOf(doc, node, type, hash);
  return media === null || hasExtras(node, new Set(['type', type ?? '']))
    ? { kind: 'unknown', span }
    : { kind: 'media', media, span };
}

/** Thinking inside content is a string or a list of text parts. */
function thinkingText(doc: JsonDocument, node: JsonNode | undefined): string | null {
  if (node?.kind === 'string') return textOf(doc, node);
  if (node?.kind !== 'array') return null;
  const texts = node.items.map((item) => (stringMember(doc, item, 'type') === 'text' ? stringMember(doc, item, 'text') : null));
  return texts.includes(null) ? null : texts.join('');
}

function mediaOf(doc: JsonDocument, node: JsonNode, type: string, hash: Sha256): string | null {
  const value = member(node, type);
  if (value === undefined || (value.kind === 'object' && value.duplicate)) return null;
  switch (type) {
    case 'image_url':
    case 'video_url':
    case 'audio_url': {
      const url = value.kind === 'string' ? textOf(doc, value) : stringMember(doc, value, 'url');
      return url === null ? null : mediaOfUrl(url, hash);
    }
    case 'input_audio': {
      const data = stringMember(doc, value, 'data');
      return data === null ? null : mediaOfBase64(data, hash);
    }
    case 'file': {
      const data = stringMember(doc, value, 'file_data');
      if (data === null) return null; // only an id: the bytes are on the server
      return /^data:/i.test(data) ? mediaOfUrl(data, hash) : mediaOfBase64(data, hash);
    }
    default:
      return null;
  }
}
