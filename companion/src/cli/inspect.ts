/** `status`, `sessions` and `show`: what the running companion knows, as tables for people or JSON for machines. */
import type { Block } from '@throughline/shared/fold/block';
import type { SessionRecord } from '@throughline/shared/session/records';
import { type DataFiles, dataFiles } from '../files.ts';
import type { Command } from './arguments.ts';
import { allSessions, oneSession, pathOf } from './one-session.ts';
import { reading } from './reading.ts';
import { askRunning, findRunning } from './running.ts';
import { settingsOf } from './settings.ts';
import { ago, plainText, table } from './table.ts';

interface Stats {
  readonly version: string;
  readonly pairings: number;
  readonly connections: number;
  readonly sessions: number;
  readonly requests: number;
  readonly folds: number;
  readonly tokens: { readonly received: number; readonly sent: number };
}

type BlockLine = Pick<Block, 'blockId' | 'tier' | 'topic' | 'state' | 'refs' | 'tokensBefore' | 'tokensAfter'>;

const SHOWN = 1000;

const filesOf = (command: Command): DataFiles => dataFiles(settingsOf(command).data);

function say(command: Command, value: unknown, words: () => string): void {
  process.stdout.write(`${command.values.json === true ? JSON.stringify(value, null, 2) : words()}\n`);
}

const saved = (received: number, sent: number): string =>
  received <= 0 ? '-' : `${Math.round(100 * (1 - sent / received))} %`;

export async function statusVerb(command: Command): Promise<void> {
  const files = filesOf(command);
  const about = await findRunning(files);
  const stats = (await askRunning(files, about.port, '/api/stats')) as Stats;
  say(command, { ...about, ...stats }, () =>
    table(
      ['companion', `running on http://127.0.0.1:${about.port} (pid ${about.pid}, version ${stats.version})`],
      [
        ['browsers', `${stats.pairings} paired, ${stats.connections} connected`],
        ['sessions', `${stats.sessions}, ${stats.requests} requests, ${stats.folds} folds`],
        [
          'tokens',
          `${stats.tokens.received} received, ${stats.tokens.sent} sent, saved ${saved(stats.tokens.received, stats.tokens.sent)}`,
        ],
      ],
    ),
  );
}

export async function sessionsVerb(command: Command): Promise<void> {
  const sessions = await reading(filesOf(command), (from) => allSessions(from, SHOWN));
  say(command, { sessions }, () => {
    if (sessions.length === 0) return 'No conversations yet.';
    const rows = sessions.map((one) => [
      one.session,
      ago(one.usedAt, Date.now()),
      one.site ?? '-',
      one.stats.requests,
      one.stats.folds,
      saved(one.stats.received, one.stats.sent),
      plainText(one.title, 48),
    ]);
    return table(['session', 'used', 'site', 'requests', 'folds', 'saved', 'title'], rows);
  });
}

export async function showVerb(command: Command): Promise<void> {
  const [asked = ''] = command.words;
  const found = await reading(filesOf(command), async (from) => {
    const record = await oneSession(from, asked);
    return (await from.get(pathOf(record))) as { session: SessionRecord; blocks: BlockLine[] };
  });
  say(command, found, () => showText(found.session, found.blocks));
}

function showText(one: SessionRecord, blocks: readonly BlockLine[]): string {
  const lineage =
    one.lineage === null
      ? 'none'
      : `${one.lineage.kind} of ${one.lineage.parents.join(', ')} (${one.lineage.shared} turns shared)`;
  const facts = table(
    ['session', one.session],
    [
      ['title', plainText(one.title)],
      ['site', one.site ?? '-'],
      ['model', one.model ?? '-'],
      ['recognised', `${one.last.via}, ${one.last.depth} of ${one.last.incoming} turns (${one.last.reason.code})`],
      ['lineage', lineage],
      ['requests', `${one.stats.requests}, last ${ago(one.usedAt, Date.now())}`],
      [
        'tokens',
        `${one.stats.received} received, ${one.stats.sent} sent, saved ${saved(one.stats.received, one.stats.sent)}, spent on folds ${one.stats.foldCost}`,
      ],
      ['window', one.window.tokens === null ? 'unknown' : `${one.window.tokens} tokens (${one.window.source})`],
    ],
  );
  if (blocks.length === 0) return `${facts}\n\nNothing is folded.`;
  const rows = blocks.map((block) => [
    block.blockId,
    block.tier,
    block.state,
    `${block.refs[0]}-${block.refs[1]}`,
    block.tokensBefore,
    block.tokensAfter,
    plainText(block.topic, 40),
  ]);
  return `${facts}\n\n${table(['block', 'tier', 'state', 'messages', 'before', 'after', 'topic'], rows)}`;
}
