/** The command line as a process of its own, from the sources. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const CLI = join(import.meta.dirname, '../../src/cli.ts');

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function launch(args: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', CLI, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  const watchers = new Set<() => void>();
  child.stdout.on('data', (part: Buffer) => {
    out += part.toString('utf8');
    for (const one of watchers) one();
  });
  child.stderr.on('data', (part: Buffer) => {
    err += part.toString('utf8');
  });
  const done = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  const line = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(out);
        if (match !== null) resolve(match[1] ?? match[0]);
      };
      watchers.add(look);
      void done.then(({ err: problem }) => reject(new Error(`ended: ${problem}`)));
      look();
    });
  return { child, done, line };
}

export const run = (args: string[], environment?: Record<string, string>): Promise<Ran> => launch(args, environment).done;
