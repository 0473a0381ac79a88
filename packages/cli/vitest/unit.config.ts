import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Every TypeScript test of the repository but those that start a server as a process. */
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'bindings/*/test/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/e2e/**'],
  },
});
