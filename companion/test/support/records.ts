/** Small records for store tests that need no real conversation. */
import type { BlockId, CoreId, Digest, Ref, ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Block } from '@throughline/shared/fold/block';
import type { SessionRecord } from '@throughline/shared/session/records';
import type { Commit } from '@throughline/shared/session/store';
import { nodeSha256 } from '../../src/hash.ts';

export function recordFor(session: string, rev: number, over: Partial<SessionRecord> = {}): SessionRecord {
  const link = nodeSha256(`${session} ${rev}`);
  return {
    scope: 'scope-a' as ScopeId,
    session: session as SessionId,
    rev,
    wire: 'openai-chat',
    heads: { 2: { link, depth: 1 }, 3: { link, depth: 1 } },
    site: 'https://chat.example',
    document: 'doc-1',
    conversation: null,
    model: 'm',
    title: 'a title',
    createdAt: 1,
    usedAt: rev,
    via: 'new',
    lineage: null,
    last: {
      via: 'new',
      depth: 0,
      incoming: 1,
      domain: null,
      reason: { compared: 0, head: null, next: null, code: 'nothing-known' },
    },
    nextSeq: 1,
    nextRef: 2,
    nextBlock: 1,
    nextRun: 1,
    turnsSinceFold: 0,
    backoff: { wait: 0, failures: 0 },
    stats: {
      ...{ requests: 1, received: 100, sent: 60, foldCost: 0, folds: 0, possibleDoubleBills: 0 },
      ...{ lastReceived: 100, lastSent: 60, lastReported: null },
    },
    window: { tokens: null, source: 'unknown' },
    mode: 'auto',
    ...over,
  };
}

export function commitFor(session: string, rev: number, text = 'hello', over: Partial<SessionRecord> = {}): Commit {
  const record = recordFor(session, rev, over);
  const { link } = record.heads[2];
  return {
    record,
    links: ([2, 3] as const).map((domain) => ({ domain, link, parent: null, item: nodeSha256(text) as Digest, depth: 1 })),
    rows: [
      {
        seq: rev - 1,
        wire: 'openai-chat',
        role: 'user',
        raw: JSON.stringify({ role: 'user', content: text }),
        cores: [{ id: 'h_0123456789abcdef' as CoreId, ordinal: 0, ref: 'm00001' as Ref, tokens: 3 }],
        pinned: false,
      },
    ],
    blocks: [],
    event: { at: 1, rev, kind: 'turn', data: { sent: 60 } },
  };
}

export function blockFor(number: number, seqs: readonly number[], over: Partial<Block> = {}): Block {
  return {
    blockId: `b${number}` as BlockId,
    runId: `r${number}`,
    tier: 1,
    topic: 'a topic',
    summary: 'a summary',
    directIds: ['h_0123456789abcdef' as CoreId],
    effectiveIds: ['h_0123456789abcdef' as CoreId],
    directBlockIds: [],
    refs: ['m00001' as Ref, 'm00001' as Ref],
    seqs,
    tokensBefore: 100,
    tokensAfter: 10,
    createdAt: 1,
    state: 'folded',
    rev: 1,
    author: 'model',
    ...over,
  };
}
