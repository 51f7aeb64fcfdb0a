/**
 * Lossless JSON: a syntax tree that remembers where every value stands in its source.
 *
 * Why not `JSON.parse`: folding splices raw slices of the client's own text, and identity must not lose what a double or an
 * object cannot carry (9007199254740993, duplicate keys, `__proto__`). Strings are decoded only when asked for.
 *
 * Nesting beyond 256 is not descended into: such a value becomes one `deep` node that stands as its source text.
 */

import { scanJson } from './json-scan.ts';

interface Span {
  /** UTF-16 offset of the first character of the value in the source. */
  readonly start: number;
  /** Offset one past the last character. */
  readonly end: number;
}

export interface JsonMember {
  readonly key: string;
  /** Offset of the key's opening quote. */
  readonly keyStart: number;
  readonly value: JsonNode;
}

export type JsonNode =
  | (Span & { readonly kind: 'object'; readonly members: readonly JsonMember[]; readonly duplicate: boolean })
  | (Span & { readonly kind: 'array'; readonly items: readonly JsonNode[] })
  | (Span & { readonly kind: 'string'; readonly escaped: boolean })
  | (Span & { readonly kind: 'number' })
  | (Span & { readonly kind: 'literal'; readonly value: boolean | null })
  | (Span & { readonly kind: 'deep' });

export type JsonObject = Extract<JsonNode, { kind: 'object' }>;
export type JsonArray = Extract<JsonNode, { kind: 'array' }>;

/** A parsed document: the source and its root. */
export interface JsonDocument {
  readonly source: string;
  readonly root: JsonNode;
}

export const MAX_JSON_DEPTH = 256;

/** The syntax tree of the text, or null when it is not JSON (json-scan.ts does the work). Never throws. */
export function parseJson(source: string): JsonDocument | null {
  const root = scanJson(source);
  return root === null ? null : { source, root };
}

/** The value of an object's own member; with duplicate keys the last one, as `JSON.parse` would have it. */
export function member(node: JsonNode, key: string): JsonNode | undefined {
  return node.kind === 'object' ? node.members.findLast((candidate) => candidate.key === key)?.value : undefined;
}

/** The value's own source text. */
export function rawOf(doc: JsonDocument, node: JsonNode): string {
  return doc.source.slice(node.start, node.end);
}

/** The decoded value of a string node; the source text of any other. */
export function textOf(doc: JsonDocument, node: JsonNode): string {
  if (node.kind !== 'string') return rawOf(doc, node);
  return node.escaped ? (JSON.parse(rawOf(doc, node)) as string) : doc.source.slice(node.start + 1, node.end - 1);
}

/** The value as ordinary JavaScript, for small things. It loses what the tree keeps; a `deep` value stays text. */
export function plainOf(doc: JsonDocument, node: JsonNode): unknown {
  return node.kind === 'deep' ? rawOf(doc, node) : JSON.parse(rawOf(doc, node));
}
