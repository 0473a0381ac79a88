import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The file descriptor on which a process of an index says that it is alive. */
export const HEARTBEAT_FD = 4;
/** Interval of the beats. */
export const BEAT_INTERVAL_MS = 500;

/** Kinds of beats: the event loop has turned since the last one, or the process lives, but its loop has not. */
export const Beat = { TURNED: 1, ALIVE: 0 } as const;

/** Data for the thread of beats. */
export interface HeartbeatData {
  /** Turns of the event loop so far. */
  readonly turns: Int32Array;
}

/**
 * Begins to beat on {@link HEARTBEAT_FD}, from a thread of its own: neither a busy event loop nor busy threads of the engine
 * hold a beat up, only what stops the whole process. Resolves once that thread runs.
 */
export async function startHeartbeat(): Promise<void> {
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setInterval(() => Atomics.add(turns, 0, 1), BEAT_INTERVAL_MS / 2).unref();
  const data: HeartbeatData = { turns };
  const thread = new Worker(new URL('./heartbeat-thread.js', import.meta.url), {
    workerData: data,
    // It has a handful of objects.
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  await once(thread, 'online');
  thread.unref();
}
