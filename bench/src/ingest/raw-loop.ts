import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { InputBatch, Tokenizer } from '@pelorus/engine';
import { textInputs } from '@pelorus/inference';

/** The data of each worker of the loop. */
export interface RawLoopData {
  /** The ONNX file. */
  model: string;
  /** Token ids, in the order the texts came. */
  texts: readonly Int32Array[];
  /** The first text nobody has taken yet; shared by all workers. */
  next: Int32Array;
  batchSize: number;
}

const BATCH_SIZE = 16;
const TOKENS_MAX = 256;

/**
 * The yardstick for ingest: the model alone, with no server, store or index around it. As many
 * sessions as there are cores, each on one thread; batches of sixteen in the order the texts came.
 * Tokenizing and loading are outside of the clock.
 */
export class RawLoop {
  readonly #workers: readonly Worker[];
  readonly #next: Int32Array;

  private constructor(workers: readonly Worker[], next: Int32Array) {
    this.#workers = workers;
    this.#next = next;
  }

  static async over(texts: string[], folder: string): Promise<RawLoop> {
    const tokenizer = await Tokenizer.load(await readFile(join(folder, 'tokenizer.json')), TOKENS_MAX);
    const { ids, offsets } = await tokenizer.encode(InputBatch.of(textInputs(texts)));
    const next = new Int32Array(new SharedArrayBuffer(4));
    const workerData: RawLoopData = {
      model: join(folder, 'model.onnx'),
      texts: texts.map((_, i) => ids.slice(offsets[i], offsets[i + 1])),
      next,
      batchSize: BATCH_SIZE,
    };
    const script = new URL('./raw-loop-worker.ts', import.meta.url);
    const workers = Array.from({ length: availableParallelism() }, () => new Worker(script, { workerData }));
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    return new RawLoop(workers, next);
  }

  /** Embeds all texts; seconds. */
  async run(): Promise<number> {
    this.#next[0] = 0;
    const started = performance.now();
    const done = this.#workers.map((worker) => once(worker, 'message'));
    for (const worker of this.#workers) worker.postMessage('go');
    await Promise.all(done);
    return (performance.now() - started) / 1000;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
