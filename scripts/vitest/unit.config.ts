import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longestFiles } from './longest-files.js';
import { longestFirst } from './longest-first.js';

/**
 * Every TypeScript test of the repository but those that start a server as a process. Only what hangs meets the
 * limits of time: most tests take milliseconds, the longest some seconds, and a machine may be ten times as slow.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: [
      'packages/*/{src,test}/**/*.test.ts',
      'bindings/*/test/**/*.test.ts',
      'bench/**/*.test.ts',
      'scripts/test/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**', '**/e2e/**'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 540_000 } },
    // By default a core stays idle, which of two is half.
    maxWorkers: '100%',
    // Files of a worker share its modules: to load them anew for each file takes as long as the tests do.
    isolate: false,
    sequence: { sequencer: longestFirst(longestFiles.unit) },
  },
});
