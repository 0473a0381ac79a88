import type { Priority } from '../runtime/encoder.js';

/** The priority and the signal of a wait for a share. */
export interface Claim {
  readonly priority: Priority;
  /** Aborted when nobody wants the share any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A share of a {@link Semaphore}. */
export interface Permit {
  /** Gives the share back; a second call does nothing. */
  release(): void;
}

interface Waiter {
  readonly weight: number;
  readonly resolve: (permit: Permit) => void;
}

/** A bounded quantity that is taken in shares and given back. Queries are served before documents, else who came first. */
export class Semaphore {
  readonly #capacity: number;
  #free: number;
  readonly #waiting: Readonly<Record<Priority, Set<Waiter>>> = { query: new Set(), document: new Set() };

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** Nothing is taken, and nobody waits. */
  get isIdle(): boolean {
    return this.#free === this.#capacity && this.#next() === undefined;
  }

  /**
   * Waits until `weight` is free. A weight above the capacity takes all of it.
   * @throws the reason of the claim's signal once it is aborted
   */
  async acquire(weight: number, { priority, signal }: Claim): Promise<Permit> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const queue = this.#waiting[priority];
    const waiter = { weight: Math.min(weight, this.#capacity), resolve };
    queue.add(waiter);
    const abandon = () => {
      if (!queue.delete(waiter)) return;
      reject(signal?.reason);
      this.#serve();
    };
    signal?.addEventListener('abort', abandon, { once: true });
    this.#serve();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abandon);
    }
  }

  /** Gives free shares to those who wait, in order: a large share is not passed over for a small one. */
  #serve(): void {
    for (let next = this.#next(); next !== undefined && next.weight <= this.#free; next = this.#next()) {
      this.#waiting.query.delete(next);
      this.#waiting.document.delete(next);
      this.#free -= next.weight;
      next.resolve(this.#permit(next.weight));
    }
  }

  #next(): Waiter | undefined {
    const [query] = this.#waiting.query;
    const [document] = this.#waiting.document;
    return query ?? document;
  }

  #permit(weight: number): Permit {
    let held = weight;
    return {
      release: () => {
        this.#free += held;
        held = 0;
        this.#serve();
      },
    };
  }
}
