import { test } from 'vitest';
import { startServer } from './start-server.js';

test('fails with a server running', async () => {
  await startServer();
  throw new Error('as it should');
});
