/** A URL or null, in one call (the platform's own `URL.parse` is younger than the browsers we support). */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
