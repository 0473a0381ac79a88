import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { PelorusError } from '@pelorus/contract';

const MEBIBYTE = 1024 * 1024;

/**
 * Share of the budget up to which documents are added. The rest is for requests under way, for linking and saving new
 * vectors, and for searches.
 */
const ADDS_SHARE = 3 / 4;
/** Share of the budget that request bodies may hold together. Each costs about four times its bytes at its peak. */
const BODIES_SHARE = 1 / 16;
/** Share of the budget that answers may hold together until they are sent. */
const ANSWERS_SHARE = 1 / 16;
/** A sample is taken again when it is older. */
export const SAMPLE_MAX_AGE_MS = 100;
/** Share of the budget from which freed memory is given back to the system; below it, keeping it is cheaper. */
const RELEASE_SHARE = 1 / 2;
/** Giving back walks over all that is free: milliseconds of one thread. */
const RELEASE_INTERVAL_MS = 5000;

/** The figures and actions of the process that {@link Memory} needs. */
export interface MemorySource {
  /** The bytes that count as held. */
  readonly read?: () => number;
  /** The part of it that another limit bounds, in bytes; nothing when absent. */
  readonly apart?: () => number;
  /** Gives freed memory back to the system. */
  readonly release?: () => Promise<void>;
}

/** The memory this process may hold, and the memory that it holds. */
export class Memory {
  readonly budgetBytes: number;
  readonly #read: () => number;
  readonly #release: () => Promise<void>;
  #heldBytes = 0;
  #sampledMs = Number.NEGATIVE_INFINITY;
  #releasedMs = Number.NEGATIVE_INFINITY;

  /** @param budgetBytes the operator's word; null for what the system allows */
  constructor(
    budgetBytes: number | null,
    { read = anonymousBytes, apart = () => 0, release = () => Promise.resolve() }: MemorySource = {},
  ) {
    this.budgetBytes = memoryBudget(budgetBytes);
    this.#read = () => Math.max(0, read() - apart());
    this.#release = release;
  }

  /** Bytes of request bodies at once. */
  get bodiesBytesMax(): number {
    return Math.floor(this.budgetBytes * BODIES_SHARE);
  }

  /** Bytes of answers at once. */
  get answersBytesMax(): number {
    return Math.floor(this.budgetBytes * ANSWERS_SHARE);
  }

  /** As of a moment ago. */
  heldBytes(): number {
    const now = performance.now();
    if (now - this.#sampledMs >= SAMPLE_MAX_AGE_MS) {
      this.#sampledMs = now;
      this.#heldBytes = this.#read();
    }
    return this.#heldBytes;
  }

  /** Tells whether documents can be added. */
  hasRoom(): boolean {
    return this.heldBytes() < this.budgetBytes * ADDS_SHARE;
  }

  /** @throws PelorusError `insufficient_memory` when documents cannot be added */
  requireRoom(): void {
    this.#releaseFreed();
    if (this.hasRoom()) return;
    const [held, bound, budget] = [this.heldBytes(), this.budgetBytes * ADDS_SHARE, this.budgetBytes].map(inMebibytes);
    throw new PelorusError(
      'insufficient_memory',
      `The server holds ${held} of memory. It takes no documents from ${bound} on, three quarters of its budget of ${budget}; reading and deleting go on. Delete documents or indexes, or start it with more memory (PELORUS_MAX_MEMORY).`,
      { headers: { 'retry-after': '10' } },
    );
  }

  /** An allocator keeps freed memory, that of a large request for one, and kept memory counts as held. */
  #releaseFreed(): void {
    const now = performance.now();
    if (this.heldBytes() < this.budgetBytes * RELEASE_SHARE || now - this.#releasedMs < RELEASE_INTERVAL_MS) return;
    this.#releasedMs = now;
    void this.#release();
  }
}

function inMebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}

/**
 * The bytes of memory that a server may hold: the operator's word, or else the limit of the control group this process is
 * in, or else the machine's memory.
 */
export function memoryBudget(asked: number | null): number {
  if (asked !== null) return asked;
  const limit = process.constrainedMemory();
  // Without a limit the answer is 0, or a number larger than any machine.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/**
 * Memory that only this process has and no file could give back: what a limit is reached with. Mapped files are left out,
 * the system drops their pages when it needs room. Where it does not tell the two apart both are counted.
 */
function anonymousBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  const kibibytes = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
  return kibibytes === undefined ? process.memoryUsage.rss() : Number(kibibytes) * 1024;
}
