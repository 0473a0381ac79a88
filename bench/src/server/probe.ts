// Preloaded into the server's process. Tells, when asked, how late its event loop ran, how long it computed and how
// much memory it has. The server knows nothing of it. The timers that watch the event loop run from `'reset'` to the
// next `'read'` alone: each wakes an idle thread, which costs more than a short request.
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two looks at the clock; taken off what was seen. */
const RESOLUTION_MS = 5;

/** Milliseconds between two looks at what was computed: shorter than any turn that matters. */
const TURN_LOOK_MS = 1;

/** An answer to `'read'`. */
export interface Probed {
  loopDelayP99Ms: number;
  loopDelayMaxMs: number;
  /**
   * The longest computation of the event loop's thread without a pause: no delay that other programs cause is in it.
   */
  longestTurnMs: number;
  residentBytes: number;
  /** Bytes of these that are in no file; all of them where the system does not tell. */
  anonymousBytes: number;
  /** Used by all its threads so far. */
  cpuSeconds: number;
  /** Seconds of these by the thread of the event loop. */
  loopCpuSeconds: number;
}

function anonymousBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(found?.[1] ?? 0) * 1024;
}

/** Looks at the time that this thread has computed as often as its event loop lets timers run. */
class Turns {
  #lastMs = 0;
  #timer: NodeJS.Timeout | undefined;
  longestMs = 0;

  /** Watches anew, until it is stopped. */
  watch(): void {
    this.stop();
    this.#lastMs = computedMs();
    this.longestMs = 0;
    this.#timer = setInterval(() => {
      const nowMs = computedMs();
      this.longestMs = Math.max(this.longestMs, nowMs - this.#lastMs);
      this.#lastMs = nowMs;
    }, TURN_LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

if (process.send !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const turns = new Turns();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.on('message', (message) => {
    if (message === 'reset') {
      histogram.reset();
      histogram.enable();
      turns.watch();
    }
    if (message !== 'read') return;
    histogram.disable();
    turns.stop();
    const { user, system } = process.cpuUsage();
    const loop = process.threadCpuUsage();
    const answer: Probed = {
      loopDelayP99Ms: late(histogram.percentile(99)),
      loopDelayMaxMs: late(histogram.max),
      longestTurnMs: turns.longestMs,
      residentBytes: process.memoryUsage.rss(),
      anonymousBytes: anonymousBytes(),
      cpuSeconds: (user + system) / 1e6,
      loopCpuSeconds: (loop.user + loop.system) / 1e6,
    };
    process.send?.(answer);
  });
  process.channel?.unref(); // the server decides when it ends
}
