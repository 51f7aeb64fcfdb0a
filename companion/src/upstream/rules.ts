/**
 * Which upstream may be called. Only the URL of the intercepted request, only https, or a loopback/LAN origin approved by name.
 *
 * This judges the text of the URL; the address is judged again at connect (agents.ts), because a name says nothing about it.
 */
import { isIP } from 'node:net';
import { type AddressKind, addressKind } from './address.ts';

/** Addresses the connection may end at. */
export type Reach = 'public' | 'local' | 'any';

export type Judgement =
  | { readonly ok: true; readonly origin: string; readonly path: string; readonly reach: Reach }
  | { readonly ok: false; readonly code: 'upstream-url' | 'upstream-userinfo' | 'upstream-not-approved' | 'upstream-address' };

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** `localhost` and `127.0.0.1` are one host. */
function sameHostOrigin(url: URL): string {
  return url.hostname === 'localhost' ? `${url.protocol}//127.0.0.1${url.port === '' ? '' : `:${url.port}`}` : url.origin;
}

/** The comparable form of an origin a person names, or null when the text is not exactly one http(s) origin. */
export function approvedOrigin(text: string): string | null {
  const url = parseUrl(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '' || url.hash !== '') return null;
  return sameHostOrigin(url);
}

/**
 * Origins approved by name for one request: by this companion's settings, and by the person for the page's site, as the proven
 * extension says.
 */
export function approvals(allow: readonly string[], open: { readonly approved?: readonly string[] | undefined }): string[] {
  return [...allow, ...(open.approved ?? [])];
}

/** Address kinds a reach admits. */
export function reaches(reach: Reach, kind: AddressKind): boolean {
  return kind !== 'forbidden' && (reach === 'any' || reach === kind);
}

/** May this URL be called for a page of `site`, given the origins approved by name? */
export function judgeUpstream(text: string, site: string, allow: readonly string[]): Judgement {
  const url = parseUrl(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return { ok: false, code: 'upstream-url' };
  if (url.username !== '' || url.password !== '') return { ok: false, code: 'upstream-userinfo' };
  const origin = sameHostOrigin(url);
  const approved = approvedOrigin(site) === origin || allow.some((entry) => approvedOrigin(entry) === origin);
  if (url.protocol === 'http:' && !approved) return { ok: false, code: 'upstream-not-approved' };
  const reach: Reach = url.protocol === 'http:' ? 'local' : approved ? 'any' : 'public';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !reaches(reach, addressKind(host))) return { ok: false, code: 'upstream-address' };
  return { ok: true, origin: url.origin, path: `${url.pathname}${url.search}`, reach };
}
