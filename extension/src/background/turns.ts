/**
 * One request of a page, step by step: may it be taken, what is it, which conversation is it, hand it over, relay the answer.
 *
 * Failure direction: open. Whatever goes wrong in here, or takes too long, happens before a byte was sent, so the page's own request goes out natively
 * with a code that says why. From the hand-over on, relay.ts decides.
 */
import type { Digest, ScopeId, SessionId } from '@throughline/shared/base/brand';
import { sha256 } from '@throughline/shared/base/digest';
import type { ClientSignal, Resolution } from '@throughline/shared/chain/resolution';
import type { Asides } from '@throughline/shared/session/asides';
import { fingerprint } from '@throughline/shared/session/fingerprint';
import { endingBefore, type Flights } from '@throughline/shared/session/flights';
import { identify } from '@throughline/shared/session/identify';
import type { SessionRecord } from '@throughline/shared/session/records';
import type { LedgerStore } from '../ledger/dexie-store.ts';
import type { PageRequest } from '../messages.ts';
import type { CompanionState, Settings } from '../panel-messages.ts';
import type { Answer } from './answer.ts';
import type { Bodies } from './bodies.ts';
import { gate, type SiteFacts } from './gate.ts';
import type { Lane } from './lane.ts';
import type { Link } from './link.ts';
import type { LiveTurns } from './live.ts';
import { type Patience, slack } from './patience.ts';
import { type ReadRequest, readRequest } from './read.ts';
import { relay, type Turn } from './relay.ts';
import type { Streams } from './streams.ts';
import type { Warm } from './warm.ts';
import { within } from './within.ts';

/** Longest wait of a request to learn that nothing listens where the companion should be. */
const DISCOVERY_MS = 150;
/** Longest wait for sessions that the companion is giving back after our store was lost. Shorter than the patience: a better reason. */
const RESTORE_MS = 1000;

/** Longest wait of a request for the end of one it goes on from. */
const ENDING_MS = 250;

export interface PageOpen {
  /** The sender's origin, from the browser, never from the message. */
  readonly site: string;
  readonly tab: number | null;
  readonly document: string;
  readonly conversation: string | null;
  readonly request: PageRequest;
  readonly body: Uint8Array;
  /** Names this request across a restart of the background: tab, frame and number. */
  readonly key: string;
}

export interface TurnWorld {
  readonly link: Link;
  readonly streams: Streams;
  readonly flights: Flights;
  /** Side requests of this background's life: one that is continued was the main line. */
  readonly asides: Asides;
  readonly bodies: Bodies;
  readonly warm: Warm;
  readonly lane: Lane;
  readonly live: LiveTurns;
  readonly store: () => Promise<LedgerStore | null>;
  /** True when nothing is being restored any more, false after `ms`. */
  readonly restored: (ms: number) => Promise<boolean>;
  /** The companion lacks this session, and it cannot be copied there. */
  readonly tooLarge: (session: SessionId) => boolean;
  readonly site: (origin: string) => Promise<SiteFacts | null>;
  readonly paused: (tab: number | null) => Promise<boolean>;
  readonly settings: () => Promise<Settings>;
  readonly noteSuccess: (site: string, upstream: string) => Promise<void>;
  /** This upstream wants the person's word before it may be used. */
  readonly ask: (site: string, origin: string) => void;
  /** Remembers a dispatched request until it is settled. */
  readonly noteDispatch: (open: PageOpen, session: SessionId, upstream: string) => void;
  /** A turn was committed. */
  readonly done: (open: PageOpen, session: SessionId) => void;
  readonly patience: Patience;
  readonly now: () => number;
  /** Something a panel shows changed. */
  readonly changed: () => void;
}

/** A turn that was handed over: how the page steers it from now on. */
export interface Steering {
  abort(): void;
  credit(bytes: number): void;
}

/** Takes the request or answers `native`. Never throws; settles `answer` exactly once, now or through the relay. */
export async function takeTurn(open: PageOpen, answer: Answer, world: TurnWorld): Promise<Steering | null> {
  try {
    const taken = await within(tryTake(open, answer, world), world.patience.own + slack(open.body.length));
    if (taken === null) answer.native('too-slow');
    if (typeof taken !== 'string') return taken;
    answer.native(taken);
  } catch {
    // Any exception up to here means that nothing was sent: the page's own request is still whole.
    answer.native('internal');
  }
  return null;
}

async function tryTake(open: PageOpen, answer: Answer, world: TurnWorld): Promise<Steering | string | null> {
  if (world.link.down()) return offCode(world.link.state());
  const connecting = world.link.ready(world.patience.own, DISCOVERY_MS);

  const [site, paused] = await Promise.all([world.site(open.site), world.paused(open.tab)]);
  const allowed = gate(open.site, open.request.url, site, paused);
  if (!allowed.ok) {
    if (allowed.ask) world.ask(open.site, allowed.ask);
    return allowed.code;
  }

  const understood = await readRequest(open.request, open.body);
  if (!understood.ok) return understood.code;
  const { read } = understood;

  if (!(await connecting)) return offCode(world.link.state());
  if (!(await world.restored(RESTORE_MS))) return world.link.scope() === null ? offCode(world.link.state()) : 'restoring';
  const scope = world.link.scope() as ScopeId | null;
  const store = await world.store();
  if (!scope || !store) return 'internal';
  const settings = await world.settings();

  const signal: ClientSignal = {
    site: open.site,
    document: open.document,
    ...(open.conversation === null ? {} : { conversation: open.conversation }),
  };
  const earlier = endingBefore(world.flights, scope, read.chains);
  const landings = earlier.map(({ session }) => new Promise<void>((done) => world.flights.whenLanded(session, done)));
  if (landings.length > 0) await within(Promise.all(landings), ENDING_MS);
  // A store that hangs holds up the first request only.
  if (world.lane.stuck(world.patience.own)) return 'too-slow';
  const found = await world.lane.run(async () => (answer.settled() ? null : attach(scope, store, read, signal, world)));
  if (found === null) return null;
  if (typeof found === 'string') return found;
  let flying = false;
  try {
    if (answer.settled()) return null;
    const turn: Turn = {
      ...found,
      scope,
      store,
      signal,
      read,
      open,
      origin: allowed.origin,
      approved: site?.upstreams ?? [],
      succeeded: allowed.succeeded,
      resend: site?.resend ?? settings.resend,
      at: world.now(),
    };
    const steering = relay(turn, answer, world);
    flying = typeof steering !== 'string';
    if (steering === 'link-busy' && world.link.scope() === null) return 'companion-off';
    return steering;
  } finally {
    if (!flying) found.landed();
  }
}

interface Attached {
  readonly session: SessionId;
  readonly record: SessionRecord | null;
  readonly print: Digest | null;
  readonly resolution: Resolution;
  /** The request is over: its session may be extended again. */
  readonly landed: () => void;
}

/** Says which session this is, and marks it as in flight before anyone else can ask. */
async function attach(
  scope: ScopeId,
  store: LedgerStore,
  { exchange, chains }: ReadRequest,
  signal: ClientSignal,
  world: TurnWorld,
): Promise<Attached | string> {
  const resolution = await identify({
    store,
    scope,
    exchange,
    chains,
    signal,
    inFlight: world.flights,
    asides: world.asides,
    hash: sha256,
  });
  if (resolution.via === 'side') return `side:${resolution.reason.code}`;
  if (resolution.via === 'bypass' || resolution.session === null) return resolution.reason.code;
  const { session } = resolution;
  if (world.tooLarge(session)) return 'session-too-large';
  const record = await store.load(scope, session);
  const print = record === null ? null : fingerprint(record, await store.blocks(scope, session), sha256);
  const landed = world.flights.add(scope, {
    session,
    record,
    chains,
    document: signal.document,
    conversation: signal.conversation ?? null,
  });
  return { session, record, print, resolution, landed };
}

/** The code for a request that found no companion. */
function offCode(state: CompanionState): string {
  return state === 'never-paired' ? 'not-paired' : 'companion-off';
}
