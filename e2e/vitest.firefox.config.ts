import { defineConfig } from 'vitest/config';

/** Firefox: one file at a time, two cores. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['e2e/specs/firefox/**/*.spec.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    fileParallelism: false,
    maxWorkers: 1,
  },
});
