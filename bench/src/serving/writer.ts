import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Documents } from './documents.ts';
import type { Vectors } from './vectors.ts';

/** The data of the writer's thread. */
export interface WriterData {
  address: string;
  rows: Float32Array;
  dim: number;
  /** Documents before the first write. */
  count: number;
  /** Requests sent, requests acknowledged, whether to go on; shared. */
  progress: Int32Array;
  requestsPerSecond: number;
  documentsPerRequest: number;
}

/** The result of a stretch of writing. */
export interface Written {
  /** Milliseconds until each request was acknowledged. */
  times: number[];
  seconds: number;
}

/** Adds, replaces and removes documents from another thread, at a steady rate. */
export class Writer {
  /** All writes so far, in order. */
  readonly documents: Documents;
  readonly #worker: Worker;
  readonly #progress: Int32Array;
  readonly #size: number;
  #known = 0;

  constructor(
    address: string,
    { rows, dim }: Vectors,
    count: number,
    rate: Pick<WriterData, 'requestsPerSecond' | 'documentsPerRequest'>,
  ) {
    this.#progress = new Int32Array(new SharedArrayBuffer(12));
    const workerData: WriterData = { address, rows, dim, count, progress: this.#progress, ...rate };
    this.#worker = new Worker(new URL('./writer-worker.ts', import.meta.url), { workerData });
    this.documents = new Documents(count);
    this.#size = rate.documentsPerRequest;
  }

  get sent(): number {
    return Atomics.load(this.#progress, 0);
  }

  get acknowledged(): number {
    return Atomics.load(this.#progress, 1);
  }

  start(): void {
    Atomics.store(this.#progress, 2, 1);
    this.#worker.postMessage('go');
  }

  /** Ends after the request under way. */
  async stop(): Promise<Written> {
    const answer = once(this.#worker, 'message');
    Atomics.store(this.#progress, 2, 0);
    const [written] = (await answer) as [Written];
    for (; this.#known < this.sent; this.#known += 1) this.documents.next(this.#size);
    return written;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
