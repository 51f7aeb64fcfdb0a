/**
 * The one connection to the companion.
 *
 * Invariant: whatever an earlier life (before a restart) still does touches neither socket nor state nor pairing of this one.
 * Failure direction: a request never waits for it longer than its own budget. A companion that is known to be gone costs nothing
 * but a look at a variable; meanwhile the link tries again in the background.
 */
import { type BinaryFrame, parseBinary } from '@throughline/shared/protocol/binary';
import { parseCompanionFrame } from '@throughline/shared/protocol/codec';
import type { CompanionToExtension, ExtensionToCompanion } from '@throughline/shared/protocol/frames';
import type { CompanionState } from '../panel-messages.ts';
import type { Box } from './box.ts';
import { fitting } from './fitting.ts';
import { createLooking, type Looking } from './looking.ts';
import type { Pairing } from './pairing.ts';
import { createPulse } from './pulse.ts';
import { reach } from './reach.ts';
import type { Socket } from './socket.ts';
import { within } from './within.ts';

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
  /**
   * True as soon as the companion is connected; false when it is known to be gone or `ms` have passed, and already after `quick`
   * when nothing of ours has answered by then.
   */
  ready(ms: number, quick?: number): Promise<boolean>;
  /** Asks the companion for a sign of life. One that gives none counts as gone until it does. */
  alive(ms: number): Promise<boolean>;
  /** Something will soon need the companion: look for it now. */
  wake(): void;
  /** False when there is no connection, or the frame is too large for it: nothing was sent. */
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
  let looking = createLooking();
  const pulse = createPulse();
  let asked = 0;

  const become = (next: CompanionState) => {
    if (state === next) return;
    state = next;
    events.onState();
  };

  const lost = (old: Socket) => {
    if (socket !== old) return;
    socket = null;
    scope = null;
    pulse.beat();
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
    if (attempt) return attempt;
    const mine = era;
    looking = createLooking();
    const current = dial(mine, looking)
      .catch((): CompanionState => 'companion-off')
      .then((outcome) => {
        // Restarted meanwhile: who waited for this look waits for the new one.
        if (mine !== era) return socket ? true : connect();
        attempt = null;
        knownDead = outcome !== 'connected';
        failures = knownDead ? failures + 1 : 0;
        become(outcome);
        if (knownDead && outcome !== 'never-paired') later();
        return !knownDead;
      });
    attempt = current;
    return current;
  };

  const dial = async (mine: number, stage: Looking): Promise<CompanionState> => {
    const pairing = await world.pairings.get();
    if (!pairing) return 'never-paired';
    if (!knownDead && mine === era) become('connecting');
    if (!(await world.allowed())) return 'blocked-by-browser';
    const reached = await reach(pairing, world, stage);
    if (typeof reached === 'string') return reached;
    if (mine === era && (pairing.port !== reached.port || pairing.scope !== reached.scope)) {
      const kept = await world.pairings.get();
      if (kept?.key === pairing.key) await world.pairings.set({ ...pairing, port: reached.port, scope: reached.scope });
    }
    if (mine !== era) {
      reached.socket.close();
      return 'companion-off';
    }
    socket = reached.socket;
    port = reached.port;
    scope = reached.scope;
    events.onReady(reached);
    reached.socket.serve(
      (data) => {
        pulse.beat();
        hear(data);
      },
      () => lost(reached.socket),
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
      if (socket) return pulse.quiet();
      void connect();
      return knownDead;
    },
    wake() {
      if (!socket) void connect();
    },
    async ready(ms, quick = ms) {
      if (socket) return true;
      const trying = connect();
      if (knownDead) return false;
      const { asked: asking, heard } = looking;
      // Nothing there is learned fast; something that answers is worth the wait.
      const nobody = asking.then(() => within(heard, quick)).then((answered) => (answered ? trying : false));
      return (await within(Promise.race([trying, nobody]), ms)) || markDead();
    },
    async alive(ms) {
      const current = socket;
      if (!current) return false;
      asked += 1;
      const question = fitting({ t: 'inspect', id: asked, what: 'health' });
      const alive = await pulse.ask(
        () => question !== null && put(question),
        ms,
        () => {
          // Frozen for so long is gone: its requests are settled, and a new look is taken.
          current.close();
          lost(current);
        },
      );
      return alive && socket === current;
    },
    send(frame) {
      const text = fitting(frame);
      return text !== null && put(text);
    },
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
    if (socket) return true;
    knownDead = true;
    return false;
  }
}
