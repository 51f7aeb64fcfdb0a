/** The demo's table: one row a turn. */
import type { Turn } from './talk.ts';

const COLUMNS: readonly (readonly [string, number])[] = [
  ['turn', 4],
  ['session', 10],
  ['via', 8],
  ['depth', 7],
  ['page sent', 9],
  ['upstream', 9],
  ['saved', 6],
  ['blocks', 6],
];

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, index) =>
      index === 1 || index === 2 ? cell.padEnd(COLUMNS[index]?.[1] ?? 0) : cell.padStart(COLUMNS[index]?.[1] ?? 0),
    )
    .join('  ');

export const heading = (): string => line(COLUMNS.map(([name]) => name));

export function row(turn: Turn): string {
  const { view } = turn;
  const received = view?.stats.lastReceived ?? turn.pageTokens;
  const sent = view?.stats.lastSent ?? turn.sentTokens;
  const saved = received === 0 ? 0 : Math.round((1 - sent / received) * 100);
  const cells = [
    String(turn.number),
    (view?.session ?? '-').slice(-10),
    turn.failed ? 'FAILED' : (view?.why.via ?? 'bypass'),
    view === null ? '-' : `${view.why.depth}/${view.why.incoming}`,
    String(received),
    String(sent),
    `${saved} %`,
    String(view?.blocks ?? '-'),
  ];
  return line(cells) + (turn.failed ? `  ${turn.reply.slice(-120)}` : '');
}
