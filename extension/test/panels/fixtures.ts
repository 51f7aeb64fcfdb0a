/** Made-up snapshots of every state, for the panel tests and for looking at the panels. */
import type {
  BlockDetail,
  BlockLine,
  LineageNode,
  MessageLine,
  PanelSnapshot,
  SessionDetail,
  SessionSummary,
  Settings,
} from '../../src/panel-messages.ts';

/** A fixed moment, so that pictures and expectations do not move. */
export const NOW = Date.UTC(2026, 5, 1, 12, 0, 0);
export const SITE = 'https://chat.example.com';

const settings: Settings = { language: 'en', theme: 'light', badge: true, resend: true, retentionDays: 30 };

const SAYINGS = [
  'My consumers keep rebalancing every few minutes. What should I look at first?',
  'Start with session.timeout.ms against max.poll.interval.ms, and with the logs of the group coordinator.',
  'The coordinator logs say: member left because of missed heartbeats.',
  'Then the poll loop blocks too long. Move the work out of the loop, or raise max.poll.interval.ms.',
];

export const messages: readonly MessageLine[] = Array.from({ length: 43 }, (_, seq) => ({
  seq,
  role: seq % 2 === 0 ? 'user' : 'assistant',
  preview: SAYINGS[seq % SAYINGS.length] ?? '',
  tokens: 380 + ((seq * 97) % 900),
  refs: [`m${String(seq + 1).padStart(5, '0')}`],
  block: seq < 11 ? 'b1' : seq < 31 ? 'b2' : null,
  pinned: seq === 35,
}));

const block = (id: string, topic: string, first: number, last: number, before: number, after: number): BlockLine => ({
  blockId: id,
  tier: 1,
  topic,
  state: 'folded',
  author: 'model',
  refs: [`m${String(first).padStart(5, '0')}`, `m${String(last).padStart(5, '0')}`],
  messages: last - first + 1,
  tokensBefore: before,
  tokensAfter: after,
  createdAt: NOW - 900_000,
});

export const blocks: readonly BlockLine[] = [
  block('b1', 'Consumer group rebalancing, first findings', 1, 11, 9400, 620),
  block('b2', 'Heartbeats, poll interval and the retry design', 12, 31, 18_000, 910),
];

const node = (session: string, title: string, kind: LineageNode['kind'], parent: string | null, shared: number) => ({
  session,
  title,
  kind,
  parent,
  shared,
  messages: shared + 25,
  blocks: 1,
  current: session === 's1',
});

export const tree: readonly LineageNode[] = [
  node('s0', 'Kafka rebalance bug, retry 3', null, null, 2),
  node('s1', 'Kafka rebalance bug', 'forked', 's0', 18),
  node('s2', 'Kafka rebalance bug (window)', 'truncated', 's1', 0),
  node('s3', 'Write the incident report', 'derived', 's1', 0),
  node('s4', 'Kafka rebalance bug, next day', 'continued', 's2', 9),
];

const summary: SessionSummary = {
  session: 's1',
  title: 'Kafka rebalance bug',
  site: SITE,
  model: 'gpt-4o',
  wire: 'openai-chat',
  messages: 43,
  turns: 43,
  blocks: 2,
  saved: 41_200,
  usedAt: NOW - 40_000,
  createdAt: NOW - 5_400_000,
  lineage: { kind: 'forked', parents: ['s0' as never], shared: 18 },
  live: false,
};

export const session: SessionDetail = {
  ...summary,
  gauge: {
    system: 820,
    tools: 0,
    pinned: 1200,
    summaries: 1530,
    recent: 17_750,
    total: 21_300,
    window: 128_000,
    windowSource: 'table',
  },
  stats: {
    requests: 22,
    received: 612_000,
    sent: 566_400,
    foldCost: 4400,
    folds: 2,
    possibleDoubleBills: 0,
    lastReceived: 47_200,
    lastSent: 21_300,
    lastReported: 21_118,
  },
  why: {
    via: 'prefix',
    depth: 41,
    incoming: 43,
    domain: 2,
    head: '9f3c0b7d51aa2f6688c1d0e4b7a93f10c25d7e8890ab34cd56ef7812a4b6e1a0' as never,
    scope: 'chat.example.com',
    reason: {
      compared: 318,
      head: '9f3c0b7d51aa2f6688c1d0e4b7a93f10c25d7e8890ab34cd56ef7812a4b6e1a0' as never,
      next: { session: 's0' as never, depth: 18, differsAt: 18 },
      code: 'head-extended',
    },
    nextTitle: 'Kafka rebalance bug, retry 3',
  },
  tree,
  blockList: blocks,
  messageList: messages,
  events: [
    { at: NOW - 5_400_000, rev: 1, kind: 'turn', data: { received: 1200, sent: 1200, via: 'new' } },
    { at: NOW - 900_000, rev: 21, kind: 'fold', data: { block: 'b2', before: 18_000, after: 910, cost: 2100 } },
    { at: NOW - 600_000, rev: 22, kind: 'fold-failed', data: { code: 'not-smaller' } },
    { at: NOW - 40_000, rev: 23, kind: 'turn', data: { received: 47_200, sent: 21_300, via: 'prefix' } },
  ],
  mode: 'auto',
  paused: null,
};

export const snapshot: PanelSnapshot = {
  companion: 'connected',
  companionPort: 4747,
  site: SITE,
  siteState: 'active',
  saved: { site: 41_200, all: 120_300 },
  live: null,
  session,
  lastBypass: null,
  askUpstream: [],
  settings,
};

const empty: PanelSnapshot = { ...snapshot, session: null, saved: { site: 0, all: 0 } };
const bypassed = { at: NOW - 20_000, code: 'cookies', url: 'https://chat.example.com/api/chat' };

/** One snapshot per state the popup can be in. */
export const states: Readonly<Record<string, PanelSnapshot>> = {
  folded: snapshot,
  live: {
    ...snapshot,
    session: { ...session, live: true, blockList: blocks.map((b, at) => (at === 0 ? { ...b, state: 'expanded' } : b)) },
    live: { session: 's1', phase: 'streaming', bytes: 12_400, startedAt: NOW - 12_000 },
  },
  fresh: {
    ...snapshot,
    siteState: 'active',
    saved: { site: 0, all: 0 },
    session: {
      ...session,
      blockList: [],
      tree: tree.slice(0, 1),
      stats: { ...session.stats, lastSent: 47_200 },
      lineage: null,
    },
  },
  empty: { ...empty, siteState: 'waiting' },
  'never-paired': { ...empty, companion: 'never-paired', companionPort: null, siteState: 'not-enabled' },
  'companion-off': { ...snapshot, companion: 'companion-off' },
  'port-taken': { ...empty, companion: 'port-taken' },
  'other-companion': { ...empty, companion: 'other-companion' },
  'version-mismatch': { ...empty, companion: 'version-mismatch' },
  'blocked-by-browser': { ...empty, companion: 'blocked-by-browser' },
  'not-enabled': { ...empty, siteState: 'not-enabled' },
  'permission-missing': { ...empty, siteState: 'permission-missing' },
  paused: { ...snapshot, siteState: 'paused' },
  bypassed: { ...snapshot, lastBypass: bypassed },
  quarantined: {
    ...snapshot,
    session: { ...session, blockList: blocks.map((b) => ({ ...b, state: 'quarantined' as const })) },
  },
  'storage-full': { ...snapshot, storage: 'full' },
  'storage-fresh': { ...snapshot, storage: 'fresh' },
  'storage-memory': { ...snapshot, storage: 'memory' },
  'storage-newer': { ...empty, siteState: 'waiting', storage: 'newer' },
  waiting: {
    ...snapshot,
    session: { ...session, paused: 'backing-off', retry: { code: 'not-smaller', turns: 4 } },
  },
  'ask-upstream': { ...empty, siteState: 'waiting', askUpstream: ['http://127.0.0.1:11434'] },
  'no-site': { ...empty, site: null, siteState: 'no-site', saved: { site: 0, all: 120_300 } },
};

/** A block opened, with originals that look like chat. */
export function blockDetail(id: string): BlockDetail {
  const found = blocks.find((one) => one.blockId === id) ?? (blocks[0] as BlockLine);
  const [first, last] = found.refs.map((ref) => Number(ref.slice(1))) as [number, number];
  return {
    block: found,
    summary:
      'The consumers of group billing-v2 rebalance every few minutes. Cause found: the poll loop calls the invoice service inline ' +
      '(p95 6.2 s), so heartbeats are missed.\n\nDecided: move the call to a worker pool of 8, pause partitions while it is full, ' +
      'max.poll.interval.ms 300000, retries 3 with backoff 200 ms. Open: whether static membership is worth it.',
    label: `[Earlier conversation, folded: ${id} · ${found.refs[0]}-${found.refs[1]} · tier 1]`,
    originals: messages.slice(first - 1, last).map((message) => ({
      seq: message.seq,
      role: message.role,
      raw: JSON.stringify({ role: message.role, content: message.preview }),
      text: message.preview,
    })),
    verified: true,
  };
}

/** Many conversations, for the list. */
export function manySessions(count: number): readonly SessionSummary[] {
  const titles = [
    'Kafka rebalance bug',
    'Trip to the coast',
    'Rust lifetimes, again',
    'Letter to the landlord',
    '数据库索引优化',
  ];
  return Array.from({ length: count }, (_, at) => ({
    ...summary,
    session: at === 0 ? 's1' : `t${at}`,
    title: at < titles.length ? (titles[at] ?? '') : `${titles[at % titles.length]} ${at}`,
    site: at % 3 === 0 ? SITE : 'http://localhost:8080',
    messages: 12 + ((at * 7) % 60),
    saved: (at * 1313) % 50_000,
    usedAt: NOW - at * 3_700_000,
    live: at === 1,
    lineage: at % 4 === 2 ? { kind: 'forked', parents: ['s1' as never], shared: 5 } : null,
  }));
}
