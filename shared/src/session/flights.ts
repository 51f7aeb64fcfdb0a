/**
 * Requests under way: who may extend which head. Identity asks it before it hands a session to a second request at once.
 */
import type { ScopeId, SessionId } from '#base/brand';
import { type Chains, continues } from '#chain/chain';
import type { Flight, InFlight } from './identify.ts';

export interface Flights extends InFlight {
  /** Lists the request as under way until the returned function is called. */
  add(scope: ScopeId, flight: Flight): () => void;
  has(session: SessionId): boolean;
  count(): number;
  /** Called when the last request of that session landed; at once when there is none. */
  whenLanded(session: SessionId, then: () => void): void;
}

/** Nothing is under way. One per process is enough: scopes are kept apart. */
export function createFlights(): Flights {
  const flying = new Set<{ readonly scope: ScopeId; readonly flight: Flight }>();
  const waiting = new Map<SessionId, (() => void)[]>();
  const has = (session: SessionId) => [...flying].some((entry) => entry.flight.session === session);
  return {
    list: (scope) => [...flying].filter((entry) => entry.scope === scope).map((entry) => entry.flight),
    add(scope, flight) {
      const entry = { scope, flight };
      flying.add(entry);
      return () => {
        if (!flying.delete(entry) || has(flight.session)) return;
        const then = waiting.get(flight.session) ?? [];
        waiting.delete(flight.session);
        for (const call of then) call();
      };
    },
    has,
    count: () => flying.size,
    whenLanded(session, then) {
      if (!has(session)) then();
      else waiting.set(session, [...(waiting.get(session) ?? []), then]);
    },
  };
}

/**
 * Requests under way that this one goes on from: it holds their answers already, so their ends are a moment away (clients ask on as
 * soon as they have read the end they know). Who waits for them meets the new head.
 */
export function endingBefore(flights: InFlight, scope: ScopeId, chains: Chains): readonly Flight[] {
  return flights.list(scope).filter((flight) => {
    const goesOn = chains[2].links.length > flight.chains[2].links.length;
    return goesOn && continues(chains, flight.chains);
  });
}
