/** Reads what is known about every site, one snapshot each. */
import type { SiteState } from '../panel-messages.ts';
import { ask, grantedPatterns } from '../ui/ask.ts';
import { sitesOf } from './sites.ts';

export interface SiteLine {
  readonly site: string;
  readonly state: SiteState;
  readonly on: boolean;
  readonly saved: number;
  /** Whether a request is sent once more after a companion loss. */
  readonly resend: boolean;
  /** Local addresses that wait for the person's word. */
  readonly asks: readonly string[];
  /** Upstream origins that were used, where the background tells. */
  readonly upstreams: readonly string[];
}

/** More sites than anyone switches on; keeps a broken store from asking forever. */
const MOST = 100;

export async function readSites(known: readonly (string | null)[]): Promise<readonly SiteLine[]> {
  const sites = sitesOf(await grantedPatterns(), known).slice(0, MOST);
  const lines = await Promise.all(
    sites.map(async (site): Promise<SiteLine | null> => {
      const reply = await ask({ verb: 'snapshot', site, tab: null });
      if (!reply.ok) return null;
      const { siteState: state, saved, askUpstream, upstreams, siteResend, settings } = reply.data;
      const on = state === 'active' || state === 'waiting' || state === 'paused';
      const resend = siteResend ?? settings.resend;
      return { site, state, on, saved: saved.site, resend, asks: askUpstream, upstreams: upstreams ?? [] };
    }),
  );
  return lines.filter((line) => line !== null);
}
