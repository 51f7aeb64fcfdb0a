/**
 * What an IndexedDB failure means: no room (degrade), or the store itself is unusable (recover).
 */

function names(error: unknown): readonly string[] {
  if (!(error instanceof Object)) return [];
  const { name, inner } = error as { name?: unknown; inner?: unknown };
  return [String(name), ...(inner === undefined || inner === null ? [] : names(inner))];
}

/** Dexie hides the quota error inside an AbortError. */
export function isQuota(error: unknown): boolean {
  return names(error).includes('QuotaExceededError');
}

const BROKEN = new Set([
  'UnknownError',
  'InvalidStateError',
  'DatabaseClosedError',
  'OpenFailedError',
  'MissingAPIError',
  'NotFoundError',
  'NotReadableError',
]);

/** The connection or the files behind it are unusable: reopening may help, repeating will not. */
export function isBroken(error: unknown): boolean {
  return !isQuota(error) && names(error).some((name) => BROKEN.has(name));
}

/** A database written by a newer version: it is left exactly as it is. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}
