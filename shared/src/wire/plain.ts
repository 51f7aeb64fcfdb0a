/**
 * Reading answers as ordinary values. A provider's answer is untrusted and only counted and shown, so each look gives null
 * where the shape is not the expected one.
 */
export type Plain = { readonly [key: string]: unknown };

/** The value as an object, or null. */
export function objectOf(value: unknown): Plain | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Plain) : null;
}

/** The value as a list; anything else is empty. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text, or null. */
export function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The value as a count, or null. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The JSON object in the text, or null when it is none. */
export function parseObject(text: string): Plain | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null; // not JSON: the caller gives up understanding
  }
}
