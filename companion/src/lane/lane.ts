/**
 * The http lane: `/lane/<key>/<absolute upstream URL>` for clients that can set a base URL.
 *
 * A request that is understood becomes a turn of its conversation; every other one goes to the provider as it came, with a header that
 * says why. Nothing of ours ever makes a request fail that would have succeeded directly.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ScopeId } from '@throughline/shared/base/brand';
import type { WireId } from '@throughline/shared/neutral/message';
import { recognise } from '@throughline/shared/wire/registry';
import * as v from 'valibot';
import { nodeSha256 } from '../hash.ts';
import { errorCode } from '../log.ts';
import { clientHeaders } from '../upstream/headers.ts';
import { judgeUpstream } from '../upstream/rules.ts';
import { clientAnswer } from './answer.ts';
import { registration } from './births.ts';
import { documentOf, readBody } from './body.ts';
import { answerPreflight, corsOf, isPreflight } from './cors.ts';
import { aboutBypass, goingOn, headerOf, linesOf, said } from './headers.ts';
import type { LaneKey, LaneKeys } from './keys.ts';
import { type PassRequest, passOn } from './pass.ts';
import { failureCode, refusalOf, refuse } from './refusals.ts';
import { laneTarget } from './target.ts';
import { type LaneTurn, type LaneTurnWorld, runTurn } from './turn.ts';

export interface LaneWorld extends LaneTurnWorld {
  readonly keys: LaneKeys;
  readonly port: () => number;
  /** Milliseconds of silence after which an event stream gets a comment; tests shorten it. */
  readonly silence?: number;
}

type Headers = readonly (readonly [string, string])[];

/** Serves one request that the guard let through. Never rejects. */
export async function serveLane(request: IncomingMessage, response: ServerResponse, world: LaneWorld): Promise<void> {
  response.on('error', () => response.destroy());
  try {
    await serve(request, response, world);
  } catch (error) {
    world.log.info('lane-failed', { code: errorCode(error) });
    if (response.headersSent) response.destroy();
    else refuse(response, refusalOf('internal'), null, []);
  }
}

async function serve(request: IncomingMessage, response: ServerResponse, world: LaneWorld): Promise<void> {
  const target = laneTarget(request.url ?? '');
  const key = target === null ? null : world.keys.find(target.key);
  if (target === null || key === null) return void response.writeHead(403).end();
  const lines = linesOf(request.rawHeaders);
  const cors = corsOf(key, headerOf(lines, 'origin'));
  if (isPreflight(request, cors)) return answerPreflight(request, response, cors);
  const no = (code: string, wire: WireId | null = null): void => refuse(response, refusalOf(code), wire, cors);

  const body = await readBody(request);
  if (body === null) return no('body-too-large');
  if (target.url === null) return own(target.word, request, response, body, key, cors, world);
  const judged = judgeUpstream(target.url, '', world.config.upstream.allow);
  if (!judged.ok) return no(judged.code);
  if (isSelf(judged.origin, world.port())) return no('upstream-self');
  const headers = clientHeaders(goingOn(lines));
  if (headers === null) return no('bad-header');
  const { firstByteSeconds, idleSeconds } = world.config.upstream;
  const outgoing: PassRequest = {
    ...{ headers, body, origin: judged.origin, path: judged.path, method: request.method ?? 'GET' },
    dispatcher: world.agents.for(judged.reach),
    firstByteMilliseconds: firstByteSeconds * 1000,
    idleMilliseconds: idleSeconds * 1000,
    raw: true,
  };

  const understood = understand(target.url, outgoing, lines);
  const wire = typeof understood === 'string' ? null : understood.wire.id;
  const failed = (code: string): void => no(failureCode(code), wire);
  const pass = (code: string, via: 'bypass' | 'side' = 'bypass'): void => {
    if (response.destroyed) return;
    const answer = clientAnswer(response, () => [...aboutBypass(code, via), ...cors], world.silence);
    response.on('close', passOn(outgoing, answer, failed));
  };
  if (typeof understood === 'string') return pass(understood);
  const turn: LaneTurn = { ...understood, scope: key.scope as ScopeId, shared: key.paired, url: target.url, request: outgoing };
  const started = await runTurn(
    turn,
    (ours) => clientAnswer(response, () => [...ours(), ...cors], world.silence),
    failed,
    world,
  ).catch((error: unknown) => {
    // Nothing was sent: the request goes out as its client wrote it.
    world.log.error('lane-turn-failed', { code: errorCode(error) });
    return { bypass: 'internal', via: 'bypass' as const };
  });
  if ('bypass' in started) return pass(started.bypass, started.via);
  if (response.destroyed) started.abort();
  response.on('close', () => {
    if (!response.writableFinished) started.abort();
  });
}

/** What the request is, or why it goes on as it came. */
function understand(
  url: string,
  { method, body }: PassRequest,
  lines: Headers,
): Pick<LaneTurn, 'wire' | 'exchange' | 'said'> | string {
  if (method !== 'POST') return 'unknown-wire';
  if (headerOf(lines, 'content-encoding') !== null) return 'body-encoded';
  const document = documentOf(body);
  if (typeof document === 'string') return document;
  const head = { method, url };
  const wire = recognise(head, document);
  if (wire === null) return 'unknown-wire';
  const exchange = wire.parse(head, document, nodeSha256);
  if (exchange.delta !== undefined) return 'server-held';
  return { wire, exchange, said: said(lines, document) };
}

/** The lane's own words. */
function own(
  word: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: Uint8Array,
  key: LaneKey,
  cors: Headers,
  world: LaneWorld,
): void {
  const no = (code: string): void => refuse(response, refusalOf(code), null, cors);
  const document = documentOf(body);
  const read = typeof document === 'string' ? null : v.safeParse(registration, JSON.parse(document.source));
  if (word === 'turn') no('not-built');
  else if (word !== 'sessions' || request.method !== 'POST') no('no-upstream');
  else if (read?.success !== true) no('bad-registration');
  else {
    world.births.register(key.scope as ScopeId, read.output);
    response.writeHead(204, Object.fromEntries(cors)).end();
  }
}

function isSelf(origin: string, port: number): boolean {
  const { hostname, port: named } = new URL(origin);
  return Number(named) === port && /^(localhost|127(\.\d+){3}|\[::1\]|\[::ffff:7f[0-9a-f:]+\])$/i.test(hostname);
}
