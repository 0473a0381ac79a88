import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readSettings } from '../../src/configuration.js';
import { resetKeys } from '../../src/keys/change-keys.js';
import { ExitCode } from '../../src/start-failure.js';

const folder = mkdtempSync(join(tmpdir(), 'pelorus-reset-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('keys are not reset in a data directory that is not there, and none is made', async () => {
  const dataDir = join(folder, 'typing-error');
  await expect(resetKeys(readSettings({ data: dataDir }), 'boss', true)).rejects.toMatchObject({
    exitCode: ExitCode.DATA_DIRECTORY_UNREADABLE,
    message: `There is no folder ${dataDir}: name the data directory of the service with --data`,
  });
  expect(existsSync(dataDir)).toBe(false);
});

test('keys are not reset in a file', async () => {
  const dataDir = join(folder, 'file');
  writeFileSync(dataDir, '');
  await expect(resetKeys(readSettings({ data: dataDir }), 'boss', true)).rejects.toThrow('There is no folder');
});
