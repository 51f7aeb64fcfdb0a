/**
 * What the person typed: one verb, its flags, its words. Unknown verbs and flags are refused with a hint, never guessed.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Fault } from '../fault.ts';

export const VERBS = [
  'serve',
  'pair',
  'lane',
  'status',
  'sessions',
  'show',
  'search',
  'export',
  'import',
  'forget',
  'uninstall',
] as const;
export type Verb = (typeof VERBS)[number];

type Options = NonNullable<ParseArgsConfig['options']>;
const everywhere: Options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  data: { type: 'string' },
  config: { type: 'string' },
};
const reading: Options = { ...everywhere, json: { type: 'boolean' } };
const asking: Options = { ...everywhere, yes: { type: 'boolean' } };

const FLAGS: Readonly<Record<Verb, Options>> = {
  serve: {
    ...everywhere,
    port: { type: 'string' },
    ephemeral: { type: 'boolean' },
    'no-open': { type: 'boolean' },
    'log-level': { type: 'string' },
    'print-config': { type: 'boolean' },
    'allow-upstream': { type: 'string', multiple: true },
  },
  pair: { ...everywhere, 'no-open': { type: 'boolean' } },
  lane: {
    ...everywhere,
    name: { type: 'string' },
    paired: { type: 'boolean' },
    scope: { type: 'string' },
    'allow-origin': { type: 'string' },
    rotate: { type: 'boolean' },
    revoke: { type: 'boolean' },
    list: { type: 'boolean' },
  },
  status: reading,
  sessions: reading,
  show: reading,
  search: { ...reading, limit: { type: 'string' }, session: { type: 'string' } },
  export: { ...everywhere, all: { type: 'boolean' }, format: { type: 'string' }, out: { type: 'string' } },
  import: { ...everywhere, again: { type: 'boolean' }, into: { type: 'string' } },
  forget: { ...asking, all: { type: 'boolean' }, site: { type: 'string' } },
  uninstall: asking,
};
/** `[X]` may be left out, `X...` may be several. */
const WORDS: Readonly<Record<Verb, readonly string[]>> = {
  serve: [],
  pair: [],
  lane: [],
  status: [],
  sessions: [],
  show: ['SESSION'],
  search: ['WORDS...'],
  export: ['[SESSION]'],
  import: ['FILE'],
  forget: ['[SESSION]'],
  uninstall: [],
};

export interface Command {
  readonly verb: Verb;
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly words: readonly string[];
}

const usage = (sentence: string, verb?: Verb): Fault =>
  new Fault('usage', sentence, `Run "throughline${verb === undefined ? '' : ` ${verb}`} --help".`, 2);

export function parseCommand(argv: readonly string[]): Command {
  const [first = '', ...rest] = argv;
  const named = !first.startsWith('-') && first !== '';
  const verb = named ? VERBS.find((one) => one === first) : 'serve';
  if (verb === undefined) throw usage(`There is no command "${first.slice(0, 40)}".`);
  const args = named ? rest : [...argv];
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args, options: FLAGS[verb], allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(flagProblem(error), verb);
  }
  const values = parsed.values as Command['values'];
  const wanted = WORDS[verb];
  const least = wanted.filter((word) => !word.startsWith('[')).length;
  const most = wanted.some((word) => word.endsWith('...')) ? Number.POSITIVE_INFINITY : wanted.length;
  const given = parsed.positionals.length;
  if (values.help !== true && values.version !== true && (given < least || given > most)) {
    throw usage(
      wanted.length === 0 ? `"${verb}" takes no words.` : `"${verb}" needs exactly: ${wanted.join(' ').replace('...', '')}.`,
      verb,
    );
  }
  return { verb, values, words: parsed.positionals };
}

/** Node's message names the flag; only its first sentence is ours to show. */
function flagProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const flag = /'(-[^' ]*)/.exec(message)?.[1] ?? '';
  if (message.startsWith('Unknown option')) return `There is no flag ${flag.slice(0, 40)}.`;
  return `The flag ${flag.slice(0, 40)} is not used like that.`;
}

export function textFlag(command: Command, name: string): string | undefined {
  const value = command.values[name];
  return typeof value === 'string' ? value : undefined;
}
