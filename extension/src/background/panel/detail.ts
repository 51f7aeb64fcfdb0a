/**
 * One session with everything a panel shows of it.
 */
import { sha256 } from '@throughline/shared/base/digest';
import { blockLabel } from '@throughline/shared/fold/label';
import { originalSeqs } from '@throughline/shared/fold/unfold';
import { type Gauge, gaugeFromEvents } from '@throughline/shared/session/gauge';
import type { SessionEvent, SessionRecord } from '@throughline/shared/session/records';
import { rowHolds, textOfRow } from '@throughline/shared/session/words';
import type { BlockDetail, SessionDetail, Why } from '../../panel-messages.ts';
import { asSession, type Held, type PanelWorld } from './context.ts';
import { blockLine, lineageTree, messageLines, summaryLine } from './lines.ts';

const EVENTS_SHOWN = 200;

/** Null when the session is unknown or forgotten. */
export async function sessionDetail({ store, scope }: Held, id: string, world: PanelWorld): Promise<SessionDetail | null> {
  const session = asSession(id);
  const record = await store.load(scope, session);
  if (!record) return null;
  const [rows, blocks, events, all] = await Promise.all([
    store.rows(scope, session),
    store.blocks(scope, session),
    store.events(scope, session, EVENTS_SHOWN),
    store.list({ scope }),
  ]);
  return {
    ...summaryLine(record, world.flights.has(session)),
    gauge: gaugeFromEvents(events, record) ?? emptyGauge(record),
    stats: record.stats,
    why: whyOf(record, all),
    tree: lineageTree(all, id),
    blockList: blocks.map((block) => blockLine(block, blocks)),
    messageList: messageLines(rows, blocks),
    events,
    mode: record.mode,
    paused: record.mode === 'off' ? 'folding-off' : record.backoff.wait > 0 ? 'backing-off' : null,
    ...retryOf(record, events),
  };
}

/** What the wait after a failed fold is for. */
function retryOf(
  { backoff, mode }: SessionRecord,
  events: readonly SessionEvent[],
): Pick<SessionDetail, 'retry'> | Record<never, never> {
  if (mode === 'off' || backoff.wait === 0) return {};
  const failed = events.findLast((event) => event.kind === 'fold-failed');
  return { retry: { code: String(failed?.data.code ?? 'internal'), turns: backoff.wait } };
}

function emptyGauge(record: SessionRecord): Gauge {
  const { lastSent } = record.stats;
  return {
    system: 0,
    tools: 0,
    pinned: 0,
    summaries: 0,
    recent: lastSent,
    total: lastSent,
    window: record.window.tokens,
    windowSource: record.window.source,
  };
}

function whyOf(record: SessionRecord, all: readonly SessionRecord[]): Why {
  const { via, depth, incoming, domain, reason } = record.last;
  const next = reason.next?.session;
  return {
    via,
    depth,
    incoming,
    domain,
    head: domain === null ? record.heads[2].link : record.heads[domain].link,
    scope: record.scope,
    reason,
    nextTitle: (next && all.find((other) => other.session === next)?.title) ?? null,
  };
}

/** A block beside its originals, byte for byte as the page sent them. */
export async function blockDetail({ store, scope }: Held, id: string, blockId: string): Promise<BlockDetail | null> {
  const session = asSession(id);
  const blocks = await store.blocks(scope, session);
  const block = blocks.find((one) => one.blockId === blockId);
  if (!block) return null;
  const seqs = originalSeqs(block, blocks);
  const rows = await store.rowsAt(scope, session, seqs);
  return {
    block: blockLine(block, blocks),
    summary: block.summary,
    label: blockLabel(block),
    originals: rows.map((row) => ({ seq: row.seq, role: row.role, raw: row.raw, text: textOfRow(row, sha256) })),
    verified: rows.length === seqs.length && rows.every((row) => rowHolds(row, sha256)),
  };
}
