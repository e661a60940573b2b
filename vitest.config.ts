import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** CI's machines are shared: what fails there by a slow second is tried once more, and counted by vitest. */
const retry = process.env.CI ? 1 : 0;

/** One more than there are cores: there is always a test that waits for something. */
const maxWorkers = availableParallelism() + 1;

/**
 * Files beside each other share a broker: each has queues, tables and virtual hosts of its own, and what
 * a checkout has but once they use in turns. Most of their time they wait for a deadline.
 */
const onBroker = {
  retry,
  maxWorkers: 2,
  sequence: { groupOrder: 1 },
  globalSetup: ['test/helpers/broker.setup.ts', 'test/helpers/synthesis.setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          retry,
          include: ['test/unit/**/*.test.ts'],
          setupFiles: ['test/helpers/fast-check.setup.ts'],
          // A process and a module graph per file would cost more than the tests: files share a worker's.
          // What a test changes of it, such as process.env, it puts back.
          isolate: false,
          maxWorkers,
          // The machines of CI are small and shared: a slow second is no failure.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'infra',
          retry,
          include: ['test/infra/**/*.test.ts'],
          // The CDK takes seconds to import: once is enough.
          isolate: false,
          maxWorkers,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // What starts processes that matter as such, a whole tool or a function that is killed.
          name: 'process',
          retry,
          include: ['test/process/**/*.test.ts'],
          maxWorkers,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], ...onBroker } },
      {
        test: {
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          ...onBroker,
          testTimeout: 180_000,
        },
      },
    ],
  },
});
