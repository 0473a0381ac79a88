import { test } from 'vitest';
import { startServer } from './start-server.js';

test('hangs with a server running', async () => {
  await startServer();
  await new Promise(() => {});
});
