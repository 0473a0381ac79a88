import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longestFiles } from './longest-files.js';
import { longestFirst } from './longest-first.js';

const E2E = 'packages/cli/test/e2e';

/** The files whose tests measure the machine, or fill it: one at a time, with nothing beside it. */
const ALONE = ['hosted-hangs', 'hosted-resources', 'hosted-states', 'memory', 'unread-answers'].map(
  (name) => `${E2E}/${name}.test.ts`,
);

/** Only what hangs meets the limits of time: a machine ten times as slow as a developer's passes. */
const limits = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 540_000 } } };

/** The packaged server as a process. Most of the time a test waits for one, so that three files run at once on two cores. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    sequence: { sequencer: longestFirst(longestFiles.endToEnd) },
    projects: [
      {
        test: {
          ...limits,
          name: 'beside each other',
          include: ['packages/*/test/e2e/*.test.ts'],
          exclude: ALONE,
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: { ...limits, name: 'alone', include: ALONE, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
