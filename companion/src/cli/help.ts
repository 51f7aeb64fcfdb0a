/** The words of `--help`. */
import type { Verb } from './arguments.ts';

const GENERAL = `throughline: keeps long web chats cheap and continuous. This is the companion on this computer.

Usage: throughline [COMMAND] [FLAGS]

Commands
  serve            run the companion (the default)
  pair             print a pairing link for a browser; works once, for two minutes
  status           say whether the companion runs, and what it has done
  sessions         list conversations
  show SESSION     one conversation: how it was recognised, its folds, its figures

Flags for every command
  --data DIR       data directory (also THROUGHLINE_DATA)
  --config FILE    config file (JSON)
  --help           this text, or the text of one command
  --version        the version

Exit codes: 0 done, 1 it failed, 2 it was asked wrongly.
`;

const READING = `
  --json           for machines: the whole answer as JSON
  --data DIR       data directory of the running companion
`;

const TEXTS: Readonly<Record<Verb, string>> = {
  serve: `${GENERAL}
Flags of serve
  --port N               port on 127.0.0.1 (default 4747, else the next free of 4748 to 4751; 0: any free one)
  --ephemeral            keep no conversation on disk
  --no-open              never open a browser
  --log-level LEVEL      silent, error, warn, info or debug (default warn; lines go to stderr)
  --allow-upstream URL   a loopback or private origin that may be called, e.g. http://127.0.0.1:11434; repeatable
  --print-config         print every setting with its value and unit, and stop

Settings come from flags, else THROUGHLINE_* variables, else the config file, else defaults.
HTTPS_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS are respected.
`,
  pair: `Usage: throughline pair [--no-open] [--data DIR]

Prints a pairing link for the running companion. Open it in the browser that has the extension, or paste it into the extension's
popup. It works once, for two minutes.
`,
  status: `Usage: throughline status [--json] [--data DIR]\n${READING}`,
  sessions: `Usage: throughline sessions [--json] [--data DIR]\n${READING}`,
  show: `Usage: throughline show SESSION [--json] [--data DIR]\n\n  SESSION          a session id, or the beginning of one\n${READING}`,
};

export function helpText(verb: Verb): string {
  return TEXTS[verb];
}
