/**
 * May this request be taken at all? Asked before anything is parsed; every no is a code for the popup.
 */
import { judgeUpstream } from './upstream.ts';

export interface SiteFacts {
  readonly upstreams: readonly string[];
  readonly succeeded: readonly string[];
  readonly resend?: boolean;
  readonly bypass: readonly { readonly origin: string }[];
}

export type Gate =
  | { readonly ok: true; readonly origin: string; readonly succeeded: boolean }
  | { readonly ok: false; readonly code: string; readonly ask: string | null };

/** Judges by what the person chose and what was learned about the site. `site` null: it is not enabled. */
export function gate(origin: string, url: string, site: SiteFacts | null, paused: boolean): Gate {
  const no = (code: string, ask: string | null = null): Gate => ({ ok: false, code, ask });
  if (!site) return no('not-enabled');
  if (paused) return no('paused');
  const upstream = judgeUpstream(origin, url, site.upstreams);
  if (!upstream.ok) return no(upstream.code, upstream.ask);
  if (site.bypass.some((entry) => entry.origin === upstream.origin)) return no('learned-bypass');
  return { ok: true, origin: upstream.origin, succeeded: site.succeeded.includes(upstream.origin) };
}
