/**
 * `throughline uninstall`: removes the data and keys of this data directory, and nothing that it does not know as its own.
 */
import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ACT_FILE } from '../acts/asked.ts';
import { Fault } from '../fault.ts';
import { type DataFiles, dataFiles } from '../files.ts';
import type { Command } from './arguments.ts';
import { confirm } from './confirm.ts';
import { holdDirectory, refuseForeign } from './reading.ts';
import { settingsOf } from './settings.ts';

/** What SQLite, a file set aside, a half-written file and a turned log add to a name. */
const ADDED = /^(-wal|-shm|-journal|\.corrupt-[\w-]+|\.[0-9a-f]{12}\.tmp|\.\d+)*$/;

/** True for a name that only a companion gives. */
export function isOurs(name: string, files: DataFiles): boolean {
  if (ACT_FILE.test(name)) return true;
  const { directory: _, ...known } = files;
  return Object.values(known)
    .map((path) => basename(path))
    .some((own) => name.startsWith(own) && ADDED.test(name.slice(own.length)));
}

const LEFT = `Not removed, because it is not kept there:
  - the extension: remove it in the browser (chrome://extensions or about:addons); its data goes with it
  - an autostart entry, if you made one: see "Start it with your computer" in the README
  - the program itself: delete its folder (or "npm uninstall -g" it)
  - files you exported`;

export async function uninstallVerb(command: Command): Promise<void> {
  const files = dataFiles(settingsOf(command).data);
  refuseForeign(files);
  const lock = holdDirectory(files);
  if (lock === null) {
    const advice = 'Stop it first: press Ctrl+C where it runs, or end the process that "throughline status" names.';
    throw new Fault('running', 'The companion is running here; nothing was removed.', advice);
  }
  let foreign: readonly string[];
  try {
    await confirm(command, `Remove all conversations, pairings and keys in ${files.directory}? This cannot be undone.`);
    const names = readdirSync(files.directory);
    foreign = names.filter((name) => !isOurs(name, files));
    for (const name of names) {
      if (isOurs(name, files) && !name.startsWith(basename(files.lock))) rmSync(join(files.directory, name), { force: true });
    }
  } finally {
    lock.release();
  }
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(files.lock + suffix, { force: true });
  if (foreign.length === 0) rmdirSync(files.directory);
  const kept =
    foreign.length === 0
      ? ''
      : `\n  - ${foreign.length} files in ${files.directory} that are not the companion's, and the directory`;
  process.stdout.write(`Removed the companion's data and keys.\n${LEFT}${kept}\n`);
}
