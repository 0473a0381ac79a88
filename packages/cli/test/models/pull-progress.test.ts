import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { progressOn } from '../../src/models/pull-model.js';

test.each([
  [true, '\rmodel\ufffd[2J from hub: 100 % of 2.0 MB\n'],
  [false, 'model\ufffd[2J from hub: 100 % of 2.0 MB\n'],
])('a file of a model is told without moving the cursor, on a terminal: %s', (isTTY, told) => {
  const out = Object.assign(new PassThrough(), { isTTY });
  const progress = progressOn(out as unknown as NodeJS.WriteStream);
  progress({ model: 'a', way: 'hub', file: 'model\u001b[2J', receivedBytes: 2e6, totalBytes: 2e6 });
  expect(String(out.read())).toBe(told);
});
