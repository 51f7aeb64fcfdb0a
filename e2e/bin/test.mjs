/**
 * `npm test`: installs what is missing, runs every stage also after a failing one, and ends with `N passed, N failed`.
 *
 * The lifetime stage mostly waits (a stream of six minutes takes six minutes), so it runs beside the stages that work, into a file
 * that is printed when it ended.
 */
import { requireNode } from './lib/node-version.mjs';

requireNode();
const { closeSync, mkdtempSync, openSync, readFileSync, rmSync } = await import('node:fs');
const { tmpdir } = await import('node:os');
const { join } = await import('node:path');
const { ensureBrowsers } = await import('./lib/browsers.mjs');
const { build } = await import('./lib/build.mjs');
const { run, stopWithUs } = await import('./lib/children.mjs');
const { ensureModules } = await import('./lib/modules.mjs');
const { inRoot } = await import('./lib/paths.mjs');
const { say } = await import('./lib/say.mjs');

stopWithUs();
await ensureModules();
await ensureBrowsers(['chromium', 'firefox']);

const reports = mkdtempSync(join(tmpdir(), 'throughline-reports-'));
const tool = (name, args, out) => run(process.execPath, [inRoot('node_modules', ...name.split('/')), ...args], { out });
const BIOME = '@biomejs/biome/bin/biome';
const TSC = 'typescript/bin/tsc';

/** Passed and failed tests of a vitest run; a run without a report, or one that failed outside its tests, is one failure. */
function counted(report, code) {
  let read;
  try {
    read = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    // Vitest did not get as far as a report.
    return { passed: 0, failed: 1 };
  }
  // A file can fail outside its tests (an import, a beforeAll): its tests then count as skipped, so the file counts itself.
  const failedInTests = (file) => file.assertionResults.some(({ status }) => status === 'failed');
  const files = read.testResults.filter((file) => file.status === 'failed' && !failedInTests(file));
  const failed = read.numFailedTests + files.length;
  return { passed: read.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

async function vitest(name, out) {
  const report = join(reports, `${name}.json`);
  const config = `e2e/vitest.${name}.config.ts`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return counted(report, await tool('vitest/vitest.mjs', ['run', '--config', config, ...reporters], out));
}

async function check(...codes) {
  const failed = codes.some((code) => code !== 0);
  return { passed: failed ? 0 : 1, failed: failed ? 1 : 0 };
}

async function types() {
  const codes = [];
  for (const project of ['shared', 'shared/test', 'companion', 'extension', 'e2e'])
    codes.push(await tool(TSC, ['-p', project]));
  return check(...codes);
}

async function builds() {
  const failed = await build({ extensions: ['chrome', 'chrome-test', 'firefox', 'firefox-test'] });
  return check(failed === null ? 0 : 1);
}

/** What the others need comes first. */
const FIRST = {
  lint: async () => check(await tool(BIOME, ['check', '--config-path=.biome.jsonc', '.'])),
  types,
  build: builds,
};

const BESIDE = 'lifetime';

const THEN = {
  unit: () => vitest('unit'),
  browser: () => vitest('browser'),
  firefox: () => vitest('firefox'),
  addon: async () =>
    check(
      await tool('web-ext/bin/web-ext.js', [
        'lint',
        '--source-dir',
        inRoot('extension', 'dist', 'firefox'),
        '--no-config-discovery',
      ]),
    ),
  knip: async () => check(await tool('knip/bin/knip.js', [])),
  size: async () => check(await tool('size-limit/bin.js', [])),
};

const totals = { passed: 0, failed: 0 };
const lines = [];

/** What a stage came to and how many seconds it took. */
async function timed(stage) {
  const began = Date.now();
  const came = await stage();
  return { ...came, seconds: Math.round((Date.now() - began) / 1000) };
}

function count(name, { passed, failed, seconds }) {
  totals.passed += passed;
  totals.failed += failed;
  lines.push(`${failed === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(8)} ${passed} passed, ${failed} failed, ${seconds} s`);
  say(lines.at(-1));
}

async function inTurn(stages) {
  for (const [name, stage] of Object.entries(stages)) {
    say(`\n── ${name}`);
    count(name, await timed(stage));
  }
}

/** Starts a stage whose output goes to a file; the returned function waits for it and prints it. */
function beside(name) {
  const log = join(reports, `${name}.log`);
  const out = openSync(log, 'w');
  const running = timed(() => vitest(name, out));
  return async () => {
    say(`\n── ${name}, beside the others`);
    const came = await running;
    closeSync(out);
    say(readFileSync(log, 'utf8').trim());
    count(name, came);
  };
}

await inTurn(FIRST);
const waited = beside(BESIDE);
await inTurn(THEN);
await waited();
rmSync(reports, { recursive: true, force: true });
say(`\n${lines.join('\n')}\n`);
say(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;
