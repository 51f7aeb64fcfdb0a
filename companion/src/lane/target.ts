/**
 * What a request to the lane is for: `/lane/<key>/<absolute upstream URL>`, or one of the lane's own words.
 *
 * Clients paste their paths behind the base URL they were given, and libraries on the way collapse the double slash or
 * percent-encode the whole: both spellings are read.
 */
export interface LaneTarget {
  readonly key: string;
  /** Upstream URL, or null for a word of the lane's own. */
  readonly url: string | null;
  /** The word (`sessions`, say); '' with a URL. */
  readonly word: string;
}

const PATH = /^\/lane\/([^/?#]+)\/(.*)$/s;

/** The target of a request line, or null when it is none of the lane. */
export function laneTarget(target: string): LaneTarget | null {
  const [, key, rest = ''] = PATH.exec(target) ?? [];
  if (key === undefined) return null;
  const word = /^[a-z]+(?=\/?(?:\?|$))/.exec(rest)?.[0] ?? '';
  const url = urlOf(rest);
  return { key, url, word: url === null ? word : '' };
}

function urlOf(rest: string): string | null {
  const plain = /^https?%3A/i.test(rest) ? decoded(rest) : rest;
  const [, scheme, after] = /^(https?):\/{1,2}(.+)$/is.exec(plain ?? '') ?? [];
  if (scheme === undefined || after === undefined) return null;
  try {
    return new URL(`${scheme.toLowerCase()}://${after}`).href;
  } catch {
    return null; // no URL: the client hears so
  }
}

/** The base is encoded as one path segment; what the client put behind it is not. */
function decoded(rest: string): string | null {
  const at = rest.search(/[/?]/);
  const [base, tail] = at < 0 ? [rest, ''] : [rest.slice(0, at), rest.slice(at)];
  try {
    return decodeURIComponent(base) + tail;
  } catch {
    return null; // a stray percent sign
  }
}
