import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The packaged server as a process. One file at a time: two servers on two cores measure each other. */
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    include: ['packages/cli/test/e2e/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
