import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The soak, which `npm run check:soak` starts: how long it takes is up to whoever does. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: ['packages/cli/test/e2e/kills/soak.run.ts'], testTimeout: 0, hookTimeout: 600_000 },
});
