/** From a command to its configuration and data directory. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import envPaths from 'env-paths';
import { type Config, loadConfig } from '../config.ts';
import { Fault } from '../fault.ts';
import { type Command, textFlag } from './arguments.ts';

function configFile(path: string | undefined): string | null {
  if (path === undefined) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Fault('no-config', 'The config file cannot be read.', 'Check the path given with --config.', 2);
  }
}

/** The configuration of this command. */
export function settingsOf(command: Command): Config {
  const flags: Record<string, unknown> = {};
  const port = textFlag(command, 'port');
  if (port !== undefined) flags.port = /^\d+$/.test(port) ? Number(port) : port;
  const data = textFlag(command, 'data');
  if (data !== undefined) flags.data = data === '' ? '' : resolve(data);
  const level = textFlag(command, 'log-level');
  if (level !== undefined) flags.logLevel = level;
  const allow = command.values['allow-upstream'];
  if (Array.isArray(allow)) flags['upstream.allow'] = allow;
  return loadConfig({
    file: configFile(textFlag(command, 'config')),
    environment: process.env,
    flags,
    defaultData: envPaths('throughline', { suffix: '' }).data,
  });
}
