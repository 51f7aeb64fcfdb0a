/**
 * Sessions, messages and blocks as the lists of popup and dashboard show them. Pure.
 */

import { sha256 } from '@throughline/shared/base/digest';
import type { Block } from '@throughline/shared/fold/block';
import type { TranscriptRow } from '@throughline/shared/fold/ledger';
import { hiddenBy, originalSeqs } from '@throughline/shared/fold/unfold';
import type { SessionRecord } from '@throughline/shared/session/records';
import { textOfRow } from '@throughline/shared/session/words';
import type { BlockLine, LineageNode, MessageLine, SessionSummary } from '../../panel-messages.ts';

const PREVIEW = 160;

/** Tokens a session did not send, net of what its summaries cost. */
export function savedOf({ stats }: SessionRecord): number {
  return stats.received - stats.sent - stats.foldCost;
}

export function summaryLine(record: SessionRecord, live: boolean): SessionSummary {
  return {
    session: record.session,
    title: record.title,
    site: record.site,
    model: record.model,
    wire: record.wire,
    messages: record.nextSeq,
    turns: record.heads[2].depth,
    blocks: record.nextBlock - 1,
    saved: savedOf(record),
    usedAt: record.usedAt,
    createdAt: record.createdAt,
    lineage: record.lineage,
    live,
  };
}

export function messageLines(rows: readonly TranscriptRow[], blocks: readonly Block[]): MessageLine[] {
  const hidden = hiddenBy(blocks);
  return rows.map((row) => ({
    seq: row.seq,
    role: row.role,
    preview: textOfRow(row, sha256).slice(0, PREVIEW),
    tokens: row.cores.reduce((sum, core) => sum + core.tokens, 0),
    refs: row.cores.map((core) => core.ref),
    block: hidden.get(row.seq) ?? null,
    pinned: row.pinned,
  }));
}

export function blockLine(block: Block, blocks: readonly Block[]): BlockLine {
  return {
    blockId: block.blockId,
    tier: block.tier,
    topic: block.topic,
    state: block.state,
    author: block.author,
    refs: block.refs,
    messages: originalSeqs(block, blocks).length,
    tokensBefore: block.tokensBefore,
    tokensAfter: block.tokensAfter,
    createdAt: block.createdAt,
  };
}

/** The session's whole family, parents before children, in order of birth. */
export function lineageTree(all: readonly SessionRecord[], current: string): LineageNode[] {
  const byId = new Map<string, SessionRecord>(all.map((record) => [record.session, record]));
  const parentOf = (record: SessionRecord) => record.lineage?.parents.find((parent) => byId.has(parent)) ?? null;
  const children = new Map<string, SessionRecord[]>();
  for (const record of all) {
    const parent = parentOf(record);
    if (parent) children.set(parent, [...(children.get(parent) ?? []), record]);
  }
  let root = byId.get(current);
  const climbed = new Set<string>();
  while (root && !climbed.has(root.session)) {
    climbed.add(root.session);
    const parent = parentOf(root);
    if (!parent) break;
    root = byId.get(parent);
  }
  const nodes: LineageNode[] = [];
  const seen = new Set<string>();
  const pending = root ? [root] : [];
  for (let record = pending.shift(); record; record = pending.shift()) {
    if (seen.has(record.session)) continue;
    seen.add(record.session);
    nodes.push({
      session: record.session,
      title: record.title,
      messages: record.nextSeq,
      blocks: record.nextBlock - 1,
      parent: parentOf(record),
      kind: record.lineage?.kind ?? null,
      shared: record.lineage?.shared ?? 0,
      current: record.session === current,
    });
    const born = children.get(record.session) ?? [];
    pending.unshift(...[...born].sort((one, other) => one.createdAt - other.createdAt));
  }
  return nodes;
}
