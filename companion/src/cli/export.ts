/** `throughline export SESSION | --all`: to stdout or into a private file, whole or not at all. */
import { resolve } from 'node:path';
import { jsonPieces, MARKDOWN_RULE, markdownOf, type PortableSession } from '@throughline/shared/session/portable';
import type { SessionRecord, Tombstone } from '@throughline/shared/session/records';
import { Fault } from '../fault.ts';
import { dataFiles, writePrivateFile } from '../files.ts';
import { nodeSha256 } from '../hash.ts';
import { errorCode } from '../log.ts';
import { type Command, textFlag } from './arguments.ts';
import { allSessions, oneSession, pathOf } from './one-session.ts';
import { type Reading, reading } from './reading.ts';
import { settingsOf } from './settings.ts';

const HELP = 'Run "throughline export --help".';

async function wholeOf(from: Reading, records: readonly SessionRecord[]): Promise<readonly PortableSession[]> {
  const sessions: PortableSession[] = [];
  for (const record of records) {
    const whole = (await from.get(pathOf(record, '/snapshot'))) as PortableSession | null;
    // Forgotten while we were reading: it is not in the file.
    if (whole !== null) sessions.push(whole);
  }
  return sessions;
}

async function textOf(command: Command, format: string, from: Reading): Promise<string> {
  const [asked] = command.words;
  const records = asked === undefined ? await allSessions(from) : [await oneSession(from, asked)];
  const sessions = await wholeOf(from, records);
  if (format === 'markdown') return sessions.map((one) => markdownOf(one, nodeSha256)).join(MARKDOWN_RULE);
  const { tombstones } =
    asked === undefined ? ((await from.get('/api/tombstones')) as { tombstones: Tombstone[] }) : { tombstones: [] };
  return `${[...jsonPieces(sessions, tombstones, Date.now())].join('')}\n`;
}

export async function exportVerb(command: Command): Promise<void> {
  if ((command.words.length === 1) === (command.values.all === true)) {
    throw new Fault('usage', '"export" needs exactly one of: SESSION, --all.', HELP, 2);
  }
  const format = textFlag(command, 'format') ?? 'json';
  if (format !== 'json' && format !== 'markdown') {
    throw new Fault('usage', '--format must be json or markdown.', HELP, 2);
  }
  const out = textFlag(command, 'out');
  const text = await reading(dataFiles(settingsOf(command).data), (from) => textOf(command, format, from));
  if (out === undefined) return void process.stdout.write(text);
  try {
    writePrivateFile(resolve(out), text);
  } catch (error) {
    throw new Fault('cannot-write', `The file cannot be written (${errorCode(error)}).`, 'Choose another place with --out.');
  }
}
