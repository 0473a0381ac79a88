// Preloaded into the server's process. Tells, when asked, how late its event loop ran and what
// memory it has. The server knows nothing of it.
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two looks at the clock; taken off what was seen. */
const RESOLUTION_MS = 5;

/** An answer to `'read'`. */
export interface Probed {
  loopDelayP99Ms: number;
  loopDelayMaxMs: number;
  residentBytes: number;
  /** Of these what is in no file; all of them where the system does not tell. */
  anonymousBytes: number;
  /** Used by all its threads so far. */
  cpuSeconds: number;
  /** Of these by the thread of the event loop. */
  loopCpuSeconds: number;
}

function anonymousBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(found?.[1] ?? 0) * 1024;
}

if (process.send !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.on('message', (message) => {
    if (message === 'reset') histogram.reset();
    if (message !== 'read') return;
    const { user, system } = process.cpuUsage();
    const loop = process.threadCpuUsage();
    const answer: Probed = {
      loopDelayP99Ms: late(histogram.percentile(99)),
      loopDelayMaxMs: late(histogram.max),
      residentBytes: process.memoryUsage.rss(),
      anonymousBytes: anonymousBytes(),
      cpuSeconds: (user + system) / 1e6,
      loopCpuSeconds: (loop.user + loop.system) / 1e6,
    };
    process.send?.(answer);
  });
  process.channel?.unref(); // the server decides when it ends
}
