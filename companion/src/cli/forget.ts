/** `throughline forget SESSION | --site ORIGIN | --all`. */
import type { Forgotten } from '../acts/forget.ts';
import type { ForgetAct } from '../acts/world.ts';
import { Fault } from '../fault.ts';
import { dataFiles } from '../files.ts';
import { carryOut } from './act.ts';
import { type Command, textFlag } from './arguments.ts';
import { confirm } from './confirm.ts';
import { allSessions, oneSession } from './one-session.ts';
import { type Reading, reading } from './reading.ts';
import { settingsOf } from './settings.ts';
import { plainText } from './table.ts';

const HELP = 'Run "throughline forget --help".';
const FOR_GOOD = 'In the browser too, at once or when it next connects. This cannot be undone.';

function siteOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url.origin;
  throw new Fault('usage', '--site must be an origin like "https://chat.example".', HELP, 2);
}

interface Wanted {
  readonly act: ForgetAct;
  readonly question: string;
}

async function wantedOf(command: Command, from: Reading): Promise<Wanted> {
  const [asked] = command.words;
  if (asked !== undefined) {
    const { scope, session, title } = await oneSession(from, asked);
    const question = `Forget "${plainText(title)}" (${session})? ${FOR_GOOD}`;
    return { act: { act: 'forget', what: 'session', scope, session }, question };
  }
  const site = textFlag(command, 'site');
  const sessions = await allSessions(from);
  if (site === undefined) {
    return { act: { act: 'forget', what: 'all' }, question: `Forget all ${sessions.length} conversations? ${FOR_GOOD}` };
  }
  const origin = siteOf(site);
  const count = sessions.filter((one) => one.site === origin).length;
  const question = `Forget the ${count} conversations of ${origin}? ${FOR_GOOD}`;
  return { act: { act: 'forget', what: 'site', site: origin }, question };
}

export async function forgetVerb(command: Command): Promise<void> {
  const ways = [command.words.length > 0, command.values.site !== undefined, command.values.all === true];
  if (ways.filter(Boolean).length !== 1) {
    throw new Fault('usage', '"forget" needs exactly one of: SESSION, --site ORIGIN, --all.', HELP, 2);
  }
  const config = settingsOf(command);
  const files = dataFiles(config.data);
  const site = textFlag(command, 'site');
  if (site !== undefined) siteOf(site);
  const { act, question } = await reading(files, (from) => wantedOf(command, from));
  await confirm(command, question);
  const done = (await carryOut(act, files, config)) as Forgotten;
  const lines = [`Forgotten: ${done.sessions} ${done.sessions === 1 ? 'conversation' : 'conversations'}.`];
  if (done.asideRemoved > 0) lines.push(`Removed ${done.asideRemoved} damaged files that were kept aside.`);
  if (done.asideLeft > 0) {
    lines.push(`${done.asideLeft} damaged files are kept aside here and may hold anything: "forget --all" removes them.`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}
