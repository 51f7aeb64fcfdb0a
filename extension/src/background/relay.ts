/**
 * A turn that was handed to the companion, until it is settled.
 *
 * The three rules of failure, decided here and nowhere else: not dispatched -> native; dispatched, nothing delivered and the companion
 * lost -> native once, counted (if the person allows resending); delivered -> an honest error. A slow upstream is waited for.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Chain } from '@throughline/shared/chain/chain';
import type { ClientSignal, Resolution } from '@throughline/shared/chain/resolution';
import { BODY_LAST, BODY_PIECE, renderBinary } from '@throughline/shared/protocol/binary';
import { computeDelta, deltaMiddle } from '@throughline/shared/protocol/delta';
import type { SessionRecord } from '@throughline/shared/session/records';
import type { LedgerStore } from '../ledger/dexie-store.ts';
import type { Answer } from './answer.ts';
import { commitTurn, countDoubleBill } from './complete.ts';
import type { ReadRequest } from './read.ts';
import type { StreamFrame } from './streams.ts';
import type { PageOpen, Steering, TurnWorld } from './turns.ts';

const PIECE = 1024 * 1024;
/** A delta that saves less than this is not worth a lookup on the other side. */
const WORTH = 512;
const LOST = 'The connection to the companion was lost.';

export interface Turn {
  readonly session: SessionId;
  readonly record: SessionRecord | null;
  readonly resolution: Resolution;
  readonly landed: () => void;
  readonly scope: ScopeId;
  readonly store: LedgerStore;
  readonly signal: ClientSignal;
  readonly read: ReadRequest;
  readonly open: PageOpen;
  /** Upstream origin, and whether it ever answered us. */
  readonly origin: string;
  readonly succeeded: boolean;
  readonly resend: boolean;
  readonly at: number;
}

/** Sends the turn. Null when it could not be sent (nothing left, the flight is over). */
export function relay(turn: Turn, answer: Answer, world: TurnWorld): Steering | null {
  const live = world.live.add({
    session: turn.session,
    site: turn.open.site,
    tab: turn.open.tab,
    phase: 'waiting',
    bytes: 0,
    startedAt: turn.at,
  });
  let dispatched = false;

  const leave = () => {
    if (stream !== null) world.streams.close(stream);
    world.live.remove(live);
    world.changed();
  };
  const over = () => {
    leave();
    turn.landed();
  };
  /** The companion failed us after the hand-over. */
  const companionFailed = () => {
    over();
    if (!dispatched) answer.native('companion-off');
    else if (answer.headed() || !turn.resend) answer.error(LOST);
    else if (!answer.settled()) {
      answer.native('resent');
      void world.lane.run(() => countDoubleBill(turn.store, turn.scope, turn.session, world.now())).then(world.changed);
    }
  };

  const onFrame = (frame: StreamFrame) => {
    switch (frame.t) {
      case 'turn.resync':
        sendBody(turn.open.body);
        return;
      case 'turn.refused':
        over();
        answer.native(`companion-refused:${frame.code}`);
        return;
      case 'turn.dispatched':
        dispatched = true;
        world.bodies.put(turn.session, { digest: turn.read.digest, bytes: turn.open.body });
        answer.dispatched(turn.resend);
        world.noteDispatch(turn.open, turn.session, turn.origin);
        world.changed();
        return;
      case 'turn.head':
        if (!turn.succeeded && (frame.status === 401 || frame.status === 403 || frame.status === 407)) {
          if (stream !== null) world.link.send({ t: 'turn.abort', stream });
          over();
          answer.native('auth-retry');
          return;
        }
        if (!turn.succeeded) void world.noteSuccess(turn.open.site, turn.origin).catch(() => undefined);
        live.phase = 'streaming';
        answer.head(frame.status, frame.statusText, frame.headers);
        world.changed();
        return;
      case 'turn.end':
        leave();
        // In the lane before the page hears of the end: its next request is then identified against the new head.
        void world.lane
          .run(() => (frame.outcome === 'complete' ? commitTurn(turn, frame) : Promise.resolve()))
          .catch(() => undefined)
          .then(() => {
            turn.landed();
            world.changed();
            world.done(turn.open, turn.session);
          });
        if (frame.outcome === 'aborted') answer.error('The request was cancelled.');
        else answer.end();
        return;
      case 'turn.error':
        if (frame.side === 'companion') companionFailed();
        else {
          over();
          if (dispatched) answer.error('The connection to the provider was lost.');
          else answer.native('companion-refused:upstream');
        }
        return;
    }
  };

  const stream = world.streams.open({
    onFrame,
    onChunk(bytes) {
      live.bytes += bytes.length;
      answer.chunk(bytes);
    },
    onLost: companionFailed,
  });

  const sendBody = (bytes: Uint8Array): boolean => {
    if (stream === null) return false;
    let at = 0;
    for (; bytes.length - at > PIECE; at += PIECE) {
      if (!world.link.sendBytes(renderBinary(BODY_PIECE, stream, bytes.subarray(at, at + PIECE)))) return false;
    }
    return world.link.sendBytes(renderBinary(BODY_LAST, stream, bytes.subarray(at)));
  };

  const send = (): boolean => {
    if (stream === null) return false;
    const { body } = turn.open;
    const last = world.bodies.get(turn.session);
    const delta = last ? computeDelta(last.bytes, body) : null;
    const base = last && delta && delta.prefix + delta.suffix >= WORTH ? { digest: last.digest, ...delta } : null;
    const sent = world.link.send({
      t: 'turn.open',
      stream,
      session: turn.session,
      rev: turn.record?.rev ?? 0,
      wire: turn.read.exchange.wire,
      resolution: { ...turn.resolution, via: turn.resolution.via as 'declared' | 'prefix' | 'signal' | 'new' },
      heads: { 2: headOf(turn.read.chains[2]), 3: headOf(turn.read.chains[3]) },
      signal: { ...turn.signal },
      upstream: {
        url: turn.open.request.url,
        method: turn.open.request.method,
        headers: turn.open.request.headers.map(([name, value]) => [name, value]),
      },
      body: { digest: turn.read.digest, length: body.length },
      base,
      fold: turn.record?.mode ?? 'auto',
      at: turn.at,
    });
    return sent && sendBody(base && delta ? deltaMiddle(body, delta) : body);
  };

  let sent = false;
  try {
    sent = send();
  } finally {
    if (!sent) over();
  }
  if (!sent) return null;
  world.changed();
  return {
    abort() {
      if (answer.settled()) return;
      if (stream !== null) world.link.send({ t: 'turn.abort', stream });
      over();
      answer.drop();
    },
    credit(bytes) {
      if (stream !== null && !answer.settled()) world.link.send({ t: 'turn.credit', stream, bytes });
    },
  };
}

function headOf(chain: Chain): { readonly link: string; readonly depth: number } {
  return { link: chain.links.at(-1) ?? '', depth: chain.links.length };
}
