/**
 * Message content and tool outputs on the Responses wire: a string, or a list of parts.
 */
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, type JsonObject, member } from '#base/json';
import type { Part } from '#neutral/message';
import { isAbsent, spanOf, stringMember } from '../body.ts';
import { typedParts } from '../content.ts';
import { mediaOfBase64, mediaOfUrl } from '../media.ts';
import { type Shape, shapeOf } from '../members.ts';

const TEXT = shapeOf({ text: ['type', 'text'] });
/** A mark for the prompt cache, which wanders as the history grows. */
const MARK: Shape = new Map([['prompt_cache_breakpoint', ['object']]]);

/**
 * Members each part type may hold. `logprobs` is what the server measured while it wrote. A file's name is shown to the model, so it
 * is content, and a bare `file_id` leaves the bytes on the server: parts that hold either are not understood.
 */
const PARTS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['input_text', new Map([...TEXT, ...MARK])],
  ['text', TEXT],
  ['output_text', new Map([...TEXT, ['logprobs', ['array']]])],
  ['refusal', shapeOf({ text: ['type', 'refusal'] })],
  ['input_image', new Map([...shapeOf({ text: ['type', 'image_url', 'detail'] }), ...MARK])],
  ['input_file', new Map([...shapeOf({ text: ['type', 'file_data', 'file_url'] }), ...MARK])],
]);

/** The parts of a content value; one it does not know is `unknown`. */
export function contentParts(doc: JsonDocument, content: JsonNode | undefined, hash: Sha256): Part[] {
  return typedParts(doc, content, hash, PARTS, knownPart);
}

function knownPart(doc: JsonDocument, node: JsonObject, type: string, hash: Sha256): Part | null {
  const span = spanOf(node);
  if (type === 'refusal') {
    const text = stringMember(doc, node, 'refusal');
    return text === null ? null : { kind: 'refusal', text, span };
  }
  if (type === 'input_image' || type === 'input_file') {
    const media = type === 'input_image' ? imageOf(doc, node, hash) : fileOf(doc, node, hash);
    return media === null ? null : { kind: 'media', media, span };
  }
  const text = stringMember(doc, node, 'text');
  return text === null ? null : { kind: 'text', text, span };
}

function imageOf(doc: JsonDocument, node: JsonObject, hash: Sha256): string | null {
  const url = stringMember(doc, node, 'image_url');
  return url === null ? null : mediaOfUrl(url, hash);
}

/** A file given by data or by link; given by both it is two things, and not understood. */
function fileOf(doc: JsonDocument, node: JsonObject, hash: Sha256): string | null {
  const url = stringMember(doc, node, 'file_url');
  if (url !== null) return isAbsent(node, 'file_data') ? mediaOfUrl(url, hash) : null;
  const data = stringMember(doc, node, 'file_data');
  if (data === null) return null;
  return /^data:/i.test(data) ? mediaOfUrl(data, hash) : mediaOfBase64(data, hash);
}

/** The output of a call as one result part, or null when it holds anything but text and media. */
export function resultPart(doc: JsonDocument, node: JsonObject, hash: Sha256): Part | null {
  const content = contentParts(doc, member(node, 'output'), hash);
  const text = content.filter((part) => part.kind === 'text').map((part) => part.text);
  const media = content.filter((part) => part.kind === 'media').map((part) => part.media);
  if (text.length + media.length < content.length) return null;
  const callId = stringMember(doc, node, 'call_id');
  return {
    kind: 'result',
    text: text.join(''),
    ...(media.length === 0 ? {} : { media }),
    ...(callId === null ? {} : { callId }),
    span: spanOf(node),
  };
}
