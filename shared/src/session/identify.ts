/**
 * Which conversation is this request? Gathers the evidence from the store, lets the pure rules decide, and says why.
 *
 * The ladder: not enough to identify (bypass), side requests, then `prefix`, then `new`. Each rung may only answer with evidence
 * of its own; falling through costs a raw resend. Nothing is stored here: the head moves when the response completes.
 */
import type { ScopeId, SessionId } from '#base/brand';
import type { Sha256 } from '#base/digest';
import { bypassOf } from '#chain/aside';
import { type Chains, continues } from '#chain/chain';
import { lineageOf } from '#chain/lineage';
import type { ClientSignal, Reason, Resolution } from '#chain/resolution';
import { type Candidate, resolve, type Underway, type Verdict } from '#chain/resolve';
import type { Exchange } from '#neutral/message';
import type { Asides } from './asides.ts';
import { knownPath, storedHeads } from './evidence.ts';
import { newId } from './new-id.ts';
import { isTogether, parentOf } from './parent.ts';
import type { SessionRecord } from './records.ts';
import { isSide } from './side.ts';
import type { SessionStore } from './store.ts';

/** A request under way, from its identification to its end. */
export interface Flight {
  readonly session: SessionId;
  /** The session's record when the request came; null while the session is newborn. */
  readonly record: SessionRecord | null;
  readonly chains: Chains;
  readonly document: string | null;
  /** The page conversation, when the request's signal had one. */
  readonly conversation?: string | null;
}

/** The requests under way. A request leaves the list only after its commit, so that its head is always seen in one of the two. */
export interface InFlight {
  list(scope: ScopeId): readonly Flight[];
}

export interface Identification {
  readonly store: SessionStore;
  readonly scope: ScopeId;
  readonly exchange: Exchange;
  readonly chains: Chains;
  readonly signal: ClientSignal | null;
  readonly inFlight: InFlight;
  readonly hash: Sha256;
  /** Kept by the shell from request to request (asides.ts); without it a conversation with small answers is never recognised. */
  readonly asides?: Asides;
  /** The configured window in tokens, where there is one: a request over its window is never side. */
  readonly configuredWindow?: number | null;
  /** Set where another store gives ids in the same scope (new-id.ts). */
  readonly realm?: string;
}

/**
 * The resolution of a request. Callers identify one request of a scope at a time and list it as under way before the next, or
 * two that come together could be given one id (the second commit would then be `stale`).
 */
export async function identify(input: Identification): Promise<Resolution> {
  const { store, scope, exchange, chains, signal } = input;
  const bypass = bypassOf(exchange, chains);
  if (bypass !== null) return untouched('bypass', bypass, chains);
  // Side rules that know the shape of a session's main requests (S2 to S4) and declared ids belong between here and `prefix`.
  if (await isSide(input)) return untouched('side', 'side-budget', chains);
  // The list is read before the store: a request that ends in between is then seen twice rather than not at all.
  const flights = input.inFlight.list(scope);
  const underway = await Promise.all(flights.map((flight) => underwayOf(flight, input)));
  const stored = await storedHeads(store, scope, chains, signal);
  const verdict = resolve({ chains, signal, stored, underway });
  if (verdict.kind === 'attach') return attached(verdict, chains);
  return opened(input, flights, verdict);
}

/** The flight with its session's heads of now, which matter only to a request that continues it. */
async function underwayOf(flight: Flight, { store, scope, chains }: Identification): Promise<Underway> {
  const { session, document, record } = flight;
  const now = continues(chains, flight.chains) ? await store.load(scope, session) : record;
  const conversation = flight.conversation ?? record?.conversation ?? null;
  return { session, chains: flight.chains, document, conversation, heads: (now ?? record)?.heads ?? null };
}

function untouched(via: 'bypass' | 'side', code: Reason['code'], chains: Chains): Resolution {
  const reason: Reason = { compared: 0, head: null, next: null, code };
  return { via, session: null, depth: 0, incoming: chains[2].links.length, domain: null, lineage: null, reason };
}

function attached(verdict: Extract<Verdict, { kind: 'attach' }>, chains: Chains): Resolution {
  const { winner, next, compared } = verdict;
  const incoming = chains[winner.domain].links.length;
  return {
    via: 'prefix',
    session: winner.session,
    depth: winner.depth,
    incoming,
    domain: winner.domain,
    lineage: null,
    reason: {
      compared,
      head: winner.head,
      // Its head ends there and the request goes on: that is where they part.
      next: next === null ? null : { session: next.session, depth: next.depth, differsAt: next.depth },
      code: winner.depth === incoming ? 'head-repeated' : 'head-extended',
    },
  };
}

async function opened(
  input: Identification,
  flights: readonly Flight[],
  verdict: Extract<Verdict, { kind: 'open' }>,
): Promise<Resolution> {
  const { store, scope, chains, signal, hash } = input;
  const path = await knownPath(store, scope, chains);
  const first = path === null ? null : await store.load(scope, path.session);
  const parent = path === null || first === null ? null : await parentOf(store, first, path, signal);
  const underway = flights.map((flight) => flight.session);
  const realm = input.realm === undefined ? {} : { realm: input.realm };
  const session = await newId({ store, scope, chain: chains[2], underway, hash, ...realm });
  return {
    via: 'new',
    session,
    depth: 0,
    incoming: chains[2].links.length,
    domain: null,
    lineage:
      path === null || parent === null ? null : lineageOf({ ...path, session: parent.session }, isTogether(parent, signal)),
    reason: {
      compared: verdict.compared,
      head: headNear(verdict.nearest, first, path?.domain ?? 2),
      next: path === null ? null : { session: path.session, depth: path.depth, differsAt: path.depth },
      code: verdict.code ?? (path === null ? 'nothing-known' : 'history-diverged'),
    },
  };
}

function headNear(nearest: Candidate | null, first: SessionRecord | null, domain: 2 | 3): Reason['head'] {
  return nearest?.head ?? first?.heads[domain].link ?? null;
}
