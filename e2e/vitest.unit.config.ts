import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['{shared,companion,extension}/test/**/*.test.ts', 'e2e/demo/**/*.test.ts'],
    testTimeout: 120_000,
    maxWorkers: 2,
  },
});
