import { defineConfig } from 'vitest/config';

/** Tests that start processes, a browser or servers of their own. */
const cli = 'test/cli/**/*.test.ts';
/** Tests of what is published: packages, charts, pipelines and the library, installed and run as others would, and pages. */
const shipped = 'test/shipped/**/*.test.ts';
/** Tests against a real control plane. */
const live = 'test/live/**/*.test.ts';
/** Chooses the inputs that property tests make. */
const propertySeed = 'test/support/property-seed.ts';

export default defineConfig({
  test: {
    disableConsoleIntercept: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [cli, shipped, live],
          setupFiles: [propertySeed],
          // Modules are loaded once for all files: nothing here changes a module, and loading takes longer than testing.
          isolate: false,
          // Node itself loads them: what Vitest makes of a module runs a fifth slower.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          maxWorkers: '100%',
          // Long enough for a loaded machine: CI builds the control plane at the same time.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'cli',
          include: [cli],
          maxWorkers: '100%',
          // A process takes long to start on a loaded machine.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'shipped',
          include: [shipped],
          setupFiles: [propertySeed],
          maxWorkers: '100%',
          // Programs of others are fetched from their registries.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'live',
          include: [live],
          globalSetup: ['test/live/global-setup.ts'],
          // Long enough for a machine that is ten times slower: only what hangs is ended.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // Most of the time passes in waiting for the controllers.
          maxWorkers: 3,
        },
      },
    ],
  },
});
