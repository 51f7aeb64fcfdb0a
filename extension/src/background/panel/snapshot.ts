/**
 * What the popup opens with: one object, kept between changes, so that opening costs a look-up.
 */
import type { SessionRecord } from '@throughline/shared/session/records';
import type { PanelSnapshot, SiteState } from '../../panel-messages.ts';
import { pauseAt, readSettings, readSites, type SiteRecord } from '../settings.ts';
import { hasPermission } from '../sites.ts';
import { held, type PanelWorld } from './context.ts';
import { sessionDetail } from './detail.ts';
import { savedOf } from './lines.ts';

export interface Snapshots {
  of(site: string | null, tab: number | null): Promise<PanelSnapshot>;
  /** Something it shows changed. */
  stale(): void;
}

/** A pause may run out and a permission may change unheard. */
const KEPT_MS = 5_000;

export function createSnapshots(world: PanelWorld): Snapshots {
  let kept = new Map<string, { readonly at: number; readonly made: Promise<PanelSnapshot> }>();
  return {
    of(site, tab) {
      const key = `${tab} ${site}`;
      const known = kept.get(key);
      const now = world.now();
      if (known && now - known.at < KEPT_MS) return known.made;
      const made = makeSnapshot(site, tab, world);
      kept.set(key, { at: now, made });
      made.catch(() => kept.delete(key));
      return made;
    },
    stale() {
      kept = new Map();
    },
  };
}

async function makeSnapshot(site: string | null, tab: number | null, world: PanelWorld): Promise<PanelSnapshot> {
  const [holding, settings, sites, recalled] = await Promise.all([
    held(world),
    readSettings(),
    readSites(),
    world.recall.read(),
  ]);
  const known = site !== null && Object.hasOwn(sites, site) ? (sites[site] ?? null) : null;
  const siteState = await stateOf(site, known, tab, world.now());
  const all = holding ? await holding.store.list({ scope: holding.scope }) : [];
  const ofSite = all.filter((record) => record.site === site);
  const used = tab === null ? undefined : recalled.tabs[`tab ${tab}`];
  const current = ofSite.find((record) => record.session === used) ?? ofSite[0] ?? null;
  const sum = (records: readonly SessionRecord[]) => records.reduce((total, record) => total + savedOf(record), 0);
  return {
    companion: world.link.state(),
    companionPort: world.link.port(),
    site,
    siteState: siteState === 'active' && !current ? 'waiting' : siteState,
    saved: { site: sum(ofSite), all: sum(all) },
    live: world.live.pick(site, tab),
    session: holding && current ? await sessionDetail(holding, current.session, world) : null,
    lastBypass: (tab === null ? null : recalled.bypasses[`tab ${tab}`]) ?? recalled.bypasses[`site ${site}`] ?? null,
    workers: `worker ${site}` in recalled.bypasses,
    askUpstream: site === null ? [] : (recalled.asks[site] ?? []),
    storage: await storageOf(world),
    settings,
    sites: Object.keys(sites),
    upstreams: known ? upstreamsOf(known) : [],
    siteResend: known?.resend ?? settings.resend,
  };
}

async function storageOf(world: PanelWorld): Promise<NonNullable<PanelSnapshot['storage']>> {
  const [state, store] = await Promise.all([world.ledgerState(), world.store()]);
  return state === 'ok' && store && store.level() !== 'full' ? 'full' : state;
}

/** Every origin a request of the site went to. */
function upstreamsOf({ used = [], succeeded, bypass }: SiteRecord): readonly string[] {
  return [...new Set([...used, ...succeeded, ...bypass.map(({ origin }) => origin)])].sort();
}

async function stateOf(site: string | null, known: SiteRecord | null, tab: number | null, now: number): Promise<SiteState> {
  if (site === null) return 'no-site';
  if (!known) return 'not-enabled';
  if (!(await hasPermission(site))) return 'permission-missing';
  return (await pauseAt(now, tab)) ? 'paused' : 'active';
}
