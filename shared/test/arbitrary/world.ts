/**
 * The smallest shell around `identify`: a store, a clock that ticks and the requests under way. It writes what a completed
 * request writes, and nothing else.
 */
import type { ScopeId, SessionId } from '#base/brand';
import { drive } from '#base/digest';
import { type Chains, chainsOf } from '#chain/chain';
import type { ClientSignal, Resolution } from '#chain/resolution';
import type { Exchange } from '#neutral/message';
import { createAsides } from '#session/asides';
import { type Flight, identify } from '#session/identify';
import { createMemoryStore } from '#session/memory-store';
import type { SessionStore } from '#session/store';
import { type ExchangeSketch, exchange, type MessageSketch } from './exchange.ts';
import { nativeSha256 } from './hash.ts';
import { commitOf, recordOf, SCOPE } from './records.ts';

export interface AskOptions extends ExchangeSketch {
  readonly signal?: ClientSignal;
  readonly scope?: ScopeId;
}

export interface Started {
  readonly resolution: Resolution;
  readonly chains: Chains;
  /** The response completed: the head moves. */
  complete(): Promise<void>;
  /** Aborted or failed: nothing is written. */
  fail(): void;
}

export interface World {
  readonly store: SessionStore;
  start(messages: readonly MessageSketch[], options?: AskOptions): Promise<Started>;
  /** Starts and completes. */
  ask(messages: readonly MessageSketch[], options?: AskOptions): Promise<Resolution>;
  /** The same for a request that a wire has parsed. */
  askExchange(asked: Exchange, options?: Pick<AskOptions, 'signal' | 'scope'>): Promise<Resolution>;
}

/** A page instance on a site; the conversation is one that the page shows. */
export function page(document: string, conversation?: string, site = 'https://chat.example'): ClientSignal {
  return { site, document, ...(conversation === undefined ? {} : { conversation }) };
}

/** A world with an empty store. `withLineage: false` writes every record without its lineage. */
export function createWorld(settings: { readonly store?: SessionStore; readonly withLineage?: boolean } = {}): World {
  const store = settings.store ?? createMemoryStore();
  const asides = createAsides();
  let flights: { scope: ScopeId; flight: Flight }[] = [];
  let clock = 1_000;

  const startExchange = async (asked: Exchange, options: AskOptions = {}): Promise<Started> => {
    const { signal = null, scope = SCOPE } = options;
    const chains = drive(chainsOf(asked), nativeSha256);
    const inFlight = { list: (of: ScopeId) => flights.filter((one) => one.scope === of).map((one) => one.flight) };
    const resolution = await identify({ store, scope, exchange: asked, chains, signal, inFlight, hash: nativeSha256, asides });
    const { session } = resolution;
    if (session === null) return { resolution, chains, complete: async () => undefined, fail: () => undefined };
    const entry = {
      scope,
      flight: { session, record: await store.load(scope, session), chains, document: signal?.document ?? null },
    };
    flights.push(entry);
    const end = (): void => {
      flights = flights.filter((one) => one !== entry);
    };
    return {
      resolution,
      chains,
      fail: end,
      async complete() {
        await write(scope, session, chains, resolution, signal);
        end();
      },
    };
  };

  const write = async (
    scope: ScopeId,
    session: SessionId,
    chains: Chains,
    resolution: Resolution,
    signal: ClientSignal | null,
  ): Promise<void> => {
    const stored = await store.load(scope, session);
    clock += 1;
    const record = recordOf(session, chains, {
      scope,
      rev: (stored?.rev ?? 0) + 1,
      site: signal?.site ?? null,
      document: signal?.document ?? null,
      conversation: signal?.conversation ?? null,
      createdAt: stored?.createdAt ?? clock,
      usedAt: clock,
      lineage: settings.withLineage === false ? null : (stored?.lineage ?? resolution.lineage),
    });
    const answer = await store.commit(commitOf(record, chains));
    if (answer !== 'committed') throw new Error(`the commit answered ${answer}`);
  };

  const start = (messages: readonly MessageSketch[], options: AskOptions = {}): Promise<Started> => {
    const { signal: _signal, scope: _scope, ...sketch } = options;
    return startExchange(exchange(messages, sketch), options);
  };

  return {
    store,
    start,
    async ask(messages, options) {
      const started = await start(messages, options);
      await started.complete();
      return started.resolution;
    },
    async askExchange(asked, options) {
      const started = await startExchange(asked, options);
      await started.complete();
      return started.resolution;
    },
  };
}
