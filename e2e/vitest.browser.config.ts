import { configDefaults, defineConfig } from 'vitest/config';

/** Chromium: one file at a time, two cores. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['e2e/specs/**/*.spec.ts'],
    exclude: [...configDefaults.exclude, 'e2e/specs/{lifetime,firefox}/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    maxWorkers: 1,
  },
});
