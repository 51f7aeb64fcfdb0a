/**
 * Bundles the companion into one ESM file that plain node runs: `companion/dist/cli.js`.
 *
 * Everything pure is bundled (start-up stays short); native and stream-heavy packages stay outside and are found in node_modules.
 */
import { chmodSync } from 'node:fs';
import { defineConfig } from 'vite';

const external = ['better-sqlite3', 'fastify', 'pino', 'undici', 'ws'];

export default defineConfig({
  build: {
    ssr: 'src/cli.ts',
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rollupOptions: { output: { entryFileNames: 'cli.js', format: 'es' } },
  },
  ssr: { noExternal: true, external },
  plugins: [
    {
      name: 'executable',
      closeBundle() {
        chmodSync(new URL('dist/cli.js', import.meta.url), 0o755);
      },
    },
  ],
});
