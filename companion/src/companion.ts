/**
 * The composition root: everything the companion is made of, put together once, in one place, and taken apart in order.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { createAsides } from '@throughline/shared/session/asides';
import { createFlights } from '@throughline/shared/session/flights';
import { createMemoryStore } from '@throughline/shared/session/memory-store';
import type { SessionStore } from '@throughline/shared/session/store';
import { watchAsked } from './acts/asked.ts';
import { ownedActs } from './acts/owned.ts';
import { perform } from './acts/perform.ts';
import { buildApp, listen } from './app.ts';
import type { Config } from './config.ts';
import type { DataFiles } from './files.ts';
import { createFolder, type Folder } from './fold/folder.ts';
import { extensionOwner, ownHands } from './fold/owner.ts';
import { sameSecret } from './hash.ts';
import { createStats } from './http/stats.ts';
import { createAttach } from './lane/attach.ts';
import { createBirths } from './lane/births.ts';
import { openLaneKeys } from './lane/keys.ts';
import { type LaneWorld, serveLane } from './lane/lane.ts';
import { type Log, oncePer } from './log.ts';
import { createDesk } from './pairing/desk.ts';
import { apiKey, companionIdentity } from './pairing/keys.ts';
import { openPairings, type Pairings } from './pairing/pairings.ts';
import { createSecrets, type Secrets } from './pairing/secrets.ts';
import { createReplica } from './replica.ts';
import { startRetention } from './retention.ts';
import { createGate, type Line } from './socket/gate.ts';
import { openLane } from './socket/lane.ts';
import { openDatabase } from './store/open.ts';
import { createSqliteStore, type SqliteStore } from './store/sqlite.ts';
import { createBodies } from './turn/bodies.ts';
import { createCounters } from './turn/counters.ts';
import { createLimits } from './turn/limits.ts';
import { createWarm } from './turn/warm.ts';
import { createAgents, type ResolveAll } from './upstream/agents.ts';

export interface CompanionOptions {
  readonly config: Config;
  readonly files: DataFiles;
  readonly ephemeral: boolean;
  readonly ports: readonly number[];
  readonly log: Log;
  readonly now: () => number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Tests only: another resolver, shorter waits. */
  readonly resolve?: ResolveAll;
  readonly pullMilliseconds?: number;
  readonly unprovenMilliseconds?: number;
  readonly silenceMilliseconds?: number;
}

export interface Companion {
  readonly port: number;
  readonly companionId: string;
  readonly pairings: Pairings;
  readonly secrets: Secrets;
  readonly store: SessionStore;
  /** Every registered HTTP route, as `METHOD path`. */
  readonly routes: readonly string[];
  close(): Promise<void>;
}

/** What is kept in memory only needs no retention: it ends with the process. */
function openStore(options: CompanionOptions): SessionStore | SqliteStore {
  if (options.ephemeral) return createMemoryStore();
  const { database, setAside } = openDatabase(options.files.database, options.now);
  if (setAside !== null) options.log.error('store-corrupt-set-aside');
  return createSqliteStore(database);
}

export async function startCompanion(options: CompanionOptions): Promise<Companion> {
  const { config, files, log, now } = options;
  const companionId = companionIdentity(files);
  const key = apiKey(files);
  const pairings = openPairings(files.pairings);
  const lanes = openLaneKeys(files.lanes);
  const secrets = createSecrets(files.pairing, now);
  const store = openStore(options);
  const replica = createReplica(store, log, oncePer(60_000, now));
  const days = config.retentionDays;
  const stopRetention = 'expire' in store ? await startRetention({ store, replica, days, log, now }) : () => undefined;
  const agents = createAgents({
    environment: options.environment,
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
  });
  const counters = createCounters();
  const lines = new Set<Line>();
  const lineOf = (scope: ScopeId): Line | null =>
    [...lines].filter((line) => line.proven.pairing.scope === scope).at(-1) ?? null;
  const folder: Folder = createFolder({
    config,
    replica,
    log,
    counters,
    now,
    ownerOf(scope, here) {
      const line = here ? null : lineOf(scope);
      if (line !== null) return extensionOwner(line);
      if (!here) return null;
      const dropped = (session: SessionId, block: string, code: string): void => folder.dropped(scope, session, block, code);
      return ownHands({ scope, replica, now, log, committed: folder.committed, dropped });
    },
  });
  /** Those of browsers, also before they hold anything, and those of whoever else left conversations here. */
  const scopes = (): readonly string[] => [
    ...new Set([...pairings.scopes(), ...lanes.list().map((one) => one.scope), ...('scopes' in store ? store.scopes() : [])]),
  ];
  const stats = createStats({
    ...{ store, scopes, counters, startedAt: now() },
    pairings: () => pairings.list().length,
    connections: () => lines.size,
  });

  let port = 0;
  const bodies = createBodies();
  const warm = createWarm();
  const limits = createLimits();
  const gate = createGate({
    pairings,
    companionId,
    port: () => port,
    log,
    ...(options.unprovenMilliseconds === undefined ? {} : { unprovenMilliseconds: options.unprovenMilliseconds }),
    open: (line) =>
      openLane(line, {
        ...{ config, replica, bodies, warm, limits, agents, folder, log, counters, store, pairings, stats, lines },
        ...(options.pullMilliseconds === undefined ? {} : { pullMilliseconds: options.pullMilliseconds }),
      }),
  });
  const owned = { replica, folder, bodies, warm, limits, lines, pairings };
  const stopActs = watchAsked({
    files,
    log,
    perform: (wanted) => perform(wanted, { files, store, scopes, retentionDays: days, now, ...ownedActs(owned) }),
  });
  const laneWorld: LaneWorld = {
    ...{ config, replica, bodies, warm, limits, agents, folder, log, counters, store, now },
    keys: lanes,
    port: () => port,
    births: createBirths(),
    attach: createAttach({ store, flights: createFlights(), asides: createAsides() }),
    ...(options.silenceMilliseconds === undefined ? {} : { silence: options.silenceMilliseconds }),
  };
  const desk = createDesk({ companionId, secrets, pairings, log, now, dropClient: gate.dropClient });
  const routes: string[] = [];
  const app = buildApp({
    world: {
      port: () => port,
      isPairedOrigin: pairings.isPairedOrigin,
      isApiKey: (given) => sameSecret(given, key),
      laneKey: lanes.find,
    },
    log,
    health: { companionId },
    pair: { desk, port: () => port },
    api: { store, scopes, stats },
    lane: (request, response) => void serveLane(request, response, laneWorld),
    socket: gate.accept,
    onRoute: (route) => routes.push(route),
  });
  port = await listen(app, options.ports);
  return {
    port,
    companionId,
    pairings,
    secrets,
    store,
    routes,
    async close() {
      stopRetention();
      await stopActs();
      folder.close();
      gate.close();
      // Listening was started on the server itself, so stopping is too.
      const stopped = new Promise<void>((resolve) => app.server.close(() => resolve()));
      app.server.closeAllConnections();
      await stopped;
      await app.close();
      await agents.close();
      await replica.settled();
      await store.close();
    },
  };
}
