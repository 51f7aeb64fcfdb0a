/**
 * One turn of the http lane, whose sessions this companion owns: attach, fold, forward, commit.
 *
 * Failure direction: what goes wrong before the request went out sends it as its client wrote it (`false` from `run`); behind that the
 * client gets the provider's own answer or a broken connection. The turn is written before the client hears the end, so its next
 * request meets the new head.
 */
import type { ScopeId } from '@throughline/shared/base/brand';
import { drive } from '@throughline/shared/base/digest';
import { chainsOf } from '@throughline/shared/chain/chain';
import type { Resolution } from '@throughline/shared/chain/resolution';
import type { Exchange } from '@throughline/shared/neutral/message';
import type { Wire } from '@throughline/shared/wire/wire';
import { configuredWindow } from '../config.ts';
import { nodeSha256 } from '../hash.ts';
import { errorCode } from '../log.ts';
import type { TurnDeps } from '../turn/desk.ts';
import { endOf } from '../turn/finish.ts';
import { type Delivered, forward } from '../turn/forward.ts';
import { type Asked, type Prepared, prepare } from '../turn/prepare.ts';
import { record, type Sent } from '../turn/record.ts';
import type { ClientAnswer } from './answer.ts';
import type { Attached, Question } from './attach.ts';
import type { Births } from './births.ts';
import { aboutTurn, type Said } from './headers.ts';
import type { PassRequest } from './pass.ts';

export interface LaneTurn {
  readonly scope: ScopeId;
  readonly shared: boolean;
  readonly url: string;
  readonly wire: Wire;
  readonly exchange: Exchange;
  readonly said: Said;
  readonly request: PassRequest;
}

export interface LaneTurnWorld extends TurnDeps {
  readonly attach: (question: Question) => Promise<Attached>;
  readonly births: Births;
  readonly store: Parameters<Births['told']>[3];
  readonly now: () => number;
}

interface Running {
  /** The client went away. */
  abort(): void;
}

/** What became of the attempt: it runs, or why it goes on as it came. */
export type Started = Running | { readonly bypass: string; readonly via: 'bypass' | 'side' };

/** Starts the turn. Rejects when something of ours failed before anything was sent. */
export async function runTurn(
  turn: LaneTurn,
  answer: (ours: () => [string, string][]) => ClientAnswer,
  failed: (code: string) => void,
  world: LaneTurnWorld,
): Promise<Started> {
  const { scope, exchange, wire, url, said, request } = turn;
  const chains = drive(chainsOf(exchange), nodeSha256);
  const { resolution, landed } = await world.attach({
    ...{ scope, exchange, chains, shared: turn.shared },
    configuredWindow: configuredWindow(world.config, url, exchange.environment.model),
    finish: (found) => world.births.told(scope, found, said, world.store),
  });
  const { session } = resolution;
  if (session === null) {
    const via = resolution.via === 'side' ? 'side' : 'bypass';
    return { bypass: resolution.reason.code, via };
  }
  try {
    const asked: Asked = {
      ...{ stream: 1, session, signal: null, conversation: said.conversation, fold: said.fold, at: world.now() },
      upstream: { url, method: 'POST', headers: [] },
    };
    const copy = await world.replica.now(scope, session);
    const source = request.body;
    const prepared = prepare(asked, scope, { wire, exchange, chains, source, resolution }, copy, world);
    if (said.conversation !== null) world.births.seen(scope, said.conversation, session);
    const sent: Sent = { open: asked, prepared, copy, dispatcher: request.dispatcher, headers: request.headers };
    return send(turn, sent, answer, failed, landed, world);
  } catch (error) {
    landed();
    throw error;
  }
}

function send(
  { scope, request }: LaneTurn,
  sent: Sent,
  answerOf: (ours: () => [string, string][]) => ClientAnswer,
  failed: (code: string) => void,
  landed: () => void,
  world: LaneTurnWorld,
): Running {
  const { open: asked, prepared } = sent;
  let resent = false;
  let over = false;
  const answer = answerOf(() => about(prepared, resent));
  const finish = (): boolean => {
    if (over) return false;
    over = true;
    return true;
  };
  /** Written before `then`, which lets the client go on. */
  const settle = (result: Delivered, then: () => void): void => {
    const end = endOf(asked, prepared, result);
    world.counters.count('turns');
    world.limits.learn(scope, asked.session, prepared, result);
    const written = end.outcome === 'complete' ? record(scope, sent, end, world) : Promise.resolve();
    written
      .catch((error: unknown) => world.log.error('turn-not-recorded', { code: errorCode(error) }))
      .finally(() => {
        landed();
        then();
      });
  };
  const forwarding = forward(
    prepared,
    request,
    {
      head(status, statusText, headers, again) {
        resent = again;
        answer.head(status, statusText, headers);
      },
      chunk: answer.chunk,
    },
    {
      dispatched: () => undefined,
      delivered: (result) => {
        if (finish()) settle(result, () => answer.end(result.trailers));
      },
      failed(code) {
        if (!finish()) return;
        world.counters.count('failed');
        landed();
        if (answer.headed()) answer.break();
        else failed(code);
      },
    },
  );
  answer.use(forwarding.flow);
  return {
    abort() {
      if (!finish()) return;
      // Clients stop reading at the end they know: that answer was delivered.
      const whole = forwarding.abort();
      if (whole !== null) settle(whole, () => undefined);
      else {
        world.counters.count('aborted');
        landed();
      }
    },
  };
}

function about(prepared: Prepared, resent: boolean): [string, string][] {
  const { received } = prepared.tokens;
  const resolution: Resolution = prepared.resolution;
  return resent
    ? aboutTurn(resolution, { received, sent: received }, 'fold-refused')
    : aboutTurn(resolution, prepared.tokens, prepared.note);
}
