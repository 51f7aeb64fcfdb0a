/**
 * What the browser would let the page see of an answer. Checked here and not in the page's own world, where a forged channel could ask
 * for an answer that the page may not read.
 *
 * Failure direction: nothing is seen; the page gets the browser's network error.
 */

type Headers = readonly (readonly [string, string])[];

/** Headers that are readable across origins unasked. */
const SAFELISTED = /^(?:cache-control|content-(?:language|length|type)|expires|last-modified|pragma)$/;

/** Answers that only point elsewhere: the page's own request follows them, by the browser's rules. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The values of one header, comma-joined as `Headers` does. */
function headerOf(headers: Headers, wanted: string): string {
  return headers
    .filter(([name]) => name.toLowerCase() === wanted)
    .map(([, value]) => value.trim())
    .join(', ');
}

/** The headers that a page of `origin` may see of the answer of `url`, or null when it may not see the answer at all. */
export function visibleHeaders(status: number, headers: Headers, url: string, origin: string): [string, string][] | null {
  if (REDIRECTS.has(status)) return [];
  const own = new URL(url).origin === origin;
  const allowed = headerOf(headers, 'access-control-allow-origin');
  if (!own && allowed !== '*' && allowed !== origin) return null;
  const exposed = new Set(
    headerOf(headers, 'access-control-expose-headers')
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  return headers
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(
      ([name]) => !/^set-cookie2?$/.test(name) && (own || SAFELISTED.test(name) || exposed.has('*') || exposed.has(name)),
    );
}
