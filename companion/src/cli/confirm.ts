/** A question before what cannot be undone. Without a person at the terminal only `--yes` is an answer. */
import { createInterface } from 'node:readline/promises';
import { Fault } from '../fault.ts';
import type { Command } from './arguments.ts';

/** Returns when the person said yes; throws otherwise. */
export async function confirm(command: Command, question: string): Promise<void> {
  if (command.values.yes === true) return;
  if (process.stdin.isTTY !== true) {
    throw new Fault('needs-yes', 'Nothing was done, because nobody can be asked here.', 'Add --yes if you mean it.', 2);
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const said = await lines.question(`${question} Type "yes": `);
    if (said.trim().toLowerCase() === 'yes') return;
  } finally {
    lines.close();
  }
  throw new Fault('not-confirmed', 'Nothing was done.', 'Answer with "yes", or add --yes.');
}
