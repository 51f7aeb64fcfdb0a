import { defineConfig } from 'vitest/config';

/** What takes as long as it takes: every file has its own browser and mostly waits, so the files run side by side. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['e2e/specs/lifetime/**/*.spec.ts'],
    testTimeout: 600_000,
    hookTimeout: 180_000,
    maxWorkers: 4,
  },
});
