/**
 * Small text tools: what we author must be well-formed, and a fence must not be forgeable by what stands inside it.
 */

const LONE_SURROGATE = /\p{Surrogate}/u;

/** True when the text holds no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** The first `limit` UTF-16 units at most, never ending inside a surrogate pair. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const splits = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, Math.max(0, splits ? limit - 1 : limit));
}

/** A run of tildes, at least three, that occurs nowhere in the text: its content cannot close it. */
export function fenceFor(text: string): string {
  let longest = 0;
  for (const run of text.match(/~+/g) ?? []) longest = Math.max(longest, run.length);
  return '~'.repeat(Math.max(3, longest + 1));
}
