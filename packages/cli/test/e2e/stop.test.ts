import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';

const data = emptyFolder('stop');
afterAll(() => rmSync(data, { recursive: true, force: true }));

test.each(['SIGTERM', 'SIGINT'] as const)('%s lets requests under way finish and ends with code 0', async (signal) => {
  const server = await ServerProcess.start(['--data', data]);
  const index = `drained-${signal.toLowerCase()}`;
  await server.ok('POST', `/indexes/${index}`, { model: 'random/small' });
  const documents = Array.from({ length: 128 }, (_, i) => ({
    _id: `d${i}`,
    text: `${'word '.repeat(200)}${i}`,
  }));
  const adding = server.ok('POST', `/indexes/${index}/documents`, { documents, tensorFields: ['text'] });
  await new Promise((resolve) => setTimeout(resolve, 15));

  expect(await server.end(signal)).toBe(0);
  expect((await adding).errors).toBe(false);

  const again = await ServerProcess.start(['--data', data]);
  expect((await again.ok('GET', `/indexes/${index}/stats`)).numberOfDocuments).toBe(128);
  await again.end();
});
