/** `throughline import FILE`. */
import { resolve } from 'node:path';
import type { TakenIn } from '../acts/take-in.ts';
import { dataFiles } from '../files.ts';
import { carryOut } from './act.ts';
import { type Command, textFlag } from './arguments.ts';
import { settingsOf } from './settings.ts';

export async function importVerb(command: Command): Promise<void> {
  const config = settingsOf(command);
  const [path = ''] = command.words;
  const again = command.values.again === true;
  const into = textFlag(command, 'into') ?? null;
  const wanted = { act: 'import', path: resolve(path), again, into } as const;
  const done = (await carryOut(wanted, dataFiles(config.data), config)) as TakenIn;
  const lines = [`Taken in: ${done.taken} ${done.taken === 1 ? 'conversation' : 'conversations'}.`];
  if (done.renamed > 0) lines.push(`${done.renamed} of them under new ids, because theirs were forgotten here.`);
  if (done.known > 0) lines.push(`${done.known} were here already and stay as they are.`);
  if (done.scopes.length > 0) lines.push(`They belong to ${done.scopes.join(', ')}.`);
  process.stdout.write(`${lines.join('\n')}\n`);
}
