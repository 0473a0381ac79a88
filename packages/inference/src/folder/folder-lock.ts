import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { tryFileLock } from '@pelorus/node';

const POLL_MS = 250;

/**
 * Holds `path` as a lock while `work` runs, so that two processes do not fill one folder at once. It is the system's: it
 * ends with the process that holds it, and says nothing of the number of that process, which the next one may get.
 */
export async function withFolderLock<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let lock = tryFileLock(path);
  while (lock === null) {
    await setTimeout(POLL_MS, undefined, signal && { signal });
    lock = tryFileLock(path);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** As {@link withFolderLock}, but rather does without than waits: whether `work` was run. */
export async function tryFolderLock(path: string, work: () => Promise<void>): Promise<boolean> {
  const lock = tryFileLock(path);
  if (lock === null) return false;
  try {
    await work();
  } finally {
    lock.release();
  }
  return true;
}
