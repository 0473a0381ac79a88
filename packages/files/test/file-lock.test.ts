import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolderForGood, tryWithFileLock, withBriefFileLock, withFileLock } from '../src/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a folder has one holder, whatever becomes of the file in it', async () => {
  expect(await lockFolderForGood(folder, 'lock')).toBe(true);
  expect(await lockFolderForGood(folder, 'lock')).toBe(false);
  rmSync(join(folder, 'lock'));
  expect(await lockFolderForGood(folder, 'lock')).toBe(false);
  expect(existsSync(join(folder, 'lock'))).toBe(false);
});

test('one holder at a time, also after a failure', async () => {
  const lock = join(folder, 'model.lock');
  let holders = 0;
  const turns = Array.from({ length: 3 }, (_, i) =>
    withFileLock(lock, async () => {
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

test.each([
  ['this process', process.pid],
  ['the first of a container', 1],
])('a lock file that names %s, as one that was killed left it, blocks nobody', async (_, pid) => {
  const lock = join(folder, 'model.lock');
  await writeFile(lock, String(pid));
  expect(await withFileLock(lock, async () => 'done')).toBe('done');
  await writeFile(lock, String(pid));
  expect(await tryWithFileLock(lock, async () => {})).toBe(true);
});

test('a process that holds the lock is waited for, and blocks nobody once it was killed', async () => {
  const lock = join(folder, 'model.lock');
  const binding = JSON.stringify(import.meta.resolve('@pelorus/node'));
  const script = `const { tryFileLock } = await import(${binding});
    const lock = tryFileLock(${JSON.stringify(lock)});
    console.log(lock !== null);
    setInterval(() => lock, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [said] = await once(holder.stdout, 'data');
    expect(String(said)).toBe('true\n');
    expect(await tryWithFileLock(lock, async () => {})).toBe(false);
    const waiting = withFileLock(lock, async () => 'done');
    holder.kill('SIGKILL');
    expect(await waiting).toBe('done');
  } finally {
    holder.kill('SIGKILL');
  }
});

test('waiting ends when the caller gives up', async () => {
  const lock = join(folder, 'model.lock');
  await withFileLock(lock, async () => {
    const waiting = withFileLock(lock, async () => 'done', AbortSignal.timeout(20));
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});

test('a lock that is held too long is told by its path, a failure of the work by its own words', async () => {
  const lock = join(folder, 'list.lock');
  await withFileLock(lock, async () => {
    const waiting = withBriefFileLock(lock, async () => 'done', 20);
    await expect(waiting).rejects.toThrow(`${lock} is held by another process for more than 0.02 s`);
  });
  const broken = withBriefFileLock(lock, async () => {
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  expect(await withBriefFileLock(lock, async () => 'done')).toBe('done');
});
