import { statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';

export interface Usage {
  /** Of the machine's memory, 0 to 100. */
  readonly memoryPercent: number;
  readonly memoryUsedBytes: number;
  /** Of the data directory's disk, 0 to 100; null when it cannot be told. */
  readonly storagePercent: number | null;
}

const usageMaxAgeMs = 1000;

/** Reads the machine's load, memory and disk. Answers are up to a second old, so that asking is cheap. */
export class HostMonitor {
  readonly #dataDir: string;
  #usage: Promise<Usage> | undefined;
  #usageAtMs = Number.NEGATIVE_INFINITY;
  #cpuTicks = ticks();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  usage(): Promise<Usage> {
    const now = performance.now();
    if (this.#usage === undefined || now - this.#usageAtMs > usageMaxAgeMs) {
      this.#usageAtMs = now;
      this.#usage = this.#measure();
    }
    return this.#usage;
  }

  async #measure(): Promise<Usage> {
    const memoryUsedBytes = totalmem() - freemem();
    return {
      memoryUsedBytes,
      memoryPercent: (memoryUsedBytes / totalmem()) * 100,
      storagePercent: await storagePercent(this.#dataDir),
    };
  }

  /** Share of all cores' time spent working since the last call (since start, at the first), 0 to 100. */
  cpuPercent(): number {
    const before = this.#cpuTicks;
    this.#cpuTicks = ticks();
    const all = this.#cpuTicks.all - before.all;
    return all > 0 ? ((all - (this.#cpuTicks.idle - before.idle)) / all) * 100 : 0;
  }
}

async function storagePercent(folder: string): Promise<number | null> {
  try {
    const { blocks, bfree, bavail } = await statfs(folder);
    const usable = blocks - bfree + bavail;
    return usable > 0 ? ((blocks - bfree) / usable) * 100 : null;
  } catch {
    return null;
  }
}

function ticks(): { idle: number; all: number } {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, all };
}
