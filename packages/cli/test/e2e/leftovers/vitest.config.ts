import { defineConfig } from 'vitest/config';

/** Runs that must not end well: started by leftovers.test.ts only. */
export default defineConfig({
  root: import.meta.dirname,
  test: { include: ['*.run.ts'], testTimeout: 600_000, hookTimeout: 600_000 },
});
