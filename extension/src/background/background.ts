/**
 * Puts the background together: storage, ledger, link, turns, panels. No listener is registered here and nothing is started before
 * something asks for it; main.ts hands events in.
 */

import type { ScopeId } from '@throughline/shared/base/brand';
import { createAsides } from '@throughline/shared/session/asides';
import { createFlights } from '@throughline/shared/session/flights';
import { createLedgerDoor, type LedgerPointer } from '../ledger/ledger.ts';
import { createBodies } from './bodies.ts';
import { type Area, box } from './box.ts';
import { countDoubleBill } from './complete.ts';
import { randomHex } from './crypto.ts';
import { createLane } from './lane.ts';
import { createLink, type Link } from './link.ts';
import { createLiveTurns } from './live.ts';
import { createPages, type PagePort } from './pages.ts';
import { type Pairing, pair } from './pairing.ts';
import type { PanelWorld } from './panel/context.ts';
import { savedOf } from './panel/lines.ts';
import { createSnapshots } from './panel/snapshot.ts';
import { panelVerbs } from './panel/verbs.ts';
import { createPanels } from './panels.ts';
import { PATIENCE } from './patience.ts';
import { createRecall } from './recall.ts';
import { createRouter, isOwnPage, type Router } from './router.ts';
import { noteBypass, noteSuccess, noteUsed, pauseAt, readSettings, readSite, readSites } from './settings.ts';
import { enableSite, hasPermission } from './sites.ts';
import { createStreams } from './streams.ts';
import { createSync } from './sync.ts';
import { createToolbar } from './toolbar.ts';
import { tidy } from './wake.ts';
import { createWanted, fulfil } from './wanted.ts';
import { createWarm } from './warm.ts';

export interface BackgroundWorld {
  readonly extensionId: string;
  /** `chrome-extension://…`, without a slash. */
  readonly origin: string;
  readonly version: string;
  readonly portsCarryBytes: boolean;
  readonly local: Area;
  readonly session: Area;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly socket: (url: string) => WebSocket;
  readonly loopbackAllowed: () => Promise<boolean>;
  /** While true, the background must not be put to sleep. */
  readonly keepAwake: (busy: boolean) => void;
  readonly now: () => number;
}

export interface Background {
  onPort(port: PagePort & { readonly name: string }): void;
  readonly router: Router;
  /** Install, update, start of the browser, permissions: look at everything again. */
  refresh(): void;
  /** No answer is on its way and none is being stored: a restart now costs nobody anything. */
  quiet(): boolean;
  /** A permission was granted: completes the switching on that asked for it, also when its popup is gone. */
  granted(): Promise<void>;
  tidy(): Promise<void>;
}

export function createBackground(world: BackgroundWorld): Background {
  const pointer = box<LedgerPointer>(world.local, 'ledger');
  const pairings = box<Pairing>(world.local, 'pairing');
  const clientName = box<string>(world.local, 'client');
  const door = createLedgerDoor({
    readPointer: pointer.get,
    writePointer: pointer.set,
    newId: () => randomHex(16),
    now: world.now,
  });
  const store = async () => (await door.get()).store;
  /** The store id that the companion was told last. */
  let told: string | null = null;
  const lane = createLane((error) => {
    void door.failed(error).then(async (reopened) => {
      // Another store: the companion must give back what was lost. The same store again disturbs no stream.
      if (reopened && told !== null && (await store())?.storeId !== told) link.restart();
    });
  });
  const flights = createFlights();
  const bodies = createBodies();
  const live = createLiveTurns();
  const panels = createPanels();
  const recall = createRecall(world.session);
  const wanted = createWanted(world.session, world.now);
  const streams = createStreams(world.keepAwake);
  let pages = 0;

  const changed = () => {
    snapshots.stale();
    panels.tell();
    toolbar.refresh();
  };
  const scope = async () => (link.scope() ?? (await pairings.get())?.scope ?? null) as ScopeId | null;

  const sync = createSync({ link: () => link, lane, flights, bodies, live, store, scope, now: world.now, changed });
  const link: Link = createLink(
    {
      pairings,
      fetch: world.fetch,
      socket: world.socket,
      origin: world.origin,
      version: world.version,
      allowed: world.loopbackAllowed,
      wanted: () => pages > 0 || panels.count() > 0,
      async store() {
        const opened = await store();
        told = opened?.storeId ?? 'none';
        return { id: told, sessions: (await opened?.count()) ?? 0 };
      },
    },
    {
      onReady: (ready) => sync.onReady(ready),
      onFrame: (frame) => ('stream' in frame ? streams.frame(frame) : sync.onFrame(frame)),
      onBytes: (frame) => streams.bytes(frame),
      onLost() {
        sync.onLost();
        streams.lost();
        changed();
      },
      onState: changed,
    },
  );

  const panelWorld: PanelWorld = {
    store,
    ledgerState: async () => (await door.get()).state,
    scope,
    link,
    sync,
    live,
    flights,
    recall,
    async pair(text) {
      const connectedPort = () => (link.scope() === null ? null : link.port());
      const result = await pair(text, { pairings, clientName, origin: world.origin, fetch: world.fetch, connectedPort });
      if (result.ok) {
        link.restart();
        await link.ready(3000);
      }
      return result;
    },
    async unpair() {
      await pairings.clear();
      link.restart();
    },
    wanted,
    now: world.now,
    changed,
  };
  const snapshots = createSnapshots(panelWorld);
  const toolbar = createToolbar(async () => {
    const [settings, sites, pause] = await Promise.all([readSettings(), readSites(), pauseAt(world.now(), null)]);
    const origins = Object.keys(sites);
    const granted = await Promise.all(origins.map(hasPermission));
    return {
      wanted: settings.badge,
      paused: pause !== null,
      companion: link.state(),
      sites: origins.length,
      missing: granted.filter((has) => !has).length,
    };
  });

  const showSaved = async (tab: number | null, session: string) => {
    const [opened, of] = await Promise.all([store(), scope()]);
    const record = opened && of ? await opened.load(of, session as never) : null;
    if (record && tab !== null) toolbar.saved(tab, savedOf(record));
  };

  const acceptPage = createPages({
    extensionId: world.extensionId,
    bytes: world.portsCarryBytes,
    recall,
    enabled: async (origin) => (await readSite(origin)) !== null,
    noteBypass: (site, upstream) => noteBypass(site, upstream, 'auth-retry', world.now()),
    doubleBilled(session) {
      void lane.run(async () => {
        const [opened, of] = await Promise.all([store(), scope()]);
        if (opened && of) await countDoubleBill(opened, of, session, world.now());
      });
    },
    onPages(count) {
      pages = count;
      // The first page that may need the companion: look for it before the first request does.
      if (count === 1) link.wake();
    },
    turns: {
      link,
      streams,
      flights,
      bodies,
      warm: createWarm(),
      lane,
      asides: createAsides(),
      live,
      store,
      restored: sync.restored,
      tooLarge: sync.tooLarge,
      site: readSite,
      paused: async (tab) => (await pauseAt(world.now(), tab)) !== null,
      settings: readSettings,
      noteSuccess,
      ask: recall.asked,
      noteDispatch(open, session, upstream) {
        void noteUsed(open.site, upstream).catch(() => undefined);
        recall.used(open.tab, session);
        recall.dispatched(open.key, session);
      },
      patience: PATIENCE,
      done: (open, session) => void showSaved(open.tab, session).catch(() => undefined),
      now: world.now,
      changed,
    },
  });

  return {
    onPort(port) {
      if (port.name === 'page') acceptPage(port);
      else if (port.name === 'panel' && isOwnPage(port.sender ?? {}, world.extensionId, world.origin)) {
        panels.add(port);
        link.wake();
      } else port.disconnect();
    },
    router: createRouter(panelVerbs(panelWorld, snapshots), world.extensionId, world.origin),
    refresh: changed,
    quiet: () => streams.count() === 0 && flights.count() === 0,
    granted: () => fulfil(wanted, { permitted: hasPermission, enable: (site) => enableSite(site, world.now()) }),
    tidy: () =>
      tidy({
        tidiedAt: box<number>(world.local, 'tidied'),
        pointer,
        retentionDays: async () => (await readSettings()).retentionDays,
        async records() {
          const [opened, of] = await Promise.all([store(), scope()]);
          return opened && of ? opened.list({ scope: of }) : [];
        },
        async forget(session) {
          const of = await scope();
          if (of) await sync.forget({ scope: of, session, site: null, at: world.now() });
        },
        now: world.now,
      }),
  };
}
