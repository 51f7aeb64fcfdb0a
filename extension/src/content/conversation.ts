/**
 * The conversation id that a page shows in its address, when that id is random enough to mean one conversation.
 *
 * Invariant: counters, dates, words and constant routes are no ids; values of unknown query parameters are not looked at, because
 * they may be secrets. Failure direction: no id, which loses a piece of evidence and nothing else.
 */

const UUID = /^(?:[a-z]+[-_])?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
const HEX = /^[0-9a-f]{16,64}$/i;
const TOKEN = /^[A-Za-z0-9_-]{16,64}$/;
const PARAMETER = /^(?:c|id|chat|thread|session|conversation)(?:[-_]?id)?$/i;

/** True for a UUID or another token of at least 64 random bits. */
function isConversationId(part: string): boolean {
  if (UUID.test(part)) return true;
  if (HEX.test(part)) return /\d/.test(part) && /[a-f]/i.test(part);
  if (!TOKEN.test(part)) return false;
  const digits = part.match(/\d/g)?.length ?? 0;
  const mixed = /[a-z]/.test(part) && /[A-Z]/.test(part) && digits >= 1;
  // Lower case and digits only: 13 characters carry 64 bits; words with a year or a version do not have this many digits.
  const lower = /^[a-z0-9]{20,}$/.test(part) && digits >= 3;
  return mixed || lower;
}

/** The last id-like part of the path, the hash route or a parameter named like one; null when there is none. */
export function conversationIn(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname, hash, searchParams } = new URL(url);
  const [route = '', query = ''] = hash.replace(/^#/, '').split('?');
  const named = [...searchParams, ...new URLSearchParams(query)].flatMap(([name, value]) =>
    PARAMETER.test(name) ? [value] : [],
  );
  const parts = [...pathname.split('/'), ...route.split('/'), ...named];
  return parts.findLast(isConversationId) ?? null;
}
