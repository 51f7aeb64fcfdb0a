/**
 * Puts one turn on the link: `turn.open`, then the body in pieces: whole, or only its new middle where the last body of the session
 * is known to both sides.
 *
 * Failure direction: `false` means that the companion does not have the whole request; the caller withdraws it.
 */
import type { Chain } from '@throughline/shared/chain/chain';
import { BODY_LAST, BODY_PIECE, renderBinary } from '@throughline/shared/protocol/binary';
import { computeDelta, deltaMiddle } from '@throughline/shared/protocol/delta';
import type { Link } from './link.ts';
import type { Turn } from './relay.ts';
import type { TurnWorld } from './turns.ts';

const PIECE = 1024 * 1024;
/** A delta that saves less than this is not worth a lookup on the other side. */
const WORTH = 512;
/** Of the frame; the newest are sent. */
const MAX_APPROVED = 64;

/** The body of a stream, in pieces. */
export function sendBody(link: Link, stream: number, bytes: Uint8Array): boolean {
  let at = 0;
  for (; bytes.length - at > PIECE; at += PIECE) {
    if (!link.sendBytes(renderBinary(BODY_PIECE, stream, bytes.subarray(at, at + PIECE)))) return false;
  }
  return link.sendBytes(renderBinary(BODY_LAST, stream, bytes.subarray(at)));
}

/** Sends the whole turn. */
export function sendTurn(turn: Turn, stream: number, world: TurnWorld): boolean {
  const { body, request } = turn.open;
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
      url: request.url,
      method: request.method,
      headers: request.headers.map(([name, value]) => [name, value]),
    },
    body: { digest: turn.read.digest, length: body.length },
    base,
    ...(turn.print === null ? {} : { print: turn.print }),
    ...(turn.approved.length === 0 ? {} : { approved: turn.approved.slice(-MAX_APPROVED) }),
    fold: turn.record?.mode ?? 'auto',
    at: turn.at,
  });
  return sent && sendBody(world.link, stream, base && delta ? deltaMiddle(body, delta) : body);
}

function headOf(chain: Chain): { readonly link: string; readonly depth: number } {
  return { link: chain.links.at(-1) ?? '', depth: chain.links.length };
}
