/** `throughline lane`: the base URL for a client that can set one, under a key of its own. A running companion sees every change at once. */
import { Fault } from '../fault.ts';
import { type DataFiles, dataFiles, makePrivateDirectory } from '../files.ts';
import { isLaneName, type LaneKey, type LaneKeys, openLaneKeys } from '../lane/keys.ts';
import { openPairings, type Pairing } from '../pairing/pairings.ts';
import { type Command, textFlag } from './arguments.ts';
import { lookForRunning } from './running.ts';
import { settingsOf } from './settings.ts';
import { ago, table } from './table.ts';

const HELP = 'Run "throughline lane --help".';

const usage = (sentence: string): Fault => new Fault('usage', sentence, HELP, 2);

/** A page origin as a browser sends it. `null` is every sandbox's origin, so it is nobody's. */
function originOf(command: Command): string | null {
  const text = textFlag(command, 'allow-origin');
  if (text === undefined) return null;
  const origin = text.toLowerCase().replace(/\/$/, '');
  if (/^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.[\]:_-]+$/.test(origin)) return origin;
  throw usage('--allow-origin must be one origin, like "tauri://localhost" or "http://localhost:5173".');
}

/** The scope of the browser that the key is to share. */
function pairedScope(files: DataFiles, asked: string | undefined): string {
  const pairings = openPairings(files.pairings).list();
  const known = (one: Pairing): string => `${one.scope} (${one.origin.split(':')[0]}, ${ago(one.createdAt, Date.now())})`;
  if (pairings.length === 0) throw new Fault('not-paired', 'No browser is paired here.', 'Pair one with "throughline pair".');
  const choice = `Add --scope with one of: ${pairings.map(known).join(', ')}.`;
  const fitting = pairings.filter((one) => asked === undefined || one.scope === asked);
  const [only, ...more] = fitting;
  if (only !== undefined && more.length === 0) return only.scope;
  throw new Fault('which-browser', only === undefined ? 'No such browser is paired.' : 'Several browsers are paired.', choice);
}

/** The key as it is to be: the one in force, or a fresh one. Never another scope than it had. */
function keyFor(command: Command, files: DataFiles, keys: LaneKeys, name: string): LaneKey {
  const known = keys.named(name);
  const origin = originOf(command);
  const paired = command.values.paired === true;
  const rotate = command.values.rotate === true;
  if (known === null && rotate)
    throw new Fault('no-such-key', 'There is no key of this name.', 'See "throughline lane --list".');
  if (known !== null && paired && !known.paired) {
    throw new Fault('own-scope', `The key "${name}" has a scope of its own, and keeps it.`, 'Choose another --name.');
  }
  if (known !== null && known.key !== null && !rotate) {
    if (origin === null || origin === known.origin) return known;
    const now = known.origin === null ? 'no page' : known.origin;
    throw new Fault('key-exists', `The key "${name}" is there already, for ${now}.`, 'Add --rotate to make it anew.');
  }
  const scope = known?.scope ?? (paired ? pairedScope(files, textFlag(command, 'scope')) : null);
  return keys.issue({
    ...{ name, scope, at: Date.now() },
    origin: origin ?? known?.origin ?? null,
    paired: known?.paired ?? paired,
  });
}

function listed(keys: LaneKeys): string {
  const rows = keys
    .list()
    .map((one) => [
      one.name,
      one.key === null ? 'revoked' : 'in force',
      one.paired ? `${one.scope} (a browser's)` : one.scope,
      one.origin ?? '-',
      ago(one.createdAt, Date.now()),
    ]);
  if (rows.length === 0) return 'No keys yet. "throughline lane --name NAME" makes one.';
  return table(['name', 'state', 'scope', 'page', 'made'], rows);
}

function explained(base: string, running: boolean): string {
  const examples = [
    ['OPENAI_BASE_URL', `${base}/https://api.openai.com/v1`],
    ['ANTHROPIC_BASE_URL', `${base}/https://api.anthropic.com`],
  ] as const;
  const lines = [
    base,
    '',
    "Put it in front of the provider's base URL, for example",
    ...examples.map(([name, url]) => `  ${name}=${url}`),
    'It holds a key: who has it can use this lane.',
  ];
  return [...lines, ...(running ? [] : ['The companion is not running: start it with "throughline serve".'])].join('\n');
}

export async function laneVerb(command: Command): Promise<void> {
  const config = settingsOf(command);
  const files = dataFiles(config.data);
  const name = textFlag(command, 'name') ?? 'default';
  if (!isLaneName(name)) throw usage('--name must be 1 to 64 letters, digits, dots, dashes or underscores.');
  const ways = ['list', 'revoke', 'rotate'].filter((way) => command.values[way] === true);
  if (ways.length > 1) throw usage(`--${ways.join(' and --')} do not go together.`);
  const keys = openLaneKeys(files.lanes);
  if (command.values.list === true) return void process.stdout.write(`${listed(keys)}\n`);
  if (command.values.revoke === true) {
    if (keys.named(name) === null) {
      throw new Fault('no-such-key', 'There is no key of this name.', 'See "throughline lane --list".');
    }
    keys.revoke(name);
    return void process.stdout.write(
      `The key "${name}" is revoked. Its conversations stay; a new key of this name has them again.\n`,
    );
  }
  makePrivateDirectory(files.directory);
  const made = keyFor(command, files, keys, name);
  const running = await lookForRunning(files);
  const base = `http://127.0.0.1:${running?.port ?? config.port}/lane/${made.key}`;
  process.stdout.write(`${explained(base, running !== null)}\n`);
}
