import { statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';
import { storageReserve } from '@pelorus/engine';
import type { Memory } from './memory.js';

export interface Usage {
  /** Share of this process's memory budget in use, 0 to 100. */
  readonly memoryPercent: number;
  /** Tells whether documents can be added, as far as memory goes. */
  readonly memoryHasRoom: boolean;
  /** Share of the data directory's disk in use, 0 to 100; null when it cannot be told. */
  readonly storagePercent: number | null;
  /** Tells whether documents can be added, as far as that disk goes; null when it cannot be told. */
  readonly storageHasRoom: boolean | null;
  /** Bytes of that disk; absent where documents are on others. */
  readonly storageBytes?: StorageBytes | null;
}

export interface StorageBytes {
  readonly total: number;
  /** Those that can be used. */
  readonly available: number;
  /** Those of the available ones that are kept free of documents. */
  readonly reserve: number;
}

export type StorageUsage = Pick<Usage, 'storagePercent' | 'storageHasRoom' | 'storageBytes'>;

/** Documents that are on other machines. */
export interface StorageElsewhere {
  /** The fullness of their disks at the start. */
  readonly first: StorageUsage;
  /** Looks at their disks again. A failure means that it cannot be told. */
  look(): Promise<StorageUsage>;
}

const STORAGE_INTERVAL_MS = 1000;
/** Time between two looks at disks elsewhere, which cost every machine there some work. */
const ELSEWHERE_INTERVAL_MS = 10_000;

/**
 * The load of the machine and of this process. Nobody who asks waits: the disk, which may take its time, is looked at
 * now and then.
 */
export class HostMonitor {
  readonly #memory: Memory;
  readonly #look: () => Promise<StorageUsage>;
  readonly #timer: NodeJS.Timeout;
  #storage: StorageUsage;
  #measuring = false;
  #cpuTicks = ticks();
  #process = { workedUs: 0, passedUs: 0 };

  /** @param elsewhere where documents are that are not in the data directory */
  constructor(dataDir: string, memory: Memory, elsewhere?: StorageElsewhere) {
    this.#memory = memory;
    this.#look = elsewhere === undefined ? () => statfs(dataDir).then(storageUsage) : () => elsewhere.look();
    this.#storage = elsewhere?.first ?? measured(() => storageUsage(statfsSync(dataDir)));
    const intervalMs = elsewhere === undefined ? STORAGE_INTERVAL_MS : ELSEWHERE_INTERVAL_MS;
    this.#timer = setInterval(() => void this.#measureStorage(), intervalMs).unref();
  }

  usage(): Usage {
    return {
      memoryPercent: Math.min(100, (this.#memory.heldBytes() / this.#memory.budgetBytes) * 100),
      memoryHasRoom: this.#memory.hasRoom(),
      ...this.#storage,
    };
  }

  /** Anonymous memory of this process, and its limit. */
  processMemory(): { heldBytes: number; budgetBytes: number } {
    return { heldBytes: this.#memory.heldBytes(), budgetBytes: this.#memory.budgetBytes };
  }

  /** Memory of the whole machine that is in use. */
  machineMemory(): { usedBytes: number; percent: number } {
    const usedBytes = totalmem() - freemem();
    return { usedBytes, percent: (usedBytes / totalmem()) * 100 };
  }

  /** Share of all cores' time spent working since the last call (since start, at the first), 0 to 100. */
  cpuPercent(): number {
    const before = this.#cpuTicks;
    this.#cpuTicks = ticks();
    const all = this.#cpuTicks.all - before.all;
    return all > 0 ? ((all - (this.#cpuTicks.idle - before.idle)) / all) * 100 : 0;
  }

  /** Time that this process spent working since the last call (since start, at the first): 100 for each core. */
  processCpuPercent(): number {
    const before = this.#process;
    this.#process = processTime();
    const passed = this.#process.passedUs - before.passedUs;
    return passed > 0 ? ((this.#process.workedUs - before.workedUs) / passed) * 100 : 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** One look at a time: a disk that hangs must not take up every thread that could look. */
  async #measureStorage(): Promise<void> {
    if (this.#measuring) return;
    this.#measuring = true;
    this.#storage = await this.#look().catch(() => UNKNOWN);
    this.#measuring = false;
  }
}

const UNKNOWN: StorageUsage = { storagePercent: null, storageHasRoom: null };

interface Disk {
  readonly bsize: number;
  readonly blocks: number;
  readonly bfree: number;
  readonly bavail: number;
}

/** The fullness of a disk, by the system's figures. */
export function storageUsage({ bsize, blocks, bfree, bavail }: Disk): StorageUsage {
  const usable = blocks - bfree + bavail;
  if (usable <= 0) return UNKNOWN;
  const [total, available] = [blocks * bsize, bavail * bsize];
  const reserve = storageReserve(total);
  return {
    storagePercent: ((blocks - bfree) / usable) * 100,
    storageHasRoom: available > reserve,
    storageBytes: { total, available, reserve },
  };
}

function measured(look: () => StorageUsage): StorageUsage {
  try {
    return look();
  } catch {
    return UNKNOWN;
  }
}

function processTime(): { workedUs: number; passedUs: number } {
  const { user, system } = process.cpuUsage();
  return { workedUs: user + system, passedUs: process.uptime() * 1e6 };
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
