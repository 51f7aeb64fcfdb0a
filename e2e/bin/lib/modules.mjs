/** Installs node_modules when something of the lock file is missing or has another version. */
import { existsSync, readFileSync } from 'node:fs';
import { installPackages, isDebianRoot } from './apt.mjs';
import { run } from './children.mjs';
import { inRoot } from './paths.mjs';
import { fail, progress } from './say.mjs';

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/** Does what npm recorded as installed agree with the lock file? */
function modulesAreCurrent() {
  const installedFile = inRoot('node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const wanted = packagesOf(inRoot('package-lock.json'));
  const installed = packagesOf(installedFile);
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true;
    if (installed[path] === undefined) return entry.optional === true || entry.devOptional === true || entry.peer === true;
    return entry.link === true ? existsSync(inRoot(path)) : installed[path].version === entry.version;
  });
}

/** `npm ci` when it is needed. */
export async function ensureModules() {
  if (modulesAreCurrent()) return;
  progress('Installing packages (the first time this takes a minute or two) …');
  const install = () => run('npm', ['ci', '--no-audit', '--no-fund'], { quiet: true });
  let code = await install();
  if (code !== 0 && isDebianRoot()) {
    progress('Trying again with a C++ compiler for the database …');
    if (await installPackages(['build-essential', 'python3'])) code = await install();
  }
  if (code !== 0) {
    fail(
      'install-failed',
      '`npm ci` did not finish; its own message is above. If it is about node-gyp, install a C++ compiler and Python 3 (Debian: apt-get install build-essential python3) and run the command again.',
    );
  }
}
