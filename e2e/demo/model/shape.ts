/** Small questions about untyped JSON, used by every wire's check. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The provider's word for what a value is. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return value === undefined ? 'nothing' : `a ${typeof value}`;
}

/** First key that is not in the list, or null. */
export function strange(value: Json, known: ReadonlySet<string>): string | null {
  return Object.keys(value).find((key) => !known.has(key)) ?? null;
}

export const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
