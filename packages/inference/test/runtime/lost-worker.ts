import type { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';

/** Worker threads in the order in which they are started from now on. */
export function startedWorkers(): Worker[] {
  const workers: Worker[] = [];
  const keep = (worker: Worker) => workers.push(worker);
  process.on('worker', keep);
  onTestFinished(() => {
    process.off('worker', keep);
  });
  return workers;
}

/**
 * Ends the thread with the next task in its hands: what reaches it before that task is none, and it stumbles. Ended
 * from outside it might be inside of the native runtime, which would take this process along.
 */
export function loseWithNextTask(worker: Worker): void {
  const post = worker.postMessage.bind(worker);
  worker.postMessage = (...task: Parameters<typeof post>) => {
    post(null);
    post(...task);
  };
}
