/**
 * A turn that was handed to the companion, until it is settled.
 *
 * The rules of failure, decided here and nowhere else: not dispatched (also not in time) -> native; dispatched, nothing delivered and the companion
 * lost -> native once, counted (if the person allows resending); delivered -> an honest error. A slow upstream is waited for. A page
 * that leaves (clients do as soon as they have read the end they know) ends nothing but its own answer: what the turn came to is
 * heard from the companion.
 */
import type { Digest, ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { ClientSignal, Resolution } from '@throughline/shared/chain/resolution';
import type { TurnEnd } from '@throughline/shared/protocol/frames';
import type { SessionRecord } from '@throughline/shared/session/records';
import type { LedgerStore } from '../ledger/dexie-store.ts';
import type { Answer } from './answer.ts';
import { commitTurn, countDoubleBill } from './complete.ts';
import { sendBody, sendTurn } from './handover.ts';
import type { LiveEntry } from './live.ts';
import { slack } from './patience.ts';
import type { ReadRequest } from './read.ts';
import type { StreamFrame } from './streams.ts';
import type { PageOpen, Steering, TurnWorld } from './turns.ts';
import { within } from './within.ts';

const LOST = 'The connection to the companion was lost.';
/** The companion says this soon what became of a turn the page left. */
const LEFT_MS = 2_000;
/** The next request of a page that left an answer waits this long for what became of it: it continues that answer. */
const HOLD_MS = 250;

export interface Turn {
  readonly session: SessionId;
  readonly record: SessionRecord | null;
  /** What our copy of the session looks like; null for a birth. */
  readonly print: Digest | null;
  readonly resolution: Resolution;
  readonly landed: () => void;
  readonly scope: ScopeId;
  readonly store: LedgerStore;
  readonly signal: ClientSignal;
  readonly read: ReadRequest;
  readonly open: PageOpen;
  /** Upstream origin, and whether it ever answered us. */
  readonly origin: string;
  /** Local upstreams that the person approved for the site. */
  readonly approved: readonly string[];
  readonly succeeded: boolean;
  readonly resend: boolean;
  readonly at: number;
}

/** Sends the turn. The code when it could not be sent (nothing left that anyone could act on, the flight is over). */
export function relay(turn: Turn, answer: Answer, world: TurnWorld): Steering | 'too-many' | 'link-busy' {
  let live: LiveEntry | null = null;
  let dispatched = false;
  /** The page went away before the end. */
  let gone = false;
  let over = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let heard: ((end: TurnEnd | null) => void) | null = null;

  const unlist = () => {
    if (live !== null) world.live.remove(live);
    live = null;
    world.changed();
  };
  const leave = () => {
    over = true;
    if (timer !== null) clearTimeout(timer);
    world.streams.close(stream);
    unlist();
  };
  const finish = () => {
    leave();
    heard?.(null);
    turn.landed();
  };
  const tellAbort = () => void world.link.send({ t: 'turn.abort', stream });

  /** The companion failed us after the hand-over. */
  const companionFailed = () => {
    finish();
    if (!dispatched) answer.native('companion-off');
    else if (answer.headed() || !turn.resend) answer.error(LOST);
    else if (!answer.settled()) {
      answer.native('resent');
      void world.lane.run(() => countDoubleBill(turn.store, turn.scope, turn.session, world.now())).then(world.changed);
    }
  };

  /** Before the flight lands: whoever asks next is identified against the new head. */
  const store = async (end: TurnEnd) => {
    try {
      if (end.outcome === 'complete') await commitTurn(turn, end, world.warm);
    } finally {
      turn.landed();
      world.changed();
      world.done(turn.open, turn.session);
    }
  };
  const onEnd = (end: TurnEnd) => {
    leave();
    if (heard) heard(end);
    // In the lane before the page hears of the end.
    else void world.lane.run(() => store(end)).catch(() => undefined);
    if (end.outcome === 'aborted') answer.error('The request was cancelled.');
    else answer.end();
  };

  const after = (ms: number, then: () => void | Promise<void>) => {
    if (timer !== null) clearTimeout(timer);
    // Whatever breaks in a wait ends it: nobody is left waiting for a timer that failed.
    timer = setTimeout(() => void (async () => then())().catch(tooSlow), ms);
  };
  const tooSlow = () => {
    tellAbort();
    finish();
    answer.native('too-slow');
  };
  /** Nothing is at the provider yet, and nothing says that it ever will be. */
  const watch = () =>
    after(world.patience.handed + slack(turn.open.body.length), async () => {
      const alive = await world.link.alive(world.patience.probe);
      if (over || gone || dispatched) return;
      if (alive) after(world.patience.connect, tooSlow);
      else tooSlow();
    });

  const onHead = (frame: Extract<StreamFrame, { t: 'turn.head' }>) => {
    const { status } = frame;
    if (!gone && !turn.succeeded && (status === 401 || status === 403 || status === 407)) {
      tellAbort();
      finish();
      answer.native('auth-retry');
      return;
    }
    const success = status >= 200 && status < 300;
    if (success && !turn.succeeded) void world.noteSuccess(turn.open.site, turn.origin).catch(() => undefined);
    if (live !== null) live.phase = 'streaming';
    answer.head(status, frame.statusText, frame.headers);
    world.changed();
  };

  const onFrame = (frame: StreamFrame) => {
    switch (frame.t) {
      case 'turn.resync':
        if (gone || dispatched || !sendBody(world.link, stream, turn.open.body)) return;
        watch();
        return;
      case 'turn.refused':
        finish();
        answer.native(`companion-refused:${frame.code}`);
        return;
      case 'turn.dispatched':
        dispatched = true;
        if (timer !== null && !gone) clearTimeout(timer);
        world.bodies.put(turn.session, { digest: turn.read.digest, bytes: turn.open.body });
        if (gone) return;
        answer.dispatched(turn.resend);
        world.noteDispatch(turn.open, turn.session, turn.origin);
        world.changed();
        return;
      case 'turn.head':
        onHead(frame);
        return;
      case 'turn.end':
        onEnd(frame);
        return;
      case 'turn.error':
        if (frame.side === 'companion') companionFailed();
        else {
          finish();
          if (dispatched) answer.error('The connection to the provider was lost.');
          else answer.native('companion-refused:upstream');
        }
        return;
    }
  };

  const opened = world.streams.open({
    onFrame,
    onChunk(bytes) {
      if (live !== null) live.bytes += bytes.length;
      answer.chunk(bytes);
    },
    onLost: companionFailed,
  });
  if (opened === null) {
    turn.landed();
    return 'too-many';
  }
  const stream: number = opened;

  let sent = false;
  try {
    live = world.live.add({
      session: turn.session,
      site: turn.open.site,
      tab: turn.open.tab,
      phase: 'waiting',
      bytes: 0,
      startedAt: turn.at,
    });
    sent = sendTurn(turn, stream, world);
  } finally {
    if (!sent) finish();
  }
  if (!sent) {
    // Part of it may have arrived.
    tellAbort();
    return 'link-busy';
  }
  watch();
  world.changed();
  return {
    abort() {
      if (gone || over) return;
      gone = true;
      tellAbort();
      answer.drop();
      unlist();
      after(LEFT_MS, finish);
      if (!answer.headed()) return;
      const ended = new Promise<TurnEnd | null>((resolve) => {
        heard = resolve;
      });
      void world.lane
        .run(async () => {
          const end = await within(ended, HOLD_MS);
          heard = null;
          if (end) await store(end);
        })
        .catch(() => undefined);
    },
    credit(bytes) {
      if (!gone && !over) world.link.send({ t: 'turn.credit', stream, bytes });
    },
  };
}
