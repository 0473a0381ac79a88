import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { BEAT_INTERVAL_MS, Beat, HEARTBEAT_FD, type HeartbeatData } from './heartbeat.js';

const { turns } = workerData as HeartbeatData;
let before = -1;

const timer = setInterval(() => {
  const now = Atomics.load(turns, 0);
  try {
    // Not by the pool of threads for files, which work may fill.
    writeSync(HEARTBEAT_FD, Uint8Array.of(now === before ? Beat.ALIVE : Beat.TURNED));
  } catch {
    // Nobody listens any more: the process is about to end with its parent.
    clearInterval(timer);
  }
  before = now;
}, BEAT_INTERVAL_MS);
