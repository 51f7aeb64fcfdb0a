/**
 * Builds `dist/chrome` (default), `dist/firefox` (BROWSER=firefox) and, with `--mode test`, `dist/<browser>-test`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crx, type ManifestV3Export } from '@crxjs/vite-plugin';
import { defineConfig } from 'vite';
import { runtimeScripts } from './build/scripts.ts';
import { type BrowserName, manifest } from './manifest.ts';

const root = new URL('.', import.meta.url).pathname;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const exists = (path: string) => existsSync(join(root, path));

export default defineConfig(({ mode }) => {
  const browser: BrowserName = process.env.BROWSER === 'firefox' ? 'firefox' : 'chrome';
  const allHosts = mode === 'test';
  const outDir = join(root, 'dist', allHosts ? `${browser}-test` : browser);
  const pages = ['popup', 'dashboard', 'onboarding'].map((page) => `src/${page}/index.html`).filter(exists);
  return {
    root,
    define: { __VERSION__: JSON.stringify(version) },
    plugins: [
      crx({ browser, manifest: manifest({ browser, version, allHosts, exists }) as unknown as ManifestV3Export }),
      runtimeScripts(root, outDir, { browser, version }),
    ],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      rolldownOptions: { input: pages.map((page) => join(root, page)) },
    },
  };
});
