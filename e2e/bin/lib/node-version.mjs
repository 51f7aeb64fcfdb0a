/** Refuses old Node versions with a sentence instead of a syntax error somewhere later. */
import { fail } from './say.mjs';

const NEEDED = [20, 19];

/** Call first. This file and what it imports run on old versions too. */
export function requireNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return;
  fail(
    'old-node',
    `This needs Node ${NEEDED.join('.')} or newer and runs on ${version}. Install a newer Node from https://nodejs.org and run the command again.`,
  );
}
