/**
 * The turns of one connection: open, body, credit, abort; each ends in exactly one of refused, error and end.
 *
 * No turn waits for another. Anything that goes wrong before `turn.dispatched` is `turn.refused` (the page's own request goes
 * out), anything after it is `turn.error`.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { BODY_LAST, CHUNK, parseBinary, renderBinary } from '@throughline/shared/protocol/binary';
import type { TurnOpen } from '@throughline/shared/protocol/frames';
import type { Config } from '../config.ts';
import type { Folder } from '../fold/folder.ts';
import { errorCode, type Log } from '../log.ts';
import type { Copy, Replica } from '../replica.ts';
import type { Line } from '../socket/gate.ts';
import type { Agents } from '../upstream/agents.ts';
import { upstreamHeaders } from '../upstream/headers.ts';
import { approvals, judgeUpstream } from '../upstream/rules.ts';
import type { Bodies } from './bodies.ts';
import type { Counters } from './counters.ts';
import { endOf } from './finish.ts';
import { type Delivered, type Forwarding, forward, type Sink } from './forward.ts';
import type { Limits } from './limits.ts';
import { type Prepared, prepare, type Refusal, refusal, understand } from './prepare.ts';
import type { Pulls } from './pulls.ts';
import { createReceiver, type Receiver } from './receive.ts';
import { record, type Sent } from './record.ts';
import type { Warm } from './warm.ts';

const MAX_STREAMS = 64;

export interface TurnDeps {
  readonly config: Config;
  readonly replica: Replica;
  readonly bodies: Bodies;
  readonly warm: Warm;
  readonly limits: Limits;
  readonly agents: Agents;
  readonly folder: Folder;
  readonly log: Log;
  readonly counters: Counters;
}

export interface TurnDesk {
  open(frame: TurnOpen): void;
  binary(bytes: Uint8Array): boolean;
  credit(stream: number, bytes: number): void;
  abort(stream: number): void;
  /** The connection is gone: every turn of it is aborted at the provider too. */
  closed(): void;
}

interface Turn {
  readonly open: TurnOpen;
  receiver: Receiver | null;
  forwarding: Forwarding | null;
  deliver: ((result: Delivered) => void) | null;
  dispatched: boolean;
  over: boolean;
}

const NO_USAGE = { fresh: null, cached: null, written: null, output: null };

export function createTurnDesk(line: Line, pulls: Pulls, deps: TurnDeps): TurnDesk {
  const turns = new Map<number, Turn>();
  const scope = line.proven.pairing.scope as ScopeId;

  const close = (turn: Turn): boolean => {
    if (turn.over) return false;
    turn.over = true;
    turns.delete(turn.open.stream);
    return true;
  };
  const refuse = (turn: Turn, { refused, message }: Refusal): void => {
    if (!close(turn)) return;
    deps.counters.count('refused');
    deps.log.info('turn-refused', { code: refused });
    line.send({ t: 'turn.refused', stream: turn.open.stream, code: refused, message });
  };
  const fail = (turn: Turn, code: string, side: 'upstream' | 'companion'): void => {
    if (!turn.dispatched) {
      const message = side === 'upstream' ? 'The provider could not be reached from the companion.' : 'The companion failed.';
      refuse(turn, refusal(side === 'upstream' ? 'upstream-unreachable' : 'companion-failed', `${message} (${code})`));
      return;
    }
    if (!close(turn)) return;
    deps.counters.count('failed');
    deps.log.info('turn-failed', { code, side });
    line.send({ t: 'turn.error', stream: turn.open.stream, code, message: 'The connection to the provider broke.', side });
  };

  const copyFor = async (turn: Turn): Promise<Copy | null | 'behind'> => {
    const { session, rev, print } = turn.open;
    const copy = await deps.replica.at(scope, session as SessionId, rev, print);
    if (copy !== 'behind') return copy;
    deps.counters.count('pulled');
    line.send({ t: 'session.pull', session });
    await pulls.wait(session);
    return deps.replica.at(scope, session as SessionId, rev, print);
  };

  /** The answer is there, as far as anybody will ever read it. */
  const deliver = (turn: Turn, sent: Sent, result: Delivered): void => {
    const { open, prepared } = sent;
    if (!close(turn)) return;
    deps.counters.count('turns');
    const end = endOf(open, prepared, result);
    deps.limits.learn(scope, open.session, prepared, result);
    line.send(end);
    if (end.outcome !== 'complete') return;
    // After the answer: writing and folding never stand between a chunk and the page.
    setImmediate(() => {
      record(scope, sent, end, deps).catch((error: unknown) => {
        deps.log.error('turn-not-recorded', { code: errorCode(error) });
      });
    });
  };

  const dispatch = (
    turn: Turn,
    { prepared, copy }: { prepared: Prepared; copy: Copy | null },
    target: { origin: string; path: string; reach: 'public' | 'local' | 'any' },
    headers: string[],
  ): void => {
    const { open } = turn;
    const { upstream } = deps.config;
    const dispatcher = deps.agents.for(target.reach);
    const request = {
      dispatcher,
      origin: target.origin,
      path: target.path,
      headers,
      firstByteMilliseconds: upstream.firstByteSeconds * 1000,
      idleMilliseconds: upstream.idleSeconds * 1000,
    };
    const sent: Sent = { open, prepared, copy, dispatcher, headers };
    turn.deliver = (result) => deliver(turn, sent, result);
    const { stream } = open;
    const sink: Sink = {
      head: (status, text, shown) =>
        line.send({ t: 'turn.head', stream, status, statusText: text.slice(0, 256), headers: shown }),
      chunk: (bytes) => line.sendBytes(renderBinary(CHUNK, stream, bytes)),
    };
    turn.forwarding = forward(prepared, request, sink, {
      dispatched() {
        turn.dispatched = true;
        const { blocks, tokens, note } = prepared;
        line.send({ t: 'turn.dispatched', stream, blocks: [...blocks], tokens, note });
      },
      delivered: turn.deliver,
      failed: (code) => fail(turn, code, 'upstream'),
    });
  };

  const run = async (turn: Turn, bytes: Uint8Array): Promise<void> => {
    const { open } = turn;
    const approved = approvals(deps.config.upstream.allow, open);
    const target = judgeUpstream(open.upstream.url, open.signal.site, approved);
    if (!target.ok) return refuse(turn, refusal(target.code, 'This upstream is not one the companion may call.'));
    if (open.upstream.method !== 'POST') return refuse(turn, refusal('method', 'Only POST requests are carried.'));
    const headers = upstreamHeaders(open.upstream.headers);
    if (headers === null) return refuse(turn, refusal('bad-header', 'A header of the request cannot be carried.'));
    const understood = understand(open, bytes);
    if ('refused' in understood) return refuse(turn, understood);
    const copy = await copyFor(turn);
    if (copy === 'behind') return refuse(turn, refusal('replica-behind', 'The companion has no current copy of this session.'));
    if (turn.over) return;
    const prepared = prepare(open, scope, understood, copy, deps);
    dispatch(turn, { prepared, copy }, target, headers);
  };

  const lastPiece = (turn: Turn, receiver: Receiver): void => {
    turn.receiver = null;
    const received = receiver.finish();
    if (received.kind === 'resync') {
      deps.counters.count('resynced');
      turn.receiver = createReceiver(turn.open, scope, deps.bodies, true);
      line.send({ t: 'turn.resync', stream: turn.open.stream });
    } else if (received.kind === 'refused') refuse(turn, refusal(received.code, 'The body did not arrive as announced.'));
    else run(turn, received.bytes).catch((error: unknown) => fail(turn, errorCode(error), 'companion'));
  };

  return {
    open(frame) {
      const before = turns.get(frame.stream);
      if (before !== undefined && before.receiver === null) {
        line.send({
          t: 'refused',
          code: 'stream-in-use',
          message: 'A stream number may be used again only after its turn ended.',
        });
        return;
      }
      const turn: Turn = { open: frame, receiver: null, forwarding: null, deliver: null, dispatched: false, over: false };
      turn.receiver = createReceiver(frame, scope, deps.bodies, false);
      if (before === undefined && turns.size >= MAX_STREAMS)
        return refuse(turn, refusal('too-many-streams', 'Too many requests at once.'));
      turns.set(frame.stream, turn);
    },
    binary(bytes) {
      const frame = parseBinary(bytes);
      if (frame === null) return false;
      const turn = turns.get(frame.stream);
      // Late pieces of a turn that was refused or aborted: nothing waits for them.
      if (turn === undefined || turn.receiver === null) return true;
      if (!turn.receiver.add(frame.payload)) refuse(turn, refusal('body-too-large', 'The body is larger than 64 MiB.'));
      else if (frame.kind === BODY_LAST) lastPiece(turn, turn.receiver);
      return true;
    },
    credit: (stream, bytes) => turns.get(stream)?.forwarding?.flow.credit(bytes),
    abort(stream) {
      const turn = turns.get(stream);
      if (turn === undefined) return;
      // Clients stop reading once they have seen the wire's own end, before the provider closes: that answer was delivered.
      const whole = turn.forwarding?.abort() ?? null;
      if (whole !== null && turn.deliver !== null) return turn.deliver(whole);
      close(turn);
      deps.counters.count('aborted');
      const nothing = { usage: NO_USAGE, tokens: { received: 0, sent: 0 }, resent: false, quarantine: [], window: null };
      line.send({ t: 'turn.end', stream, outcome: 'aborted', ...nothing });
    },
    closed() {
      for (const turn of [...turns.values()]) {
        close(turn);
        turn.forwarding?.abort();
      }
    },
  };
}
