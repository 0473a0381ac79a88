import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * The packaged server as a process. One file at a time: two servers on two cores would slow each other down.
 * Only what hangs meets the limits of time: a machine ten times as slow as a developer's passes.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['packages/cli/test/e2e/*.test.ts'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
