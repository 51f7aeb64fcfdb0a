/** The demo server and the companion as processes, told about each other. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { keep } from './children.mjs';
import { CLI, ROOT } from './paths.mjs';
import { fail } from './say.mjs';

const execute = promisify(execFile);
const cli = (...args) => execute(process.execPath, [CLI, ...args], { cwd: ROOT });

/** Where the companion keeps its data, as it says itself. */
export async function dataFolder() {
  const { stdout } = await cli('serve', '--print-config');
  const found = /^\s*"?data"?\s*[=:]\s*("(?:[^"\\]|\\.)*")/m.exec(stdout)?.[1];
  if (found === undefined)
    fail(
      'no-data-folder',
      'The companion did not say where it keeps its data. Run `npm run companion -- serve --print-config` to see why.',
    );
  const folder = JSON.parse(found);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** The demo model and its chat page; takes a free port when this one is taken. */
export async function startDemoServer(port, args = []) {
  const { match, stop } = await keep(
    process.execPath,
    ['--import', 'tsx', 'e2e/demo/main.ts', '--port', String(port), ...args],
    /listening on (\S+)/,
  );
  return { origin: match[1], stop };
}

/** Windows of the demo model, which no table of real models knows. */
const WINDOWS = { 'demo-small': 16_384, 'demo-32k': 32_768, 'demo-128k': 131_072 };

/** Starts the companion for this demo origin. `paired` is false when it says that no browser is. */
export async function startCompanion({ data, origin, port = null }) {
  const args = [
    CLI,
    'serve',
    '--no-open',
    '--allow-upstream',
    origin,
    '--data',
    data,
    ...(port === null ? [] : ['--port', String(port)]),
  ];
  const env = { THROUGHLINE_WINDOWS: process.env.THROUGHLINE_WINDOWS ?? JSON.stringify({ [origin]: WINDOWS }) };
  try {
    const { match, stop, ended } = await keep(process.execPath, args, /listening on (http:\/\/127\.0\.0\.1:\d+)/, { env });
    return { origin: match[1], data, stop, ended };
  } catch (error) {
    return fail('companion-failed', `The companion did not start. It said: ${error.message}`);
  }
}

/** A fresh pairing link that also switches on the demo chat. */
export async function pairingLink(data, site) {
  const { stdout } = await cli('pair', '--no-open', '--data', data);
  const link = /http:\/\/127\.0\.0\.1:\d+\/pair#k=[0-9a-f]+/.exec(stdout)?.[0];
  if (link === undefined) fail('no-pairing-link', `The companion gave no pairing link. It said: ${stdout.trim()}`);
  return `${link}&site=${encodeURIComponent(site)}`;
}
