/** `npm run demo`: the scripted conversation, unattended and headless. */
import { requireNode } from './lib/node-version.mjs';

requireNode();
const { ensureBrowsers, findBrowser } = await import('./lib/browsers.mjs');
const { ensureBuild } = await import('./lib/build.mjs');
const { run, stopWithUs } = await import('./lib/children.mjs');
const { ensureModules } = await import('./lib/modules.mjs');

stopWithUs();
await ensureModules();
await ensureBrowsers(['chromium']);
await ensureBuild();
process.exitCode = await run(process.execPath, ['--import', 'tsx', 'e2e/demo/drive/main.ts'], {
  env: { CHROMIUM: findBrowser('chromium') },
});
