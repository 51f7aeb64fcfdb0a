/**
 * Session records and commits as a shell would write them, for tests that need a filled store and not the rules of a turn.
 */
import type { BlockId, CoreId, Digest, Ref, ScopeId, SessionId } from '#base/brand';
import type { Chain, Chains } from '#chain/chain';
import type { Reason } from '#chain/resolution';
import type { Block } from '#fold/block';
import type { TranscriptRow } from '#fold/ledger';
import { DOMAINS } from '#neutral/turn';
import type { Head, LinkRow, SessionRecord } from '#session/records';
import type { Commit } from '#session/store';

export const SCOPE = 'scope-a' as ScopeId;
export const OTHER_SCOPE = 'scope-b' as ScopeId;

const reason: Reason = { compared: 0, head: null, next: null, code: 'nothing-known' };

export function headOf(chain: Chain): Head {
  const link = chain.links.at(-1);
  if (link === undefined) throw new Error('an empty chain has no head');
  return { link, depth: chain.links.length };
}

/** The rows of every link of both chains. */
export function linksOf(chains: Chains): LinkRow[] {
  return DOMAINS.flatMap((domain) =>
    chains[domain].links.map((link, index) => ({
      domain,
      link,
      parent: chains[domain].links[index - 1] ?? null,
      item: chains[domain].items[index] as Digest,
      depth: index + 1,
    })),
  );
}

/** A record whose heads are those of the chains; anything may be overridden. */
export function recordOf(session: string, chains: Chains, over: Partial<SessionRecord> = {}): SessionRecord {
  return {
    scope: SCOPE,
    session: session as SessionId,
    rev: 1,
    wire: 'openai-chat',
    heads: { 2: headOf(chains[2]), 3: headOf(chains[3]) },
    site: null,
    document: null,
    conversation: null,
    model: 'demo-1',
    title: 'a title',
    createdAt: 1_000,
    usedAt: 1_000,
    via: 'new',
    lineage: null,
    last: { via: 'new', depth: 0, incoming: chains[2].links.length, domain: null, reason },
    nextSeq: 0,
    nextRef: 1,
    nextBlock: 1,
    nextRun: 1,
    turnsSinceFold: 0,
    backoff: { wait: 0, failures: 0 },
    stats: {
      requests: 1,
      received: 10,
      sent: 10,
      foldCost: 0,
      folds: 0,
      possibleDoubleBills: 0,
      lastReceived: 10,
      lastSent: 10,
      lastReported: null,
    },
    window: { tokens: null, source: 'unknown' },
    mode: 'auto',
    ...over,
  };
}

/** A commit of this record with all links of its chains. */
export function commitOf(record: SessionRecord, chains: Chains, over: Partial<Commit> = {}): Commit {
  return { record, links: linksOf(chains), rows: [], blocks: [], event: null, ...over };
}

export function rowOf(seq: number, raw: string, over: Partial<TranscriptRow> = {}): TranscriptRow {
  const ref = `m${String(seq + 1).padStart(5, '0')}` as Ref;
  const id = `h_${String(seq).padStart(16, '0')}` as CoreId;
  return { seq, wire: 'openai-chat', role: 'user', raw, cores: [{ id, ordinal: 0, ref, tokens: 3 }], pinned: false, ...over };
}

export function blockOf(number: number, over: Partial<Block> = {}): Block {
  return {
    blockId: `b${number}` as BlockId,
    runId: `r${number}`,
    tier: 1,
    topic: 'topic',
    summary: `summary ${number}`,
    directIds: [],
    effectiveIds: [],
    directBlockIds: [],
    refs: ['m00001' as Ref, 'm00002' as Ref],
    seqs: [0, 1],
    tokensBefore: 100,
    tokensAfter: 10,
    createdAt: 1_000,
    state: 'folded',
    rev: 1,
    author: 'model',
    ...over,
  };
}
