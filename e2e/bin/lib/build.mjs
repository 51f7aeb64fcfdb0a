/** Builds companion and extension when a build is missing or older than what it is made of. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './children.mjs';
import { CLI, extensionFolder, inRoot } from './paths.mjs';
import { fail, progress } from './say.mjs';

const SKIP = new Set(['node_modules', 'dist', 'test']);

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path)
    .filter((name) => !SKIP.has(name))
    .reduce((time, name) => Math.max(time, newest(join(path, name))), 0);
}

/** Is the build younger than all of its sources? */
function isCurrent(output, sources) {
  if (!existsSync(output)) return false;
  const built = statSync(output).mtimeMs;
  return sources.every((source) => newest(inRoot(source)) <= built);
}

const COMMON = ['shared', 'package-lock.json'];

const CHROME = 'chrome';

/** Each build of the extension: its folder and how it is made. */
const EXTENSION_BUILDS = {
  chrome: { args: [], env: {} },
  'chrome-test': { args: ['--', '--mode', 'test'], env: {} },
  firefox: { args: [], env: { BROWSER: 'firefox' } },
  'firefox-test': { args: ['--', '--mode', 'test'], env: { BROWSER: 'firefox' } },
};

/** Makes what is missing or old; what could not be built, or null. `extensions`: which builds of the extension are needed. */
export async function build({ extensions = [CHROME] } = {}) {
  const parts = [
    { name: 'companion', label: 'companion', output: CLI, args: [], env: {} },
    ...extensions.map((build) => ({
      name: 'extension',
      label: build === CHROME ? 'extension' : `extension (${build})`,
      output: join(extensionFolder(build), 'manifest.json'),
      ...EXTENSION_BUILDS[build],
    })),
  ];
  for (const { name, label, output, args, env } of parts) {
    if (isCurrent(output, [name, ...COMMON])) continue;
    progress(`Building the ${label} …`);
    const code = await run('npm', ['run', 'build', '--silent', '-w', name, ...args], { quiet: true, env });
    if (code !== 0 || !existsSync(output)) return label;
  }
  return null;
}

/** The same, ending the script with a sentence when something could not be built. */
export async function ensureBuild(options) {
  const failed = await build(options);
  if (failed !== null) fail('build-failed', `The ${failed} could not be built; the reason is above.`);
}
