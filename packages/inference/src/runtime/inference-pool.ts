import type { Encoded } from '@pelorus/node';
import type { BatchPolicy } from './batch-policy.js';
import { BatchQueue, type EmbedCall, type PendingInput } from './batch-queue.js';
import type { Embeddings, EncoderWork, InputFailure, Priority, TensorBatch } from './encoder.js';
import type { InputsBatch, SessionSpec, TokenBatch } from './messages.js';
import { inferenceUnavailable } from './unavailable.js';

/** A thread, or whatever else runs one batch at a time. Batches that are asked for are done in order. */
export interface PoolWorker {
  /** Nothing is being done. */
  readonly isIdle: boolean;
  /** Makes a session for a model. @throws Error with the reason why not */
  load(spec: SessionSpec): Promise<void>;
  /**
   * Embeddings of a batch, whose buffers are handed over. Makes the session first where there is none.
   * @throws PelorusError `service_unavailable` when the worker was lost with the batch; another takes its place
   */
  run(spec: SessionSpec, batch: InputsBatch, normalize: boolean): Promise<Embeddings>;
  /** Gives a session's memory back, once earlier requests are done. */
  release(id: number): void;
  /** Ends the worker after its task. */
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly workers: readonly PoolWorker[];
  readonly batchPolicy: BatchPolicy;
}

export interface EmbedInputsOptions {
  readonly priority: Priority;
  readonly normalize: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The inputs of one kind that wait for one graph. */
interface ModelQueue {
  readonly spec: SessionSpec;
  /** Shape of each input; null for texts. */
  readonly shape: readonly number[] | null;
  readonly priority: Priority;
  readonly normalize: boolean;
  readonly queue: BatchQueue;
}

/** Values of a tensor that cost about as much as a token: those of a patch of 16 x 16 pixels in three colours. */
const TOKEN_VALUES = 16 * 16 * 3;

/**
 * Workers that share the loaded models of one device and the waiting inputs. A worker takes its next batch when it
 * is done with the last, so that a query that comes in waits for one batch at most. Queries that wait
 * together are run together.
 */
export class InferencePool {
  readonly #workers: readonly PoolWorker[];
  readonly #policy: BatchPolicy;
  readonly #queues = new Map<string, ModelQueue>();
  /** The workers that have a copy of a model, by the id of its session. */
  readonly #copies = new Map<number, readonly PoolWorker[]>();
  #nextOrder = 0;
  #queryRun = 0;
  #isClosed = false;
  readonly #done = { batches: 0, inputs: 0, tokens: 0 };

  constructor({ workers, batchPolicy }: PoolOptions) {
    this.#workers = workers;
    this.#policy = batchPolicy;
  }

  /** The work done so far, and what waits. */
  work(): EncoderWork {
    const waiting = [...this.#queues.values()].reduce((sum, { queue }) => sum + queue.count, 0);
    return { ...this.#done, waiting };
  }

  /**
   * Loads a model on as many workers as named, all where there are fewer; resolves when the first has it.
   * @throws Error with the reason when none could, PelorusError `service_unavailable` when the pool is closed
   */
  async load(spec: SessionSpec, copies = this.#workers.length): Promise<void> {
    if (this.#isClosed) throw closed();
    const workers = this.#workersFor(spec, copies);
    this.#copies.set(spec.id, workers);
    const loads = workers.map((worker) => this.#loadOn(worker, spec));
    try {
      await Promise.any(loads);
    } catch (error) {
      throw error instanceof AggregateError ? error.errors[0] : error;
    }
  }

  /** Frees the memory of copies beyond so many, once they are idle, or loads missing ones. */
  setCopies(spec: SessionSpec, copies: number): void {
    const before = this.#copies.get(spec.id);
    if (before === undefined || this.#isClosed) return;
    const after = this.#workersFor(spec, copies);
    this.#copies.set(spec.id, after);
    for (const worker of before) if (!after.includes(worker)) worker.release(spec.id);
    for (const worker of after) {
      // Where it cannot be loaded, running a batch says so.
      if (!before.includes(worker)) this.#loadOn(worker, spec).catch(() => undefined);
    }
  }

  /** Gives a model's memory back. Nothing may be waiting for it. */
  release(spec: SessionSpec): void {
    for (const worker of this.#workers) worker.release(spec.id);
    this.#copies.delete(spec.id);
    for (const [name, waiting] of this.#queues) if (waiting.spec.id === spec.id) this.#queues.delete(name);
  }

  /**
   * Embeddings of encoded texts, the failures among them included.
   * @throws Error when the call as a whole failed: a worker was lost, or the pool is closed
   * @throws the reason of `signal` once it is aborted; a batch that runs already goes on
   */
  embed(spec: SessionSpec, { ids, offsets, failures }: Encoded, options: EmbedInputsOptions): Promise<Embeddings> {
    const failed = new Set(failures.map(({ row }) => row));
    const texts = Array.from({ length: offsets.length - 1 }, (_, row) => {
      const data = ids.subarray(offsets[row], offsets[row + 1]);
      return { row, data, tokenCount: spec.fixedLength ?? data.length };
    });
    const pending = texts.filter(({ row }) => !failed.has(row));
    return this.#embed(spec, null, texts.length, pending, failures, options);
  }

  /** As `embed`, of tensors. */
  embedTensors(spec: SessionSpec, { values, shape }: TensorBatch, options: EmbedInputsOptions): Promise<Embeddings> {
    const length = shape.reduce((product, size) => product * size, 1);
    const tokenCount = Math.ceil(length / TOKEN_VALUES);
    const pending = Array.from({ length: values.length / length }, (_, row) => ({
      row,
      data: values.subarray(row * length, (row + 1) * length),
      tokenCount,
    }));
    return this.#embed(spec, shape, pending.length, pending, [], options);
  }

  #embed(
    spec: SessionSpec,
    shape: readonly number[] | null,
    count: number,
    inputs: readonly Omit<PendingInput, 'call'>[],
    failures: readonly InputFailure[],
    options: EmbedInputsOptions,
  ): Promise<Embeddings> {
    const { signal } = options;
    if (this.#isClosed) return Promise.reject(closed());
    if (signal?.aborted) return Promise.reject(signal.reason);
    const vectors = new Float32Array(count * spec.dimensions);
    const remaining = inputs.length;
    if (remaining === 0) return Promise.resolve({ vectors, failures });
    const { promise, resolve, reject } = Promise.withResolvers<Embeddings>();
    const call: EmbedCall = { order: this.#nextOrder++, vectors, failures: [...failures], remaining, resolve, reject };
    this.#queueOf(spec, shape, options).queue.add(inputs.map((input) => ({ ...input, call })));
    this.#dispatch();
    if (signal === undefined) return promise;
    const abort = () => this.#fail(call, signal.reason);
    signal.addEventListener('abort', abort);
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /** Fails waiting inputs, lets running batches end, and ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { queue } of this.#queues.values()) {
      for (const { call } of queue.clear()) call.reject(closed());
    }
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  #queueOf(
    spec: SessionSpec,
    shape: readonly number[] | null,
    { priority, normalize }: EmbedInputsOptions,
  ): ModelQueue {
    const name = `${spec.id} ${priority} ${normalize} ${shape ?? 'texts'}`;
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const added: ModelQueue = { spec, shape, priority, normalize, queue: new BatchQueue() };
    this.#queues.set(name, added);
    return added;
  }

  /** Models of few copies begin at different workers. */
  #workersFor({ id }: SessionSpec, copies: number): readonly PoolWorker[] {
    const first = id % this.#workers.length;
    return [...this.#workers.slice(first), ...this.#workers.slice(0, first)].slice(0, Math.max(1, copies));
  }

  async #loadOn(worker: PoolWorker, spec: SessionSpec): Promise<void> {
    await worker.load(spec);
    this.#dispatch();
  }

  #mayRun(worker: PoolWorker, { id }: SessionSpec): boolean {
    return this.#copies.get(id)?.includes(worker) ?? true;
  }

  /** Gives every idle worker a batch. */
  #dispatch(): void {
    const { tokensMax, inputsMax, splitTokensMin } = this.#policy;
    const idle = this.#workers.filter(({ isIdle }) => isIdle);
    for (const [i, worker] of idle.entries()) {
      const next = this.#nextQueue(worker);
      if (next === null) continue;
      // Waiting inputs are shared among the idle workers, so that a small call ends sooner. The last takes all it may.
      const workers = idle.slice(i).filter((other) => this.#mayRun(other, next.spec)).length;
      const share = workers === 1 ? tokensMax : Math.ceil(next.queue.tokenCount / workers);
      const batch = next.queue.take(Math.min(tokensMax, Math.max(splitTokensMin, share)), inputsMax);
      void this.#run(worker, next, batch);
    }
  }

  #nextQueue(worker: PoolWorker): ModelQueue | null {
    const waiting = [...this.#queues.values()].filter(
      ({ queue, spec }) => !queue.isEmpty && this.#mayRun(worker, spec),
    );
    if (waiting.length === 0) return null;
    const queries = waiting.filter(({ priority }) => priority === 'query');
    const documents = waiting.filter(({ priority }) => priority === 'document');
    const isDocumentsTurn = documents.length > 0 && this.#queryRun >= this.#policy.queryRunMax;
    const chosen = queries.length > 0 && !isDocumentsTurn ? queries : documents;
    this.#queryRun = chosen === queries ? this.#queryRun + 1 : 0;
    return chosen.reduce((first, other) => (other.queue.oldest < first.queue.oldest ? other : first));
  }

  async #run(
    worker: PoolWorker,
    { spec, shape, normalize }: ModelQueue,
    batch: readonly PendingInput[],
  ): Promise<void> {
    this.#done.batches += 1;
    this.#done.inputs += batch.length;
    for (const { tokenCount } of batch) this.#done.tokens += tokenCount;
    try {
      const inputs = shape === null ? tokensOf(batch) : tensorsOf(batch, shape);
      deliver(batch, await worker.run(spec, inputs, normalize), spec.dimensions);
    } catch (error) {
      for (const call of new Set(batch.map((input) => input.call))) this.#fail(call, error as Error);
    }
    this.#dispatch();
  }

  #fail(call: EmbedCall, error: Error): void {
    for (const { queue } of this.#queues.values()) queue.drop(call);
    call.reject(error);
  }
}

function tokensOf(batch: readonly PendingInput[]): TokenBatch {
  const lengths = Uint32Array.from(batch, ({ data }) => data.length);
  const ids = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  fill(ids, batch);
  return { ids, lengths };
}

function tensorsOf(batch: readonly PendingInput[], shape: readonly number[]): TensorBatch {
  const values = new Float32Array(batch.reduce((sum, { data }) => sum + data.length, 0));
  fill(values, batch);
  return { values, shape };
}

function fill(target: Int32Array | Float32Array, batch: readonly PendingInput[]): void {
  let at = 0;
  for (const { data } of batch) {
    target.set(data, at);
    at += data.length;
  }
}

/** Gives every input of a batch its vector or its failure, and calls whose last input this was their answer. */
function deliver(batch: readonly PendingInput[], { vectors, failures }: Embeddings, dim: number): void {
  for (const { row, message } of failures) {
    const failed = batch[row];
    failed?.call.failures.push({ row: failed.row, message });
  }
  for (const [i, { call, row }] of batch.entries()) {
    call.vectors.set(vectors.subarray(i * dim, (i + 1) * dim), row * dim);
    if (--call.remaining > 0) continue;
    call.resolve({ vectors: call.vectors, failures: call.failures.sort((a, b) => a.row - b.row) });
  }
}

const closed = () => inferenceUnavailable('Inference is shutting down.');
