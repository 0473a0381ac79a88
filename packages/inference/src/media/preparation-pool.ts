import { fileURLToPath } from 'node:url';
import type { PreparedPicture } from '@pelorus/node';
import type { Piscina } from 'piscina';
import { reasonOf } from '../sources/source-failure.js';
import { MediaFailure } from './media-failure.js';
import type { PreparationTask, Prepared, TooManyPixels } from './preparation.js';
import { type Claim, Semaphore } from './semaphore.js';

/** What a preparation thread runs. */
export const PREPARATION_WORKER = new URL('./preparation-worker.js', import.meta.url);

/** How long a thread waits for another picture before it ends. */
const IDLE_MS = 10_000;

/** Pixels of a picture that any thread may decode; of larger ones, which take up to gigabytes, one is decoded at a time. */
const PIXELS_AT_ONCE = 25_000_000;

/** The threads that make tensors of pictures. They start on demand, and end when there is nothing to do for a while. */
export class PreparationPool {
  readonly #filename: string;
  readonly #threadsMax: number;
  #piscina: Promise<Piscina<PreparationTask, Prepared>> | null = null;
  /** Who waits for a thread waits here and not in Piscina, which ends a thread to cancel what it has begun. */
  readonly #threads: Semaphore;
  readonly #large = new Semaphore(1);

  constructor(threads: number, worker = PREPARATION_WORKER) {
    this.#threads = new Semaphore(threads);
    this.#threadsMax = threads;
    this.#filename = fileURLToPath(worker);
  }

  /**
   * Tensors of a picture, whose memory is taken. The claim's signal cancels what waits for a thread; what was begun is
   * finished, as a decoder cannot be stopped.
   * @throws MediaFailure with what is wrong with the picture, or that its thread was lost; the reason of the signal
   */
  async prepare(task: PreparationTask, claim: Claim): Promise<PreparedPicture> {
    const pixelsMax = Math.min(task.limits.pixelsMax, PIXELS_AT_ONCE);
    const prepared = await this.#run({ ...task, limits: { ...task.limits, pixelsMax } }, claim);
    if (!('tooManyPixels' in prepared)) return prepared;
    const permit = await this.#large.acquire(1, claim);
    try {
      const large = await this.#run({ ...task, picture: prepared.picture }, claim);
      if ('tooManyPixels' in large) throw new MediaFailure(large.tooManyPixels);
      return large;
    } finally {
      permit.release();
    }
  }

  async close(): Promise<void> {
    await (await this.#piscina)?.close();
  }

  async #run(task: PreparationTask, claim: Claim): Promise<PreparedPicture | TooManyPixels> {
    const permit = await this.#threads.acquire(1, claim);
    try {
      const { picture } = task;
      const transferList = typeof picture === 'string' ? [] : [picture.buffer];
      this.#piscina ??= this.#start();
      const piscina = await this.#piscina;
      const prepared = await piscina.run(task, { transferList }).catch((error) => {
        const reason = `the thread that prepared it ended unexpectedly (${reasonOf(error)}). Try again`;
        throw new MediaFailure(reason, { cause: error });
      });
      if ('failure' in prepared) throw new MediaFailure(prepared.failure);
      return prepared;
    } finally {
      permit.release();
    }
  }

  /** Piscina is loaded with the first picture: most servers never see one. */
  async #start(): Promise<Piscina<PreparationTask, Prepared>> {
    const { Piscina } = await import('piscina');
    return new Piscina({
      filename: this.#filename,
      minThreads: 0,
      maxThreads: this.#threadsMax,
      maxQueue: this.#threadsMax,
      idleTimeout: IDLE_MS,
      recordTiming: false,
    });
  }
}
