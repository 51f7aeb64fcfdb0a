/**
 * A session before its first completed request: the record that a birth commits as revision 1.
 */
import type { Digest, ScopeId, SessionId } from '#base/brand';
import type { ClientSignal, Resolution } from '#chain/resolution';
import { isUserTurn } from '#fold/protect';
import { cutText } from '#fold/text';
import type { Exchange } from '#neutral/message';
import type { SessionRecord } from './records.ts';

const TITLE_CHARS = 80;

/** First words of the first message of the person, in one line, at most 80 characters, never half of one. */
export function titleOf(exchange: Exchange): string {
  const first = exchange.messages.find(isUserTurn);
  const text = first?.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(' ') ?? '';
  const line = cutText(text.trimStart(), 400).replace(/\s+/g, ' ').trim();
  if (line.length <= TITLE_CHARS) return line;
  const cut = cutText(line, TITLE_CHARS);
  const space = cut.lastIndexOf(' ');
  // Text without spaces (CJK, a long path) is cut where it ends.
  return (space > TITLE_CHARS / 2 ? cut.slice(0, space) : cut).trimEnd();
}

/** Revision 0: nothing observed yet, counters at their start. */
export function birth(input: {
  readonly scope: ScopeId;
  readonly session: SessionId;
  readonly exchange: Exchange;
  readonly resolution: Resolution;
  readonly signal: ClientSignal | null;
  readonly conversation?: string | null;
  readonly at: number;
}): SessionRecord {
  const { exchange, resolution, signal, at } = input;
  const { via, depth, incoming, domain, reason } = resolution;
  const nowhere = { link: '' as Digest, depth: 0 };
  return {
    scope: input.scope,
    session: input.session,
    rev: 0,
    wire: exchange.wire,
    heads: { 2: nowhere, 3: nowhere },
    site: signal?.site ?? null,
    document: signal?.document ?? null,
    conversation: signal?.conversation ?? input.conversation ?? null,
    model: exchange.environment.model,
    title: titleOf(exchange),
    createdAt: at,
    usedAt: at,
    via,
    lineage: resolution.lineage,
    last: { via, depth, incoming, domain, reason },
    nextSeq: 0,
    nextRef: 1,
    nextBlock: 1,
    nextRun: 1,
    turnsSinceFold: 0,
    backoff: { wait: 0, failures: 0 },
    stats: {
      requests: 0,
      received: 0,
      sent: 0,
      foldCost: 0,
      folds: 0,
      possibleDoubleBills: 0,
      lastReceived: 0,
      lastSent: 0,
      lastReported: null,
    },
    window: { tokens: null, source: 'unknown' },
    mode: 'auto',
  };
}
