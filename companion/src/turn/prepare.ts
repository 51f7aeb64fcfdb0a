/**
 * From a verified body to a request that may go out: recompute what the extension claimed, find the copy of the session, place the
 * blocks, render. Nothing here touches the network; whatever is doubtful refuses the turn, and the page's own request goes out.
 */

import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { drive } from '@throughline/shared/base/digest';
import { parseJson } from '@throughline/shared/base/json';
import { decodeUtf8, encodeUtf8 } from '@throughline/shared/base/utf8';
import { chainsOf } from '@throughline/shared/chain/chain';
import type { Resolution } from '@throughline/shared/chain/resolution';
import type { Block } from '@throughline/shared/fold/block';
import type { Exchange } from '@throughline/shared/neutral/message';
import { DOMAINS } from '@throughline/shared/neutral/turn';
import type { TurnOpen } from '@throughline/shared/protocol/frames';
import { stopgapFor } from '@throughline/shared/session/stopgap';
import { type OpenedTurn, openTurn } from '@throughline/shared/session/turn';
import { wireOf } from '@throughline/shared/wire/registry';
import type { Wire } from '@throughline/shared/wire/wire';
import { type Config, configuredWindow } from '../config.ts';
import { nodeSha256 } from '../hash.ts';
import type { Copy } from '../replica.ts';
import type { Limits } from './limits.ts';
import { resolutionOf } from './resolution.ts';
import type { Warm } from './warm.ts';

/** Why a turn was refused before dispatch. The page's own request goes out. */
export interface Refusal {
  readonly refused: string;
  readonly message: string;
}

export interface Understood {
  readonly wire: Wire;
  readonly exchange: Exchange;
  readonly chains: Parameters<typeof openTurn>[0]['chains'];
  readonly source: Uint8Array;
  readonly resolution: Resolution;
}

export interface Prepared extends Understood {
  readonly opened: OpenedTurn;
  /** What goes upstream. */
  readonly body: Uint8Array;
  /** Blocks standing in it. */
  readonly blocks: readonly string[];
  readonly tokens: { readonly received: number; readonly sent: number };
  readonly note: string | null;
  /** Stands in this request so that it fits; becomes a block when the turn completes. */
  readonly extract: Block | null;
  /** Window that the upstream told this session, while no record holds it. */
  readonly told: number | null;
}

/**
 * What a turn needs to know of how it was asked for. The frame of the page lane holds it; the http lane, where there is no page, makes
 * it itself.
 */
export interface Asked extends Pick<TurnOpen, 'stream' | 'session' | 'approved' | 'fold' | 'at' | 'upstream'> {
  readonly signal: TurnOpen['signal'] | null;
  /** What a client of the http lane calls the conversation. */
  readonly conversation?: string | null;
}

export const refusal = (code: string, message: string): Refusal => ({ refused: code, message });

/** Parses the body and recomputes its heads; a claim that differs is refused. */
export function understand(open: TurnOpen, bytes: Uint8Array): Understood | Refusal {
  const resolution = resolutionOf(open.resolution, open.session);
  if (resolution === null)
    return refusal('bad-resolution', 'How this request was resolved is not said in words this build knows.');
  const text = decodeUtf8(bytes);
  const document = text === null ? null : parseJson(text);
  if (document === null) return refusal('not-json', 'The body is not JSON in UTF-8.');
  const wire = wireOf(open.wire);
  if (wire === null) return refusal('unknown-wire', `This companion does not speak ${open.wire}.`);
  const head = { method: open.upstream.method, url: open.upstream.url };
  if (!wire.recognise(head, document)) return refusal('not-recognised', `The request is not of the wire ${open.wire}.`);
  const exchange = wire.parse(head, document, nodeSha256);
  if (exchange.delta !== undefined) return refusal('server-held', 'The history of this request is held by the provider.');
  const chains = drive(chainsOf(exchange), nodeSha256);
  for (const domain of DOMAINS) {
    const claimed = open.heads[domain];
    const { links } = chains[domain];
    if (claimed.depth !== links.length || claimed.link !== links.at(-1)) {
      return refusal('heads-differ', 'The two sides do not agree about this conversation.');
    }
  }
  return { wire, exchange, chains, source: bytes, resolution };
}

export interface PrepareWorld {
  readonly config: Config;
  readonly warm: Warm;
  readonly limits: Limits;
}

/** The outgoing request under the blocks of this copy. */
export function prepare(open: Asked, scope: ScopeId, understood: Understood, copy: Copy | null, world: PrepareWorld): Prepared {
  const { exchange, wire, chains, source, resolution } = understood;
  const warmth = world.warm.get(scope, open.session);
  const limit = world.limits.of(scope, open.session, exchange.environment.model);
  const opened = openTurn({
    scope,
    session: open.session as SessionId,
    record: copy?.record ?? null,
    rows: copy !== null && warmth?.rev === copy.record.rev ? warmth.ledger : (copy?.rows ?? []),
    blocks: copy?.blocks ?? [],
    exchange,
    chains,
    resolution,
    signal: signalOf(open),
    conversation: open.conversation ?? null,
    at: open.at,
    hash: nodeSha256,
    fold: open.fold,
    ...(warmth === null ? {} : { previous: warmth.previous }),
    configuredWindow: configuredWindow(world.config, open.upstream.url, exchange.environment.model),
    toldWindow: limit.window,
  });
  const stopgap = limit.extracts ? stopgapFor(opened, world.config.fold, limit.overflowed, open.at) : null;
  const { plan, tokens, blocks } = stopgap?.outgoing ?? opened.outgoing;
  const known = { ...understood, opened, tokens, extract: stopgap?.block ?? null, told: limit.window };
  if (plan.omit.size === 0) return { ...known, body: source, blocks: [], note: noteOf(open, copy) };
  const body = encodeUtf8(wire.render(exchange, plan));
  return { ...known, body, blocks: blocks.map((block) => block.blockId), note: stopgap === null ? null : 'extract' };
}

/** Why nothing is folded although there are blocks, or null. */
function noteOf(open: Asked, copy: Copy | null): string | null {
  const folded = copy?.blocks.some((block) => block.state === 'folded') ?? false;
  if (!folded) return null;
  return open.fold === 'off' || copy?.record.mode === 'off' ? 'fold-off' : 'blocks-absent';
}

function signalOf(open: Asked): Parameters<typeof openTurn>[0]['signal'] {
  if (open.signal === null) return null;
  const { site, document, conversation } = open.signal;
  return conversation === undefined ? { site, document } : { site, document, conversation };
}
