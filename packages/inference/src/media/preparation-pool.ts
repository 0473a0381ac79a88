import { fileURLToPath } from 'node:url';
import type { RecordingTensor } from '@pelorus/node';
import type { Piscina } from 'piscina';
import { reasonOf } from '../reason.js';
import { MediaFailure } from './media-failure.js';
import {
  type Answer,
  memoryOf,
  type OfPicture,
  type PreparationTask,
  type Prepared,
  type RecordingTask,
  type TooManyPixels,
  type Unprepared,
} from './preparation.js';
import { type Claim, Semaphore } from './semaphore.js';

/** The module that a preparation thread runs. */
export const PREPARATION_WORKER = new URL('./preparation-worker.js', import.meta.url);

/** Time that a thread waits for another picture before it ends. */
const IDLE_MS = 10_000;

/** Pixels of a picture that any thread may decode; of larger ones, which take up to gigabytes, one is decoded at a time. */
const PIXELS_AT_ONCE = 25_000_000;

/**
 * The threads that make tensors of pictures, frames of films and sounds. They start on demand, and end when there is
 * nothing to do for a while.
 */
export class PreparationPool {
  readonly #filename: string;
  readonly #threadsMax: number;
  #piscina: Promise<Piscina<PreparationTask, unknown>> | null = null;
  /** Tasks wait for a thread here and not in Piscina, which ends a thread to cancel a task that it has begun. */
  readonly #threads: Semaphore;
  readonly #large = new Semaphore(1);

  constructor(threads: number, worker = PREPARATION_WORKER) {
    this.#threads = new Semaphore(threads);
    this.#threadsMax = threads;
    this.#filename = fileURLToPath(worker);
  }

  /**
   * Tensors of a picture, whose memory is taken, and given back where another step follows. The claim's signal cancels
   * a task that waits for a thread; one that was begun is finished, as a decoder cannot be stopped.
   * @throws MediaFailure with what is wrong with the picture, or that its thread was lost; the reason of the signal
   */
  async prepare<Task extends OfPicture>(task: Task, claim: Claim): Promise<Prepared<Task>> {
    const pixelsMax = Math.min(task.limits.pixelsMax, PIXELS_AT_ONCE);
    const prepared = await this.#runPicture({ ...task, limits: { ...task.limits, pixelsMax } }, claim);
    if (!isTooLarge(prepared)) return prepared;
    const permit = await this.#large.acquire(1, claim);
    try {
      const large = await this.#runPicture({ ...task, picture: prepared.picture }, claim);
      if (isTooLarge(large)) throw new MediaFailure(large.tooManyPixels);
      return large;
    } finally {
      permit.release();
    }
  }

  /** The tensor of a frame or a piece of a sound, as `prepare` otherwise. */
  async prepareRecording(task: RecordingTask, claim: Claim): Promise<RecordingTensor> {
    return this.#run(task, claim);
  }

  #runPicture<Task extends OfPicture>(task: Task, claim: Claim): Promise<Prepared<Task> | TooManyPixels> {
    return this.#run<OfPicture>(task, claim) as Promise<Prepared<Task> | TooManyPixels>;
  }

  async close(): Promise<void> {
    await (await this.#piscina)?.close();
  }

  async #run<Task extends PreparationTask>(task: Task, claim: Claim): Promise<Exclude<Answer<Task>, Unprepared>> {
    const permit = await this.#threads.acquire(1, claim);
    try {
      this.#piscina ??= this.#start();
      const piscina = await this.#piscina;
      const answer: unknown = await piscina.run(task, { transferList: memoryOf(task) }).catch((error) => {
        const reason = `the thread that prepared it ended unexpectedly (${reasonOf(error)}). Try again`;
        throw new MediaFailure(reason, { cause: error });
      });
      const prepared = answer as Answer<Task>;
      if ('failure' in prepared) throw new MediaFailure(prepared.failure);
      return prepared as Exclude<Answer<Task>, Unprepared>;
    } finally {
      permit.release();
    }
  }

  /** Piscina is loaded with the first picture, film or sound: most servers never see one. */
  async #start(): Promise<Piscina<PreparationTask, unknown>> {
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

const isTooLarge = (prepared: object): prepared is TooManyPixels => 'tooManyPixels' in prepared;
