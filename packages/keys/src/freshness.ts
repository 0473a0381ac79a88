import { setTimeout as sleep } from 'node:timers/promises';
import { PelorusError } from '@pelorus/contract';

/** Time for which keys count after they were read, in nanoseconds. */
const KNOWN_NS = 2_000_000_000n;
/** Longest time that a call waits for keys to be read anew. */
const WAIT_MAX_MS = 3_000;
/** Between two looks of calls that wait. */
const LOOK_MS = 20;
const RETRY_SECONDS = 2;

/**
 * The time until which keys count that were read from afar, for all threads of a process: a key that was revoked since
 * is refused by then. Its clock is `process.hrtime`, which is one for all threads and never set back.
 */
export class Freshness {
  /** For other threads. */
  readonly memory: SharedArrayBuffer;
  readonly #untilNs: BigInt64Array;
  /** 1 where the last read failed. */
  readonly #failed: Int32Array;
  #waiting: Promise<void> | undefined;

  constructor(memory = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#untilNs = new BigInt64Array(memory, 0, 1);
    this.#failed = new Int32Array(memory, BigInt64Array.BYTES_PER_ELEMENT, 1);
  }

  /** @param readAtNs the time at which a read began that found the keys as they are known, or before that */
  extend(readAtNs: bigint): void {
    const untilNs = readAtNs + KNOWN_NS;
    if (untilNs > Atomics.load(this.#untilNs, 0)) Atomics.store(this.#untilNs, 0, untilNs);
    Atomics.store(this.#failed, 0, 0);
  }

  /** Tells that a read failed: while keys do not count, calls wait no longer for another. */
  fail(): void {
    Atomics.store(this.#failed, 0, 1);
  }

  get isOver(): boolean {
    return process.hrtime.bigint() > Atomics.load(this.#untilNs, 0);
  }

  /** @throws PelorusError `service_unavailable` where the keys count no longer */
  require(): void {
    if (this.isOver) throw unreadable();
  }

  /**
   * Waits until the keys count, until a read fails, or for three seconds: a machine that was busy meanwhile refuses
   * nobody. Undefined where they do count.
   * @throws PelorusError `service_unavailable`
   */
  wait(): Promise<void> | undefined {
    if (!this.isOver) return undefined;
    // One look for all calls: they may be many, where a cluster is away.
    this.#waiting ??= this.#wait().finally(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  async #wait(): Promise<void> {
    const endMs = performance.now() + WAIT_MAX_MS;
    while (this.isOver) {
      if (Atomics.load(this.#failed, 0) === 1 || performance.now() > endMs) throw unreadable();
      await sleep(LOOK_MS);
    }
  }
}

function unreadable(): PelorusError {
  return new PelorusError(
    'service_unavailable',
    'The keys cannot be read at the moment, so that nobody is let in: their cluster does not answer. Try again later',
    { headers: { 'retry-after': String(RETRY_SECONDS) } },
  );
}
