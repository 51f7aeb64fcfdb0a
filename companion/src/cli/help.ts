/** The words of `--help`. */
import type { Verb } from './arguments.ts';

const GENERAL = `throughline: keeps long web chats cheap and continuous. This is the companion on this computer.

Usage: throughline [COMMAND] [FLAGS]

Commands
  serve            run the companion (the default)
  pair             print a pairing link for a browser; works once, for two minutes
  lane             print a base URL for an agent or app that can set one
  status           say whether the companion runs, and what it has done
  sessions         list conversations
  show SESSION     one conversation: how it was recognised, its folds, its figures
  search WORDS     find words in messages and summaries
  export SESSION   write a conversation, or all of them, as JSON or Markdown
  import FILE      take conversations in from an export
  forget SESSION   forget a conversation, a site or everything, for good
  uninstall        remove the data and keys of this data directory, after a question

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
  --log-level LEVEL      silent, error, warn, info or debug (default warn; to stderr and <data>/throughline.log)
  --allow-upstream URL   a loopback or private origin that may be called, e.g. http://127.0.0.1:11434; repeatable
  --print-config         print every setting with its value and unit, and stop

Settings come from flags, else THROUGHLINE_* variables, else the config file, else defaults.
HTTPS_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS are respected.
`,
  pair: `Usage: throughline pair [--no-open] [--data DIR]

Prints a pairing link for the running companion. Open it in the browser that has the extension, or paste it into the extension's
popup. It works once, for two minutes.
`,
  lane: `Usage: throughline lane [--name NAME] [--paired] [--allow-origin ORIGIN] [--rotate | --revoke] [--data DIR]
       throughline lane --list

Prints the base URL for a client, and makes its key if there is none. A running companion knows it at once.

  --name NAME           the client's name (default "default"): each has a key and conversations of its own
  --paired              share the conversations' scope with the paired browser; for the apps behind a page you use
  --scope SCOPE         which browser, when several are paired
  --allow-origin ORIGIN a page of this origin may use the key (desktop apps built on a browser); others with an origin are refused
  --rotate              a new key in place of the old one, which stops working
  --revoke              the key stops working; its conversations stay
  --list                every key by name
`,
  status: `Usage: throughline status [--json] [--data DIR]\n${READING}`,
  sessions: `Usage: throughline sessions [--json] [--data DIR]\n${READING}`,
  search: `Usage: throughline search WORDS... [--session SESSION] [--limit N] [--json] [--data DIR]

Finds messages and summaries that hold every word (or its beginning), best first; two characters of Chinese are a word.

  --session SESSION  only this conversation and those it came from
  --limit N          at most so many hits, 1 to 1000 (default 20)
${READING}`,
  export: `Usage: throughline export SESSION | --all [--format json|markdown] [--out FILE] [--data DIR]

Writes to stdout, or to a file that only you can read. JSON holds everything and can be taken in again; Markdown is for reading.
`,
  import: `Usage: throughline import FILE [--again] [--into SCOPE] [--data DIR]

Takes in the conversations of a JSON export: all of them, or none with a reason. What is here already stays as it is. They go to the
browser or key they came from, else to the only one that is known here.

  --again          take in also what was forgotten here, as new conversations under new ids
  --into SCOPE     whom they belong to, when several browsers or keys are known here
`,
  forget: `Usage: throughline forget SESSION | --site ORIGIN | --all [--yes] [--data DIR]

Removes conversations for good: messages, originals, summaries and search entries, here and in the browser (when it next connects, if
it is closed). Works whether the companion runs or not. Asks first.

  --yes            do not ask
`,
  uninstall: `Usage: throughline uninstall [--yes] [--data DIR]

Removes the conversations, pairings and keys in the data directory. Stop the companion first. Says what it does not remove.

  --yes            do not ask
`,
  show: `Usage: throughline show SESSION [--json] [--data DIR]\n\n  SESSION          a session id, or the beginning of one\n${READING}`,
};

export function helpText(verb: Verb): string {
  return TEXTS[verb];
}
