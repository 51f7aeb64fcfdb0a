/**
 * Reading a request body's syntax tree: the few questions every wire asks.
 *
 * Everything here is total: a missing or ill-typed member is null, never an exception. Whether a
 * message holds more than a wire accounts for is asked in members.ts.
 */
import { type JsonDocument, type JsonNode, member, rawOf, textOf } from '#base/json';
import type { SourceSpan } from '#neutral/message';
import type { RequestHead } from './wire.ts';

/** Where a node stands in the body. */
export function spanOf(node: JsonNode): SourceSpan {
  return { start: node.start, end: node.end };
}

/** The decoded string member, or null when there is none. */
export function stringMember(doc: JsonDocument, node: JsonNode, key: string): string | null {
  const found = member(node, key);
  return found?.kind === 'string' ? textOf(doc, found) : null;
}

/** The number member, or null when there is none. */
export function numberMember(doc: JsonDocument, node: JsonNode, key: string): number | null {
  const found = member(node, key);
  return found?.kind === 'number' ? Number(rawOf(doc, found)) : null;
}

/** True when the member is the literal `true`. */
export function isTrue(node: JsonNode, key: string): boolean {
  const found = member(node, key);
  return found?.kind === 'literal' && found.value === true;
}

/** True when the member is the literal `false`. */
export function isFalse(node: JsonNode, key: string): boolean {
  const found = member(node, key);
  return found?.kind === 'literal' && found.value === false;
}

/** True when the member is absent or null. */
export function isAbsent(node: JsonNode, key: string): boolean {
  const found = member(node, key);
  return found === undefined || (found.kind === 'literal' && found.value === null);
}

/** The raw text of a non-empty array member, or null. */
export function rawArray(doc: JsonDocument, node: JsonNode, key: string): string | null {
  const found = member(node, key);
  return found?.kind === 'array' && found.items.length > 0 ? rawOf(doc, found) : null;
}

/** Path of a URL without query, fragment and trailing slashes. */
export function pathOf(url: string): string {
  const bare = url.replace(/[?#].*$/s, '');
  const path = bare.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  return path.replace(/\/+$/, '');
}

/**
 * The message list when the request has the shape the chat wires share: POST, the path's end, an object without duplicate
 * members and a `messages` array (or one under another key). Null otherwise: a body in doubt is not recognised, so it passes
 * untouched.
 */
export function messageList(
  head: RequestHead,
  doc: JsonDocument,
  pathEnd: string,
  key = 'messages',
): readonly JsonNode[] | null {
  if (head.method.toUpperCase() !== 'POST' || !pathOf(head.url).endsWith(pathEnd)) return null;
  if (doc.root.kind !== 'object' || doc.root.duplicate) return null;
  const list = member(doc.root, key);
  return list?.kind === 'array' ? list.items : null;
}
