import { PelorusError } from '@pelorus/contract';
import type { Encoded } from '@pelorus/node';
import type { BatchPolicy } from './batch-policy.js';
import { BatchQueue, type EmbedCall, type PendingText } from './batch-queue.js';
import type { Priority } from './encoder.js';
import type { SessionSpec } from './messages.js';
import { WorkerSlot } from './worker-slot.js';

export interface PoolOptions {
  /** Worker threads. */
  readonly threads: number;
  readonly batchPolicy: BatchPolicy;
}

/** The texts of one kind that wait for one model. */
interface ModelQueue {
  readonly spec: SessionSpec;
  readonly priority: Priority;
  readonly normalize: boolean;
  readonly queue: BatchQueue;
}

/**
 * Worker threads that share the loaded models and the waiting texts. A worker takes its next batch when it
 * is done with the last, so that a query that comes in waits for one batch at most. Queries that wait
 * together are run together.
 */
export class InferencePool {
  readonly #slots: readonly WorkerSlot[];
  readonly #policy: BatchPolicy;
  readonly #queues = new Map<string, ModelQueue>();
  #nextOrder = 0;
  #queryRun = 0;
  #isClosed = false;

  constructor({ threads, batchPolicy }: PoolOptions) {
    this.#slots = Array.from({ length: threads }, () => new WorkerSlot());
    this.#policy = batchPolicy;
  }

  /**
   * Loads a model on every worker; resolves when the first has it.
   * @throws Error with the reason when none could.
   */
  async load(spec: SessionSpec): Promise<void> {
    const loads = this.#slots.map(async (slot) => {
      await slot.load(spec);
      this.#dispatch();
    });
    try {
      await Promise.any(loads);
    } catch (error) {
      throw error instanceof AggregateError ? error.errors[0] : error;
    }
  }

  /** Gives a model's memory back. Nothing may be waiting for it. */
  release(spec: SessionSpec): void {
    for (const slot of this.#slots) slot.release(spec.id);
    for (const [name, waiting] of this.#queues) if (waiting.spec.id === spec.id) this.#queues.delete(name);
  }

  /** Vectors of encoded texts, `[texts, dim]`, row-major. */
  embed(
    spec: SessionSpec,
    { ids, offsets }: Encoded,
    options: { priority: Priority; normalize: boolean },
  ): Promise<Float32Array> {
    if (this.#isClosed) return Promise.reject(closed());
    const count = offsets.length - 1;
    const vectors = new Float32Array(count * spec.dimensions);
    if (count === 0) return Promise.resolve(vectors);
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    const call: EmbedCall = { order: this.#nextOrder++, vectors, remaining: count, resolve, reject };
    const texts = Array.from({ length: count }, (_, row) => ({
      call,
      row,
      ids: ids.subarray(offsets[row], offsets[row + 1]),
    }));
    this.#queueOf(spec, options).queue.add(texts);
    this.#dispatch();
    return promise;
  }

  /** Fails what waits, lets running batches end, and ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { queue } of this.#queues.values()) {
      for (const { call } of queue.clear()) call.reject(closed());
    }
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }

  #queueOf(spec: SessionSpec, { priority, normalize }: { priority: Priority; normalize: boolean }): ModelQueue {
    const name = `${spec.id} ${priority} ${normalize}`;
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const added: ModelQueue = { spec, priority, normalize, queue: new BatchQueue() };
    this.#queues.set(name, added);
    return added;
  }

  /** Gives every idle worker a batch. */
  #dispatch(): void {
    const { tokensMax, splitTokensMin } = this.#policy;
    const idle = this.#slots.filter((slot) => slot.isIdle);
    for (const [i, slot] of idle.entries()) {
      const next = this.#nextQueue();
      if (next === null) return;
      // What waits is shared among the idle workers, so that a small call ends sooner.
      const share = Math.ceil(next.queue.tokenCount / (idle.length - i));
      const batch = next.queue.take(Math.min(tokensMax, Math.max(splitTokensMin, share)));
      void this.#run(slot, next, batch);
    }
  }

  #nextQueue(): ModelQueue | null {
    const waiting = [...this.#queues.values()].filter(({ queue }) => !queue.isEmpty);
    const queries = waiting.filter(({ priority }) => priority === 'query');
    const documents = waiting.filter(({ priority }) => priority === 'document');
    const isDocumentsTurn = documents.length > 0 && this.#queryRun >= this.#policy.queryRunMax;
    const chosen = queries.length > 0 && !isDocumentsTurn ? queries : documents;
    this.#queryRun = chosen === queries ? this.#queryRun + 1 : 0;
    return chosen.length === 0
      ? null
      : chosen.reduce((first, other) => (other.queue.oldest < first.queue.oldest ? other : first));
  }

  async #run(slot: WorkerSlot, { spec, normalize }: ModelQueue, batch: readonly PendingText[]): Promise<void> {
    const lengths = Uint32Array.from(batch, ({ ids }) => ids.length);
    const ids = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const text of batch) {
      ids.set(text.ids, at);
      at += text.ids.length;
    }
    try {
      deliver(batch, await slot.run(spec, ids, lengths, normalize), spec.dimensions);
    } catch (error) {
      for (const call of new Set(batch.map((text) => text.call))) this.#fail(call, error as Error);
    }
    this.#dispatch();
  }

  #fail(call: EmbedCall, error: Error): void {
    for (const { queue } of this.#queues.values()) queue.drop(call);
    call.reject(error);
  }
}

function deliver(batch: readonly PendingText[], vectors: Float32Array, dim: number): void {
  for (const [i, { call, row }] of batch.entries()) {
    call.vectors.set(vectors.subarray(i * dim, (i + 1) * dim), row * dim);
    if (--call.remaining === 0) call.resolve(call.vectors);
  }
}

const closed = () => new PelorusError('service_unavailable', 'Inference is shutting down.');
