/**
 * The configuration: defaults, then the file, then the environment, then flags. Every value is checked by name; a wrong one is
 * refused at start, with the name and what it should be. The result is frozen.
 */
import type { FoldSettings } from '@throughline/shared/fold/budget';
import * as v from 'valibot';
import { Fault } from './fault.ts';
import type { LogLevel } from './log.ts';
import { OPTIONS, type Option } from './options.ts';
import { approvedOrigin } from './upstream/rules.ts';

export interface Config {
  readonly port: number;
  readonly data: string;
  readonly logLevel: LogLevel;
  readonly fold: FoldSettings;
  readonly windows: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly upstream: { readonly allow: readonly string[]; readonly firstByteSeconds: number; readonly idleSeconds: number };
  readonly adoption: boolean;
  readonly coverage: 'repair' | 'warn' | 'off';
  readonly transcriptRender: boolean;
  readonly retentionDays: number;
}

type Flat = Record<string, unknown>;

/** Values by dotted name, from a nested object; an unknown name is refused. */
function flatten(value: unknown, source: string, prefix = ''): Flat {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('bad-config', `${source} ${prefix || 'file'} must be an object.`, hint, 2);
  }
  const flat: Flat = {};
  for (const [key, inner] of Object.entries(value)) {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (OPTIONS.some((option) => option.name === name)) flat[name] = inner;
    else if (OPTIONS.some((option) => option.name.startsWith(`${name}.`))) Object.assign(flat, flatten(inner, source, name));
    else throw new Fault('unknown-setting', `${source} has no setting "${name.slice(0, 80)}".`, hint, 2);
  }
  return flat;
}

const hint = 'See "throughline serve --print-config" for every setting.';

/** `subject` is the setting as the person wrote it: in the file, as a variable, as a flag. */
function checked(option: Option, value: unknown, subject: string): unknown {
  const result = v.safeParse(option.schema, value);
  if (!result.success) throw new Fault('bad-setting', `${subject} must be ${option.says}.`, hint, 2);
  return result.output;
}

/** `upstream.allow` is `--allow-upstream` on the command line, `logLevel` is `--log-level`. */
function flagName(name: string): string {
  if (name === 'upstream.allow') return '--allow-upstream';
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `fold.triggerRatio` is `THROUGHLINE_FOLD_TRIGGER_RATIO` in the environment. */
function environmentName(name: string): string {
  return `THROUGHLINE_${name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;
}

function fromEnvironment(option: Option, text: string): unknown {
  if (option.text) return text;
  try {
    return JSON.parse(text);
  } catch {
    // A bare word where JSON was expected: the check below refuses it by name.
    return text;
  }
}

export interface ConfigSources {
  readonly file: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Dotted name to value, already of the right JavaScript type. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly defaultData: string;
}

/** The configuration these sources give, or a `Fault` that names the wrong value. */
export function loadConfig(sources: ConfigSources): Config {
  const flat: Flat = Object.fromEntries(OPTIONS.map((option) => [option.name, option.fallback ?? null]));
  flat.data = sources.defaultData;
  if (sources.file !== null) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(sources.file);
    } catch {
      throw new Fault('bad-config', 'The config file is not JSON.', hint, 2);
    }
    const named = flatten(parsed, 'config file:');
    for (const option of OPTIONS) {
      if (Object.hasOwn(named, option.name))
        flat[option.name] = checked(option, named[option.name], `config file: ${option.name}`);
    }
  }
  for (const option of OPTIONS) {
    const variable = environmentName(option.name);
    const text = sources.environment[variable];
    if (text !== undefined && text !== '')
      flat[option.name] = checked(option, fromEnvironment(option, text), `${variable}: ${option.name}`);
  }
  for (const option of OPTIONS) {
    if (!Object.hasOwn(sources.flags, option.name)) continue;
    const value = checked(option, sources.flags[option.name], flagName(option.name));
    flat[option.name] = option.name === 'upstream.allow' ? [...(flat[option.name] as string[]), ...(value as string[])] : value;
  }
  return deepFreeze(nest(flat)) as unknown as Config;
}

function nest(flat: Flat): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(flat)) {
    const path = name.split('.');
    let place = root;
    for (const key of path.slice(0, -1)) {
      place[key] ??= {};
      place = place[key] as Record<string, unknown>;
    }
    place[path.at(-1) ?? name] = value;
  }
  return root;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

/** Every setting with its value and unit, for `serve --print-config`. */
export function printConfig(config: Config): string {
  const rows = OPTIONS.map((option) => {
    const value = option.name.split('.').reduce<unknown>((place, key) => (place as Record<string, unknown>)[key], config);
    const note = option.unused === true ? ' Not used yet: changes nothing.' : '';
    return `${option.name} = ${JSON.stringify(value)}\n    ${option.says}. ${option.unit}${note} Environment: ${environmentName(option.name)}`;
  });
  return rows.join('\n');
}

/**
 * The window configured for this upstream and model, or the general one, or null. By the upstream's origin: a window is a property of
 * the server that answers, whatever page asks it.
 */
export function configuredWindow(config: Config, url: string, model: string | null): number | null {
  const origin = approvedOrigin(new URL(url).origin);
  const named = Object.entries(config.windows).find(([key]) => approvedOrigin(key) === origin)?.[1];
  return (model === null ? undefined : named?.[model]) ?? config.fold.windowTokens;
}
