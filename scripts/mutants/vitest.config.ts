import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

const files: readonly string[] = JSON.parse(process.env.MUTANTS_FILES ?? '[]');

/** Tests of the mutated rooms first: they are the quickest, and detect the most. */
class InOrder extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      files.findIndex((file) => moduleId.endsWith(`/${file}`));
    return [...specifications].sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  root: process.cwd(),
  test: {
    include: [...files],
    disableConsoleIntercept: true,
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    fileParallelism: false,
    maxWorkers: 1,
    ...(process.env.MUTANTS_JOB && {
      runner: fileURLToPath(new URL('runner.ts', import.meta.url)),
    }),
    // The runner has limits of its own, one for each mutant.
    testTimeout: 0,
    hookTimeout: 60_000,
    sequence: { sequencer: InOrder },
    reporters: [['default', { summary: false }]],
  },
});
