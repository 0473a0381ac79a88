import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ServerProcess } from '../server-process.js';
import { diskBytes, resourcesOf } from './data-folder.js';
import type { Plan } from './kill-run.js';
import type { Ledger, Reader } from './ledger.js';

const SAMPLE_MS = 2_000;
const MEBIBYTE = 1024 * 1024;
/** Characters of a server's output that a failure shows. */
const OUTPUT = 2000;
/** Writes of each writer in a round, after which all is idle and compared. */
const WRITES = 24;

/** The share of the machine that a server holds at a moment. */
interface Sample {
  readonly residentBytes: number;
  /** The memory of its own, but for the heap of JavaScript, whose size swings by more than all that it holds. */
  readonly nativeBytes: number;
  /** The part of that heap that is used, garbage among it. */
  readonly heapUsedBytes: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly diskBytes: number;
}

/**
 * The bounds of a server under a steady load: its last quarter beside its second, by medians, so that neither the warm-up
 * nor a single peak decides. Factor and slack of each, the slack in the unit of the figure. Native memory has room for
 * that which was freed and stays with the process: of 123 MiB after 40 minutes 74.
 */
export const BOUNDS: Readonly<
  Record<Exclude<keyof Sample, 'residentBytes'>, readonly [factor: number, slack: number]>
> = {
  nativeBytes: [1.25, 48 * MEBIBYTE],
  heapUsedBytes: [1.5, 48 * MEBIBYTE],
  descriptors: [1, 12],
  threads: [1, 4],
  diskBytes: [1.25, 16 * MEBIBYTE],
};

/** The disk at rest beside that of a new server with the same documents. */
export const DISK_BOUND = [2.5, 16 * MEBIBYTE] as const;

/** Rounds of a steady mix of all operations, and samples of what the server holds meanwhile. */
export class Soak {
  readonly #plan: Plan;
  readonly #server: ServerProcess;
  readonly #samples: Sample[] = [];
  rounds = 0;
  /** Calls whose connection broke before the answer. */
  broken = 0;

  constructor(plan: Plan, server: ServerProcess) {
    this.#plan = plan;
    this.#server = server;
  }

  /** Runs rounds as long as there is more to do. Forgets the samples that were taken before. */
  async run(hasMore: () => boolean): Promise<void> {
    this.#samples.length = 0;
    const isDone = new AbortController();
    const sampling = this.#sampleUntil(isDone.signal);
    try {
      while (hasMore()) await this.#round();
    } finally {
      isDone.abort();
      await sampling;
    }
    await this.#sample();
  }

  /** Holds the last quarter of the samples to the second. */
  verify(): void {
    const [, second, , last] = this.#quarters();
    for (const [name, [factor, slack]] of Object.entries(BOUNDS) as [keyof Sample, readonly [number, number]][]) {
      const bound = median(second, name) * factor + slack;
      expect(median(last, name), `${name} of the last quarter`).toBeLessThanOrEqual(bound);
    }
  }

  /** The medians of each quarter, a line for each figure. */
  table(): string {
    const quarters = this.#quarters();
    const row = (name: keyof Sample) => {
      const unit = name.endsWith('Bytes') ? MEBIBYTE : 1;
      const values = quarters.map((samples) => (median(samples, name) / unit).toFixed(unit === 1 ? 0 : 1));
      return `| ${name.replace('Bytes', ', MiB')} | ${values.join(' | ')} |`;
    };
    return ['residentBytes', ...Object.keys(BOUNDS)].map((name) => row(name as keyof Sample)).join('\n');
  }

  async #round(): Promise<void> {
    const { ledgers, readers } = this.#plan;
    const server = this.#server;
    let isWriting = true;
    // A client that stood still for long finds its connection closed. A server that is gone fails the comparison below.
    const isAnswered = async (call: Promise<boolean>): Promise<boolean> => {
      const wasAnswered = await call;
      if (!wasAnswered) this.broken += 1;
      return wasAnswered;
    };
    // A ledger knows the outcome of a write without an answer once it has compared.
    const write = async (ledger: Ledger): Promise<void> => {
      for (let count = 0; count < WRITES; count++) if (!(await isAnswered(ledger.write(server)))) return;
    };
    const read = async (reader: Reader): Promise<void> => {
      while (isWriting) await isAnswered(reader.read(server));
    };
    const reading = Promise.all(readers.map(read));
    await Promise.all(ledgers.flatMap(([ledger, count]) => Array.from({ length: count }, () => write(ledger))));
    isWriting = false;
    await reading;
    try {
      for (const [ledger] of ledgers) await ledger.verify(server);
    } catch (error) {
      console.log(`The server said:\n${server.output.slice(-OUTPUT)}`);
      throw error;
    }
    this.rounds += 1;
  }

  async #sampleUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#sample();
      // The next round ends the wait as well.
      await sleep(SAMPLE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #sample(): Promise<void> {
    const held = resourcesOf(this.#server.pid);
    if (held === null) return;
    const [heapBytes, heapUsedBytes] = await this.#heap();
    const { anonymousBytes, residentBytes, descriptors, threads } = held;
    const disk = diskBytes(this.#plan.data);
    const nativeBytes = anonymousBytes - heapBytes;
    this.#samples.push({ residentBytes, nativeBytes, heapUsedBytes, descriptors, threads, diskBytes: disk });
  }

  /** The heap of the server's one loop: its size, and what of it is used. */
  async #heap(): Promise<[size: number, used: number]> {
    const text: string = await this.#server.ok('GET', '/metrics');
    const value = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
    return [value('nodejs_heap_size_total_bytes'), value('nodejs_heap_size_used_bytes')];
  }

  #quarters(): readonly [Sample[], Sample[], Sample[], Sample[]] {
    const size = this.#samples.length / 4;
    const quarter = (at: number) => this.#samples.slice(Math.floor(at * size), Math.floor((at + 1) * size));
    return [quarter(0), quarter(1), quarter(2), quarter(3)];
  }
}

function median(samples: readonly Sample[], name: keyof Sample): number {
  const values = samples.map((sample) => sample[name]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}
