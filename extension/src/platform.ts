/**
 * The only file that knows which browser this is. Everything else imports from here.
 *
 * Both browsers name the API `chrome` and answer with promises in Manifest V3; what differs is listed below, one function each.
 */

/** The extension API. */
export const api: typeof chrome = (globalThis as { browser?: typeof chrome }).browser ?? chrome;

const agent = typeof navigator === 'undefined' ? '' : navigator.userAgent;
const chromeMajor = Number(/Chrom(?:e|ium)\/(\d+)/.exec(agent)?.[1] ?? 0);

const isFirefox: boolean = agent.includes('Firefox/');

/**
 * Ports carry `Uint8Array` as bytes: always in Firefox, from Chrome 148 on with the manifest key. Otherwise messages are JSON and
 * bytes travel as base64 (`base64.ts`). Both ends decide with this function, so they agree.
 */
export const portsCarryBytes: boolean = isFirefox || chromeMajor >= 148;

/** Match patterns with a port exist in Chrome only; elsewhere a pattern covers every port of its host. */
export const patternsCarryPorts: boolean = !isFirefox;

/** False once this script belongs to an extension that was updated, disabled or removed. */
export function contextAlive(): boolean {
  try {
    return typeof api.runtime?.id === 'string';
  } catch {
    // Touching an invalidated context may throw: that is the answer.
    return false;
  }
}
