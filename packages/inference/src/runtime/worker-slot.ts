import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { PelorusError } from '@pelorus/contract';
import type { Outcome, SessionSpec, Task } from './messages.js';

interface Waiting {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: Error) => void;
}

/** How long a worker may take to end by itself before it is ended. */
const CLOSE_MS = 5_000;

/**
 * The place of one worker thread. The thread is started when it is first needed; one that ends
 * unexpectedly fails what it was doing, and the next task starts another.
 */
export class WorkerSlot {
  #worker: Worker | null = null;
  #nextTask = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** Nothing is being done. */
  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  /** Makes a session for the model. @throws Error with the reason why not. */
  async load(spec: SessionSpec): Promise<void> {
    await this.#ask((task) => ({ kind: 'load', task, spec }), []);
  }

  /** Vectors of a batch, `[texts, dim]`. The batch's buffers are handed over. */
  run(spec: SessionSpec, ids: Int32Array, lengths: Uint32Array, normalize: boolean): Promise<Float32Array> {
    const transfer = [ids.buffer, lengths.buffer] as ArrayBuffer[];
    return this.#ask((task) => ({ kind: 'run', task, spec, ids, lengths, normalize }), transfer);
  }

  /** Gives a session's memory back, once what was asked before is done. */
  release(id: number): void {
    this.#worker?.postMessage({ kind: 'release', id } satisfies Task);
  }

  /** Ends the thread after what it is doing. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = once(worker, 'exit');
    worker.postMessage({ kind: 'close' } satisfies Task);
    const timer = setTimeout(() => worker.terminate(), CLOSE_MS);
    await ended;
    clearTimeout(timer);
  }

  #ask(task: (number: number) => Task, transfer: ArrayBuffer[]): Promise<Float32Array> {
    const number = this.#nextTask++;
    this.#worker ??= this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    this.#waiting.set(number, { resolve, reject });
    this.#worker.postMessage(task(number), transfer);
    return promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL('../onnx/onnx-worker.js', import.meta.url), { name: 'inference' });
    worker.on('message', (outcome: Outcome) => this.#settle(outcome));
    let cause: unknown;
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', (code) => {
      if (this.#worker === worker) this.#worker = null;
      const why = cause instanceof Error ? cause.message : `exit code ${code}`;
      this.#failAll(
        new PelorusError('service_unavailable', `An inference worker ended unexpectedly (${why}). Try again.`, {
          cause,
        }),
      );
    });
    return worker;
  }

  #settle(outcome: Outcome): void {
    const waiting = this.#waiting.get(outcome.task);
    this.#waiting.delete(outcome.task);
    if ('error' in outcome) waiting?.reject(new Error(outcome.error));
    else waiting?.resolve(outcome.vectors);
  }

  #failAll(error: Error): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(error);
  }
}
