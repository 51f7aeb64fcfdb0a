import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They wait longest, so they begin first and the whole takes no longer than the longest. */
const LONGEST = ['long', 'hidden', 'silence'];

const place = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.spec.ts`));
  return at < 0 ? LONGEST.length : at;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

/** What takes as long as it takes: every file has its own browser and mostly waits, so the files run side by side. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['e2e/specs/lifetime/**/*.spec.ts'],
    testTimeout: 600_000,
    hookTimeout: 400_000,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
