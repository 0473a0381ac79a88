import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withFolderLock } from '../../src/folder/folder-lock.js';
import { temporaryDirectory } from '../temporary-directory.js';

test('one holder at a time, also after a failure', async () => {
  const lock = join(await temporaryDirectory(), 'a', 'model.lock');
  let holders = 0;
  const turns = Array.from({ length: 3 }, (_, i) =>
    withFolderLock(lock, async () => {
      expect(++holders).toBe(1);
      await setTimeout(5);
      holders--;
      if (i === 1) throw new Error('broken');
      return i;
    }),
  );
  const outcomes = await Promise.allSettled(turns);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('the lock of a process that is gone is taken over', async () => {
  const lock = join(await temporaryDirectory(), 'model.lock');
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  await writeFile(lock, String(gone.pid));
  expect(await withFolderLock(lock, async () => 'done')).toBe('done');
});

test('waiting ends when the caller gives up', async () => {
  const lock = join(await temporaryDirectory(), 'model.lock');
  await writeFile(lock, String(process.pid));
  const waiting = withFolderLock(lock, async () => 'done', AbortSignal.timeout(20));
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
