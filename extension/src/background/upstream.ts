/**
 * Which upstreams a site's requests may go to through us. https anywhere public comes with enabling the site; loopback and private
 * addresses only when the page itself lives there or the person approved them by name. The companion checks again at connect.
 */
import { parseUrl } from './url.ts';

export type UpstreamJudgement =
  | { readonly ok: true; readonly origin: string }
  | { readonly ok: false; readonly code: 'upstream-not-approved'; readonly ask: string | null };

/** True for names and addresses that lead to this machine or network. */
export function isLocalHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local') || host.endsWith('.internal')) return true;
  if (host.includes(':')) return isLocalV6(host);
  const octets = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host);
  if (!octets) return !host.includes('.');
  const [first, second] = [Number(octets[1]), Number(octets[2])];
  return (
    first === 127 ||
    first === 10 ||
    first === 0 ||
    (first === 192 && second === 168) ||
    (first === 172 && second >= 16 && second <= 31) ||
    (first === 169 && second === 254) ||
    (first === 100 && second >= 64 && second <= 127)
  );
}

function isLocalV6(host: string): boolean {
  return host === '::1' || host === '::' || /^(fc|fd|fe8|fe9|fea|feb)/.test(host) || host.startsWith('::ffff:');
}

/** `localhost` and `127.0.0.1` are the same place. */
function comparable(origin: string): string {
  return origin.replace(/^(https?:\/\/)localhost(?=:|$)/, '$1127.0.0.1');
}

/** Whether a request of `site` to `url` may be taken. `approved` lists the origins the person allowed for the site. */
export function judgeUpstream(site: string, url: string, approved: readonly string[]): UpstreamJudgement {
  const parsed = parseUrl(url);
  const refused = (ask: string | null): UpstreamJudgement => ({ ok: false, code: 'upstream-not-approved', ask });
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') return refused(null);
  const { origin } = parsed;
  if (!isLocalHost(parsed.hostname)) return parsed.protocol === 'https:' ? { ok: true, origin } : refused(null);
  const same = (other: string) => comparable(other) === comparable(origin);
  return same(site) || approved.some(same) ? { ok: true, origin } : refused(origin);
}
