/**
 * Builds the two scripts that are registered at run time (page and content) and proves what they must be.
 *
 * They are built apart from the extension's pages because a bundler's loader would make them asynchronous: the page's first inline
 * script could then capture the unpatched fetch. Invariant: each is one classic IIFE without import; the page script stays small.
 * Failure direction: the build fails, nothing is written that could load late.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'vite';
import type { BrowserName } from '../manifest.ts';

/** Largest page script, gzipped: it runs on every page of an enabled site before anything else. */
const PAGE_LIMIT = 5000;

/** Properties that no message, no browser object and no string (`"name" in object`) names: written short. */
const PRIVATE = /^(?:sameOrigin|nativeArgs|nextId|received|served|again|retime|allHeaders|whole|leave|taken|cookies)$/;

interface Script {
  readonly entry: string;
  readonly file: string;
  readonly limit: number | null;
}

const SCRIPTS: readonly Script[] = [
  { entry: 'src/page/page.iife.ts', file: 'page.iife.js', limit: PAGE_LIMIT },
  { entry: 'src/content/content.iife.ts', file: 'content.iife.js', limit: null },
];

/** What the scripts know of the build they belong to. */
interface Build {
  readonly browser: BrowserName;
  readonly version: string;
}

async function buildScript(root: string, outDir: string, script: Script, { browser, version }: Build): Promise<void> {
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    define: { __VERSION__: JSON.stringify(version), __BROWSER__: JSON.stringify(browser) },
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      minify: true,
      lib: { entry: script.entry, formats: ['iife'], name: 'unused', fileName: () => script.file },
      rolldownOptions: {
        output: { minify: { compress: true, mangle: true, codegen: true, mangleProps: { include: PRIVATE } } },
      },
    },
  });
  const path = join(outDir, script.file);
  // The bundler may name the IIFE's (empty) result: a global variable on somebody else's page.
  const source = readFileSync(path, 'utf8').replace(/^\s*(?:"use strict";)?\s*(?:var|const|let) unused\s*=\s*/, '');
  writeFileSync(path, source);
  const problem = problemOf(source, script);
  if (problem) throw new Error(`${script.file}: ${problem}`);
}

/** Why this text is not a synchronous, self-contained script within its limit, or null. */
export function problemOf(source: string, script: Pick<Script, 'limit'>): string | null {
  if (!/^\(?(?:function\s*\(|\(\)\s*=>)/.test(source.trim())) return 'is not one IIFE';
  if (!/\}\)?\(\s*(?:\{\})?\s*\)+;?\s*$/.test(source.trim())) return 'does not end where its IIFE ends';
  if (/\bimport\s*[({"'*]|\bimport\.meta\b|\bexport\s+[{*]/.test(source)) return 'imports something';
  const size = gzipSync(source, { level: 9 }).length;
  if (script.limit !== null && size > script.limit) return `is ${size} bytes gzipped, more than ${script.limit}`;
  return null;
}

/** Removes what the bundler adds and we refuse: files that any web page could read, and so recognise the extension by. */
function closeManifest(outDir: string): void {
  const path = join(outDir, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  delete manifest.web_accessible_resources;
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The plugin: after the extension is written, builds the scripts beside it and checks the result. */
export function runtimeScripts(root: string, outDir: string, made: Build): Plugin {
  return {
    name: 'throughline-runtime-scripts',
    apply: 'build',
    enforce: 'post',
    async closeBundle(error?: Error) {
      // Also called after a failed build: then there is nothing to complete, and the first error is the one to read.
      if (error || !existsSync(join(outDir, 'manifest.json'))) return;
      closeManifest(outDir);
      rmSync(join(outDir, '.vite'), { recursive: true, force: true });
      for (const script of SCRIPTS) {
        if (existsSync(join(root, script.entry))) await buildScript(root, outDir, script, made);
      }
    },
  };
}
