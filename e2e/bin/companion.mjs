/** `npm run companion -- ARGS`: the companion alone. */
import { pathToFileURL } from 'node:url';
import { requireNode } from './lib/node-version.mjs';

requireNode();
const { ensureModules } = await import('./lib/modules.mjs');
const { ensureBuild } = await import('./lib/build.mjs');
const { CLI } = await import('./lib/paths.mjs');
await ensureModules();
await ensureBuild({ extensions: [] });
process.argv = [process.argv[0], CLI, ...process.argv.slice(2)];
await import(pathToFileURL(CLI).href);
