import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** Between two tries to get a lock: at first, and at most. */
const [POLL_MS, POLL_MS_MAX] = [4, 250];

/** Work on small files is waited for that long. */
const BRIEF_MS = 30_000;

/**
 * Holds the file at `path`, which is made where there is none, as a lock while `work` runs. It is the system's: it ends with
 * the process that holds it, and says nothing of the number of that process, which the next one may get.
 * @throws AbortError where `signal` ends the waiting
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  let lock = await tryLock(path);
  for (let waitMs = POLL_MS; lock === null; waitMs = Math.min(2 * waitMs, POLL_MS_MAX)) {
    await setTimeout(waitMs, undefined, signal && { signal });
    lock = await tryLock(path);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * As {@link withFileLock}, for locks that are held for moments.
 * @throws Error where another process holds it for longer than `waitMs`
 */
export async function withBriefFileLock<T>(path: string, work: () => Promise<T>, waitMs = BRIEF_MS): Promise<T> {
  const signal = AbortSignal.timeout(waitMs);
  let isHeld = false;
  const hold = () => {
    isHeld = true;
    return work();
  };
  try {
    return await withFileLock(path, hold, signal);
  } catch (error) {
    if (isHeld || !signal.aborted) throw error;
    throw new Error(`${path} is held by another process for more than ${waitMs / 1000} s`, { cause: error });
  }
}

/** As {@link withFileLock}, but rather does without than waits: whether `work` was run. */
export async function tryWithFileLock(path: string, work: () => Promise<void>): Promise<boolean> {
  const lock = await tryLock(path);
  if (lock === null) return false;
  try {
    await work();
  } finally {
    lock.release();
  }
  return true;
}

/** Locks held until this process ends. */
const held: unknown[] = [];

/**
 * Holds a folder until this process ends, however it ends; false where another one has it. The folder itself is held, and a
 * file in it: that alone could be removed, but it is what earlier versions heed, and some systems lock no folders.
 */
export async function lockFolderForGood(folder: string, file: string): Promise<boolean> {
  const { tryFolderLock } = await import('@pelorus/node');
  const lock = tryFolderLock(folder);
  if (lock === null) return false;
  // A lock that nobody refers to would end with the next collection of garbage.
  held.push(lock);
  const inFolder = await tryLock(join(folder, file));
  if (inFolder !== null) held.push(inFolder);
  return inFolder !== null;
}

/** The binding is loaded with the first lock, so that commands that need none start without it. */
async function tryLock(path: string) {
  const { tryFileLock } = await import('@pelorus/node');
  return tryFileLock(path);
}
