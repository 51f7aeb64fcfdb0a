/** Debian packages, only where we may install them without asking: as root, with apt-get. */
import { existsSync } from 'node:fs';
import { run } from './children.mjs';

export const isDebianRoot = () => process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

let updated = false;

/** True when they are installed now. */
export async function installPackages(names) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  if (!updated) {
    updated = true;
    await run('apt-get', ['update', '-qq'], { env });
  }
  return (await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { env, quiet: true })) === 0;
}
