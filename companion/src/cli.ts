#!/usr/bin/env node
/**
 * `throughline`: the command line. Answers go to stdout; a failure is one line on stderr and an exit code (1 it failed, 2 it was
 * asked wrongly).
 */
import { parseCommand } from './cli/arguments.ts';
import { exportVerb } from './cli/export.ts';
import { forgetVerb } from './cli/forget.ts';
import { helpText } from './cli/help.ts';
import { sessionsVerb, showVerb, statusVerb } from './cli/inspect.ts';
import { laneVerb } from './cli/lane.ts';
import { pairVerb } from './cli/pair.ts';
import { searchVerb } from './cli/search.ts';
import { serveVerb } from './cli/serve.ts';
import { importVerb } from './cli/take-in.ts';
import { uninstallVerb } from './cli/uninstall.ts';
import { Fault } from './fault.ts';
import { errorCode } from './log.ts';
import { VERSION } from './version.ts';

async function run(argv: readonly string[]): Promise<void> {
  const command = parseCommand(argv);
  if (command.values.version === true) return void process.stdout.write(`${VERSION}\n`);
  if (command.values.help === true) return void process.stdout.write(helpText(command.verb));
  switch (command.verb) {
    case 'serve':
      return serveVerb(command);
    case 'pair':
      return pairVerb(command);
    case 'lane':
      return laneVerb(command);
    case 'status':
      return statusVerb(command);
    case 'sessions':
      return sessionsVerb(command);
    case 'show':
      return showVerb(command);
    case 'search':
      return searchVerb(command);
    case 'export':
      return exportVerb(command);
    case 'import':
      return importVerb(command);
    case 'forget':
      return forgetVerb(command);
    case 'uninstall':
      return uninstallVerb(command);
  }
}

/** The one line for any thrown value. Messages of foreign errors are never shown: some quote what was sent. */
function lineOf(error: unknown): { line: string; exit: number } {
  if (error instanceof Fault) return { line: error.line(), exit: error.exit };
  const line = `throughline: internal: Something went wrong (${errorCode(error)}). Please report it with what you were doing.`;
  return { line, exit: 1 };
}

process.on('uncaughtException', (error) => {
  process.stderr.write(`${lineOf(error).line}\n`);
  process.exit(1);
});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of a pipe went away: nobody is left to tell.
  if (error.code === 'EPIPE') process.exit(0);
});

run(process.argv.slice(2)).catch((error: unknown) => {
  const { line, exit } = lineOf(error);
  process.stderr.write(`${line}\n`);
  process.exitCode = exit;
});
