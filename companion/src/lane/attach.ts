/**
 * Which conversation a request of the lane is: the same resolver as the extension's, on this companion's own store.
 *
 * One request of a scope is identified at a time and listed as under way before the next is looked at. A request that goes on from one
 * whose answer is just ending waits a moment for it, so that it meets the new head. On a scope shared with a browser only conversations
 * born on this lane are gone on with: each session has one owner.
 */
import type { ScopeId } from '@throughline/shared/base/brand';
import type { Chains } from '@throughline/shared/chain/chain';
import type { Resolution } from '@throughline/shared/chain/resolution';
import type { Exchange } from '@throughline/shared/neutral/message';
import type { Asides } from '@throughline/shared/session/asides';
import { endingBefore, type Flights } from '@throughline/shared/session/flights';
import { identify } from '@throughline/shared/session/identify';
import type { SessionStore } from '@throughline/shared/session/store';
import { nodeSha256 } from '../hash.ts';
import { isOfPage } from '../socket/restore.ts';

/** SDKs ask on as soon as they have read the end they know, before the provider closes. */
const HOLD_MILLISECONDS = 250;

export interface AttachWorld {
  readonly store: SessionStore;
  readonly flights: Flights;
  readonly asides: Asides;
}

export interface Attached {
  readonly resolution: Resolution;
  /** The request is over: its session may be extended again. */
  readonly landed: () => void;
}

export interface Question {
  readonly scope: ScopeId;
  readonly exchange: Exchange;
  readonly chains: Chains;
  readonly configuredWindow: number | null;
  /** The scope is a browser's too. */
  readonly shared: boolean;
  /** The last word on the resolution, before the request is under way. */
  readonly finish: (resolution: Resolution) => Promise<Resolution>;
}

/** A function that attaches requests, one of a scope after the other. */
export function createAttach(world: AttachWorld): (question: Question) => Promise<Attached> {
  const queues = new Map<ScopeId, Promise<unknown>>();
  const own: SessionStore = {
    ...world.store,
    heads: async (...asked) => (await world.store.heads(...asked)).filter((hit) => !isOfPage(hit.record)),
  };

  const attach = async ({ scope, exchange, chains, configuredWindow, shared, finish }: Question): Promise<Attached> => {
    const store = shared ? own : world.store;
    const found = await identify({
      ...{ store, scope, exchange, chains, configuredWindow },
      // The browser gives ids in this scope too, and does not see ours.
      ...(shared ? { realm: 'lane' } : {}),
      signal: null,
      inFlight: world.flights,
      asides: world.asides,
      hash: nodeSha256,
    });
    if (found.session === null) return { resolution: found, landed: () => undefined };
    const resolution = await finish(found);
    const record = await world.store.load(scope, found.session);
    const landed = world.flights.add(scope, { session: found.session, record, chains, document: null });
    return { resolution, landed };
  };

  return async (question) => {
    const { scope, chains } = question;
    await ending(world.flights, scope, chains);
    const before = queues.get(scope) ?? Promise.resolve();
    const next = before.then(
      () => attach(question),
      () => attach(question),
    );
    queues.set(scope, next);
    const clear = (): void => {
      if (queues.get(scope) === next) queues.delete(scope);
    };
    next.then(clear, clear);
    return next;
  };
}

/** Resolves when no request is under way that this one goes on from, or after a moment. */
async function ending(flights: Flights, scope: ScopeId, chains: Chains): Promise<void> {
  await Promise.all(
    endingBefore(flights, scope, chains).map(
      (flight) =>
        new Promise<void>((resolve) => {
          setTimeout(resolve, HOLD_MILLISECONDS);
          flights.whenLanded(flight.session, resolve);
        }),
    ),
  );
}
