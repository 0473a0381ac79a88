import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const POLL_MS = 250;

/**
 * Holds `path` as a lock while `work` runs, so that two processes do not fill one folder at once. The file
 * names the holder's process; a lock whose process is gone is taken over.
 */
export async function withFolderLock<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  while (!(await tryLock(path))) await setTimeout(POLL_MS, undefined, signal && { signal });
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** As {@link withFolderLock}, but rather does without than waits: whether `work` was run. */
export async function tryFolderLock(path: string, work: () => Promise<void>): Promise<boolean> {
  // The first look may find, and remove, the lock of a process that is gone.
  if (!(await tryLock(path)) && !(await tryLock(path))) return false;
  try {
    await work();
  } finally {
    await rm(path, { force: true });
  }
  return true;
}

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = Number(await readFile(path, 'utf8').catch(() => ''));
  // An empty file is one whose holder has not written its number yet.
  if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
