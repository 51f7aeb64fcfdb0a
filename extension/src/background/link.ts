/**
 * The one connection to the companion.
 *
 * Failure direction: a request never waits for it longer than its own budget. A companion that is known to be gone costs nothing
 * but a look at a variable; meanwhile the link tries again in the background.
 */
import { type BinaryFrame, parseBinary } from '@throughline/shared/protocol/binary';
import { parseCompanionFrame, renderFrame } from '@throughline/shared/protocol/codec';
import type { CompanionToExtension, ExtensionToCompanion } from '@throughline/shared/protocol/frames';
import type { CompanionState } from '../panel-messages.ts';
import type { Box } from './box.ts';
import { discover } from './discovery.ts';
import { handshake } from './handshake.ts';
import type { Pairing } from './pairing.ts';
import { openSocket, type Socket } from './socket.ts';
import { within } from './within.ts';

const HANDSHAKE_MS = 3000;
const RETRY_MS = [500, 1000, 2000, 4000, 5000];

export interface LinkWorld {
  readonly pairings: Box<Pairing>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly socket: (url: string) => WebSocket;
  readonly origin: string;
  readonly version: string;
  /** Store id and number of sessions, for hello. */
  readonly store: () => Promise<{ readonly id: string; readonly sessions: number }>;
  /** False when the browser does not let us reach 127.0.0.1. */
  readonly allowed: () => Promise<boolean>;
  /** While true, a lost companion is looked for on our own. */
  readonly wanted: () => boolean;
}

export interface LinkEvents {
  onReady(ready: { readonly scope: string; readonly restore: number }): void;
  onFrame(frame: CompanionToExtension): void;
  onBytes(frame: BinaryFrame): void;
  onLost(): void;
  onState(): void;
}

export interface Link {
  state(): CompanionState;
  port(): number | null;
  scope(): string | null;
  /** True when the companion is known to be gone; starts another look for it. Costs no time. */
  down(): boolean;
  /** True as soon as the companion is connected; false when it is known to be gone or `ms` have passed. */
  ready(ms: number): Promise<boolean>;
  /** Something will soon need the companion: look for it now. */
  wake(): void;
  /** False when there is no connection: nothing was sent. */
  send(frame: ExtensionToCompanion): boolean;
  sendBytes(bytes: Uint8Array): boolean;
  /** Forgets what is known (paired, unpaired) and connects anew. */
  restart(): void;
}

export function createLink(world: LinkWorld, events: LinkEvents): Link {
  let socket: Socket | null = null;
  let state: CompanionState = 'connecting';
  let port: number | null = null;
  let scope: string | null = null;
  let attempt: Promise<boolean> | null = null;
  let knownDead = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let era = 0;

  const become = (next: CompanionState) => {
    if (state === next) return;
    state = next;
    events.onState();
  };

  const lost = (old: Socket) => {
    if (socket !== old) return;
    socket = null;
    scope = null;
    become('companion-off');
    events.onLost();
    later();
  };

  const later = () => {
    if (timer !== null || !world.wanted()) return;
    timer = setTimeout(
      () => {
        timer = null;
        if (!socket && world.wanted()) void connect();
      },
      RETRY_MS[Math.min(failures, RETRY_MS.length - 1)],
    );
  };

  const connect = (): Promise<boolean> => {
    attempt ??= dial(era)
      .catch((): CompanionState => 'companion-off')
      .then((outcome) => {
        attempt = null;
        knownDead = outcome !== 'connected';
        failures = knownDead ? failures + 1 : 0;
        become(outcome);
        if (knownDead && outcome !== 'never-paired') later();
        return !knownDead;
      });
    return attempt;
  };

  const dial = async (mine: number): Promise<CompanionState> => {
    const pairing = await world.pairings.get();
    if (!pairing) return 'never-paired';
    // Where it should be, also while something else is there.
    port = pairing.port;
    if (!knownDead) become('connecting');
    if (!(await world.allowed())) return 'blocked-by-browser';
    const found = await discover(pairing, world.fetch);
    if (found.kind !== 'found') return found.kind;
    const opened = await within(openSocket(world.socket(`ws://127.0.0.1:${found.port}/socket`)), HANDSHAKE_MS);
    if (!opened) return 'companion-off';
    const store = await world.store();
    const result = await within(
      handshake({
        socket: opened,
        pairing,
        port: found.port,
        origin: world.origin,
        version: world.version,
        store: store.id,
        sessions: store.sessions,
      }),
      HANDSHAKE_MS,
    );
    if (!result?.ok || mine !== era) {
      opened.close();
      return result && !result.ok ? result.code : 'companion-off';
    }
    if (pairing.port !== found.port || pairing.scope !== result.scope)
      await world.pairings.set({ ...pairing, port: found.port, scope: result.scope });
    socket = opened;
    port = found.port;
    scope = result.scope;
    events.onReady({ scope: result.scope, restore: result.restore });
    opened.serve(
      (data) => hear(data),
      () => lost(opened),
    );
    return socket === null ? 'companion-off' : 'connected';
  };

  const hear = (data: string | Uint8Array) => {
    if (typeof data === 'string') {
      const parsed = parseCompanionFrame(data);
      // A frame we do not understand is refused by not acting on it: the stream it belongs to times out or ends honestly.
      if (parsed.ok) events.onFrame(parsed.frame);
      return;
    }
    const frame = parseBinary(data);
    if (frame) events.onBytes(frame);
  };

  const put = (data: string | Uint8Array): boolean => {
    if (!socket) return false;
    try {
      socket.send(data);
      return true;
    } catch {
      // Closing: the close event reports the loss.
      return false;
    }
  };

  return {
    state: () => state,
    port: () => port,
    scope: () => scope,
    down() {
      if (socket) return false;
      void connect();
      return knownDead;
    },
    wake() {
      if (!socket) void connect();
    },
    async ready(ms) {
      if (socket) return true;
      const trying = connect();
      if (knownDead) return false;
      return (await within(trying, ms)) ?? markDead();
    },
    send: (frame) => put(renderFrame(frame)),
    sendBytes: put,
    restart() {
      era += 1;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      knownDead = false;
      failures = 0;
      attempt = null;
      const old = socket;
      if (old) {
        old.close();
        lost(old);
      }
      void connect();
    },
  };

  /** Slow discovery: until it succeeds, further requests do not wait for it. */
  function markDead(): boolean {
    knownDead = true;
    return false;
  }
}
