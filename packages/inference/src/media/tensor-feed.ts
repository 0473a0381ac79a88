import type { Embeddings, TensorBatch } from '../runtime/encoder.js';

/** Most tensors of a batch: more are hardly faster, and keep a query waiting. */
const BATCH_MAX = 8;
/** Batches that the encoder has at once, so that it finds the next when it is done with one on each worker. */
const RUNNING_MAX = 4;

interface Waiting {
  readonly tensors: TensorBatch;
  readonly count: number;
  readonly resolve: (embeddings: Embeddings) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Feeds an encoder with tensors of one shape as they come: at once while it has little to do, and else together with
 * others that came meanwhile.
 */
export class TensorFeed {
  readonly #encode: (tensors: TensorBatch) => Promise<Embeddings>;
  readonly #dimensions: number;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  /** @param encode embeddings of a batch, `dimensions` components a row */
  constructor(encode: (tensors: TensorBatch) => Promise<Embeddings>, dimensions: number) {
    this.#encode = encode;
    this.#dimensions = dimensions;
  }

  /** Embeddings of these tensors. @throws what the encoder throws of their batch */
  async add(tensors: TensorBatch): Promise<Embeddings> {
    const count = tensors.values.length / tensors.shape.reduce((product, size) => product * size, 1);
    const { promise, resolve, reject } = Promise.withResolvers<Embeddings>();
    this.#waiting.push({ tensors, count, resolve, reject });
    this.#start();
    return promise;
  }

  #start(): void {
    while (this.#running < RUNNING_MAX && this.#waiting.length > 0) {
      this.#running += 1;
      void this.#run(this.#take());
    }
  }

  /** As many as make a batch; one with more tensors than that goes alone. */
  #take(): Waiting[] {
    let count = 0;
    const end = this.#waiting.findIndex((one, i) => {
      count += one.count;
      return i > 0 && count > BATCH_MAX;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      this.#deliver(batch, await this.#encode(together(batch.map(({ tensors }) => tensors))));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#running -= 1;
    this.#start();
  }

  #deliver(batch: readonly Waiting[], { vectors, failures }: Embeddings): void {
    let first = 0;
    for (const { count, resolve } of batch) {
      const end = first + count;
      resolve({
        vectors: vectors.slice(first * this.#dimensions, end * this.#dimensions),
        failures: failures
          .filter(({ row }) => row >= first && row < end)
          .map(({ row, message }) => ({ row: row - first, message })),
      });
      first = end;
    }
  }
}

function together(batches: readonly TensorBatch[]): TensorBatch {
  const [only, ...others] = batches;
  if (only === undefined) throw new RangeError('a batch of no tensors');
  if (others.length === 0) return only;
  const values = new Float32Array(batches.reduce((sum, batch) => sum + batch.values.length, 0));
  let at = 0;
  for (const batch of batches) {
    values.set(batch.values, at);
    at += batch.values.length;
  }
  return { values, shape: only.shape };
}
