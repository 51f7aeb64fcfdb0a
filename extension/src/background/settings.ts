/**
 * What the person chose and what was learned about sites: typed access to `storage.local` (and, for tabs, `storage.session`).
 *
 * Invariant: every change is a read-modify-write in one queue, so two listeners of one background never lose each other's change.
 * Nothing secret is kept here. Failure direction: what cannot be read counts as not enabled, not approved, not paused.
 */
import type { Settings } from '../panel-messages.ts';
import { api } from '../platform.ts';

export interface SiteRecord {
  /** Origin, e.g. `https://chat.example`. */
  readonly origin: string;
  readonly enabledAt: number;
  /** Loopback and LAN upstreams that the person approved for this site by name. */
  readonly upstreams: readonly string[];
  /** Upstreams that answered through us at least once with success (2xx). */
  readonly succeeded: readonly string[];
  /** Upstreams that a request of this site was sent to through us, whatever they answered. */
  readonly used?: readonly string[];
  /** The person's word for this site on resending after a companion loss; the general setting where absent. */
  readonly resend?: boolean;
  /** Upstreams that only work natively (a hidden cookie, a bot check), and the note for the popup. */
  readonly bypass: readonly { readonly origin: string; readonly code: string; readonly at: number }[];
}

export interface Pause {
  /** Milliseconds since the epoch; null for no end. */
  readonly until: number | null;
}

interface Stored {
  readonly sites: Readonly<Record<string, SiteRecord>>;
  readonly settings: Partial<Settings>;
  readonly pause: Pause | null;
}

const EMPTY: Stored = { sites: {}, settings: {}, pause: null };

const DEFAULT_SETTINGS: Settings = {
  language: 'system',
  theme: 'system',
  badge: true,
  resend: true,
  retentionDays: 30,
};

let queue: Promise<unknown> = Promise.resolve();

async function read(): Promise<Stored> {
  const stored = (await api.storage.local.get(['sites', 'settings', 'pause'])) as Partial<Stored>;
  return { ...EMPTY, ...stored };
}

/** Applies one change after all earlier ones. */
function change(edit: (stored: Stored) => Partial<Stored>): Promise<void> {
  const done = queue.then(async () => api.storage.local.set(edit(await read())));
  // The next change must run also when this one failed; whoever asked for this one gets its error.
  queue = done.catch(() => undefined);
  return done;
}

/** All enabled sites, by origin. */
export async function readSites(): Promise<Readonly<Record<string, SiteRecord>>> {
  return (await read()).sites;
}

/** The site's record, or null when it is not enabled. */
export async function readSite(origin: string): Promise<SiteRecord | null> {
  const { sites } = await read();
  return Object.hasOwn(sites, origin) ? (sites[origin] ?? null) : null;
}

/** Adds the site, keeping what was learned about it before. */
export function addSite(origin: string, at: number): Promise<void> {
  return change(({ sites }) => ({
    sites: { ...sites, [origin]: sites[origin] ?? { origin, enabledAt: at, upstreams: [], succeeded: [], bypass: [] } },
  }));
}

/** Removes the site with everything learned about it. */
export function removeSite(origin: string): Promise<void> {
  return change(({ sites }) => ({ sites: Object.fromEntries(Object.entries(sites).filter(([key]) => key !== origin)) }));
}

function editSite(origin: string, edit: (site: SiteRecord) => SiteRecord): Promise<void> {
  return change(({ sites }) => {
    const site = sites[origin];
    return site ? { sites: { ...sites, [origin]: edit(site) } } : {};
  });
}

const withItem = (items: readonly string[], item: string) => (items.includes(item) ? items : [...items, item]);

/** The person approved this loopback or LAN upstream for the site. */
export function approveUpstream(site: string, upstream: string): Promise<void> {
  return editSite(site, (record) => ({ ...record, upstreams: withItem(record.upstreams, upstream) }));
}

/** The upstream answered through us: from now on a 401, 403 or 407 is its own answer. */
export function noteSuccess(site: string, upstream: string): Promise<void> {
  return editSite(site, (record) => ({ ...record, succeeded: withItem(record.succeeded, upstream) }));
}

/** A request of the site went there through us: the data flow lists it. */
export async function noteUsed(site: string, upstream: string): Promise<void> {
  // Most requests go where the last one went: nothing is written then.
  if ((await readSite(site))?.used?.includes(upstream)) return;
  await editSite(site, (record) => ({ ...record, used: withItem(record.used ?? [], upstream) }));
}

/** The person decided about resending for this site alone. */
export function setSiteResend(site: string, resend: boolean): Promise<void> {
  return editSite(site, (record) => ({ ...record, resend }));
}

/** The upstream refused us and then answered natively: leave it alone from now on. */
export function noteBypass(site: string, upstream: string, code: string, at: number): Promise<void> {
  return editSite(site, (record) => ({
    ...record,
    bypass: [...record.bypass.filter((entry) => entry.origin !== upstream), { origin: upstream, code, at }],
  }));
}

/** Settings with defaults filled in. */
export async function readSettings(): Promise<Settings> {
  return { ...DEFAULT_SETTINGS, ...(await read()).settings };
}

export function writeSettings(patch: Partial<Settings>): Promise<void> {
  return change(({ settings }) => ({ settings: { ...settings, ...patch } }));
}

/** Pauses everything, or one tab for as long as the browser runs (tab ids mean nothing afterwards). */
export async function writePause(pause: Pause | null, tab: number | null): Promise<void> {
  if (tab === null) return change(() => ({ pause }));
  await api.storage.session.set({ [`pause:${tab}`]: pause });
}

/** Ends the pause of everything and of every tab. */
export async function resume(): Promise<void> {
  await change(() => ({ pause: null }));
  const session = await api.storage.session.get(null);
  await api.storage.session.remove(Object.keys(session).filter((key) => key.startsWith('pause:')));
}

/** The pause in force for this tab at this moment, or null. */
export async function pauseAt(now: number, tab: number | null): Promise<Pause | null> {
  const { pause } = await read();
  const own = tab === null ? undefined : ((await api.storage.session.get(`pause:${tab}`))[`pause:${tab}`] as Pause | undefined);
  const holds = (p: Pause | null | undefined): p is Pause => p != null && (p.until === null || p.until > now);
  return holds(pause) ? pause : holds(own) ? own : null;
}
