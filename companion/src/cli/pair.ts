/** `throughline pair`: a link that pairs one browser with the running companion. */
import { dataFiles } from '../files.ts';
import { leaveSecret } from '../pairing/secrets.ts';
import type { Command } from './arguments.ts';
import { isAttended, openBrowser } from './browser.ts';
import { findRunning } from './running.ts';
import { settingsOf } from './settings.ts';

export async function pairVerb(command: Command): Promise<void> {
  const files = dataFiles(settingsOf(command).data);
  const { port } = await findRunning(files);
  const link = `http://127.0.0.1:${port}/pair#k=${leaveSecret(files.pairing, Date.now())}`;
  process.stdout.write(`${link}\nOpen this link in the browser that has the extension. It works once, for two minutes.\n`);
  if (command.values['no-open'] !== true && isAttended()) openBrowser(link);
}
