import type { PendingErasure } from './ledger-file.js';

/** Time that a failed one waits for its next attempt, which is twice as long each time. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 10 * 60_000;

interface Failure {
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly dueMs: number;
  readonly reason: string;
}

/** The times at which erasures are tried: one that fails is tried again later, and holds up no other. */
export class ErasureAttempts {
  /** By the first job of the user. */
  readonly #failures = new Map<string, Failure>();

  /** The first of `pending` that is due at `now`. */
  next(pending: readonly PendingErasure[], now: number): PendingErasure | undefined {
    return pending.find(({ job }) => (this.#failures.get(job)?.dueMs ?? 0) <= now);
  }

  /** The time at which the first of `pending` is due; null for none. */
  dueMs(pending: readonly PendingErasure[]): number | null {
    if (pending.length === 0) return null;
    return pending.reduce((first, { job }) => Math.min(first, this.#failures.get(job)?.dueMs ?? 0), Number.MAX_VALUE);
  }

  failed(job: string, reason: string, now: number): void {
    const attempts = (this.#failures.get(job)?.attempts ?? 0) + 1;
    const waitMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(attempts - 1, 20));
    this.#failures.set(job, { attempts, dueMs: now + waitMs, reason });
  }

  succeeded(job: string): void {
    this.#failures.delete(job);
  }

  /** Describes the erasures that fail; null while none does. */
  problem(): string | null {
    const [first] = this.#failures.values();
    if (first === undefined) return null;
    return `Erasures that fail and will be tried again: ${this.#failures.size}, the first for: ${first.reason}`;
  }
}
