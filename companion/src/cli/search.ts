/** `throughline search WORDS`: where the words stand, best first. */
import { Fault } from '../fault.ts';
import { dataFiles } from '../files.ts';
import type { Hit } from '../store/search.ts';
import { type Command, textFlag } from './arguments.ts';
import { oneSession } from './one-session.ts';
import { reading } from './reading.ts';
import { settingsOf } from './settings.ts';
import { ago, plainText } from './table.ts';

const MOST = 1000;

function limitOf(command: Command): string {
  const text = textFlag(command, 'limit') ?? '20';
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= MOST) return text;
  throw new Fault('usage', `--limit must be a whole number from 1 to ${MOST}.`, 'Run "throughline search --help".', 2);
}

function linesOf(hit: Hit): string {
  const where = hit.kind === 'block' ? `${hit.at} (summary)` : `${hit.at} (${plainText(hit.role ?? 'unknown', 20)})`;
  const head = [hit.session, where, ago(hit.usedAt, Date.now()), plainText(hit.title, 48)].map((part) => plainText(part, 80));
  return `${head.join('  ')}\n    ${plainText(hit.snippet, 180)}`;
}

export async function searchVerb(command: Command): Promise<void> {
  const limit = limitOf(command);
  const within = textFlag(command, 'session');
  const hits = await reading(dataFiles(settingsOf(command).data), async (from) => {
    const query = new URLSearchParams({ q: command.words.join(' '), limit });
    if (within !== undefined) query.set('session', (await oneSession(from, within)).session);
    return ((await from.get(`/api/search?${query}`)) as { hits: readonly Hit[] }).hits;
  });
  if (command.values.json === true) return void process.stdout.write(`${JSON.stringify({ hits }, null, 2)}\n`);
  process.stdout.write(hits.length === 0 ? 'Nothing was found.\n' : `${hits.map(linesOf).join('\n')}\n`);
}
