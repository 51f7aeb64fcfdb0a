/**
 * Lossless JSON: a syntax tree that remembers where every value stands in its source.
 *
 * Why not `JSON.parse`: folding splices raw slices of the client's own text, and identity must not lose what a double or an
 * object cannot carry (9007199254740993, duplicate keys, `__proto__`). Strings are decoded only when asked for.
 *
 * Nesting beyond 256 is not descended into: such a value becomes one `deep` node that stands as its source text.
 */

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
