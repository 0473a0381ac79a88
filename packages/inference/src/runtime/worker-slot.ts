import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Embeddings } from './encoder.js';
import type { PoolWorker } from './inference-pool.js';
import { type InputsBatch, isTensors, type Outcome, type SessionSpec, type Task } from './messages.js';
import { inferenceUnavailable } from './unavailable.js';

interface Waiting {
  readonly resolve: (embeddings: Embeddings) => void;
  readonly reject: (error: Error) => void;
}

/** Time that a worker may take to end by itself before it is ended. */
const CLOSE_MS = 5_000;

/** Time that its end may take then. A thread within a call of the runtime's ends when that returns. */
const TERMINATE_MS = 1_000;

/**
 * The place of one worker thread. The thread is started when it is first needed; one that ends unexpectedly fails its
 * task, and the next task starts another.
 */
export class WorkerSlot implements PoolWorker {
  readonly #module: URL;
  readonly #closeMs: number;
  #worker: Worker | null = null;
  #nextTask = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** @param module what the thread runs: it does each `Task` it is sent and answers with its `Outcome` */
  constructor(module: URL, closeMs = CLOSE_MS) {
    this.#module = module;
    this.#closeMs = closeMs;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  async load(spec: SessionSpec): Promise<void> {
    await this.#ask((task) => ({ kind: 'load', task, spec }), []);
  }

  run(spec: SessionSpec, batch: InputsBatch, normalize: boolean): Promise<Embeddings> {
    const arrays = isTensors(batch) ? [batch.values] : [batch.ids, batch.lengths];
    // The thread gets the arrays themselves and not copies: here they are empty afterwards.
    const transfer = arrays.map(({ buffer }) => buffer as ArrayBuffer);
    return this.#ask((task) => ({ kind: 'run', task, spec, batch, normalize }), transfer);
  }

  release(id: number): void {
    this.#worker?.postMessage({ kind: 'release', id } satisfies Task);
  }

  /** Resolves when the thread has ended, or cannot be ended: it then takes its call and no more to its end. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = once(worker, 'exit').then(() => true);
    worker.postMessage({ kind: 'close' } satisfies Task);
    if (await Promise.race([ended, sleep(this.#closeMs, false, { ref: false })])) return;
    void worker.terminate();
    await Promise.race([ended, sleep(TERMINATE_MS)]);
  }

  #ask(task: (number: number) => Task, transfer: ArrayBuffer[]): Promise<Embeddings> {
    const number = this.#nextTask++;
    this.#worker ??= this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<Embeddings>();
    this.#waiting.set(number, { resolve, reject });
    this.#worker.postMessage(task(number), transfer);
    return promise;
  }

  #start(): Worker {
    const worker = new Worker(this.#module, { name: 'inference' });
    worker.on('message', (outcome: Outcome) => this.#settle(outcome));
    let cause: unknown;
    // The exit follows, and fails the tasks.
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', (code) => {
      if (this.#worker === worker) this.#worker = null;
      const why = cause instanceof Error ? cause.message : `exit code ${code}`;
      this.#failAll(inferenceUnavailable(`An inference worker ended unexpectedly (${why}). Try again.`, cause));
    });
    return worker;
  }

  #settle({ task, ...outcome }: Outcome): void {
    const waiting = this.#waiting.get(task);
    this.#waiting.delete(task);
    if ('error' in outcome) waiting?.reject(new Error(outcome.error));
    else waiting?.resolve(outcome);
  }

  #failAll(error: Error): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(error);
  }
}
