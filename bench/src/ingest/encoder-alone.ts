import { availableParallelism } from 'node:os';
import { createInference, type Inference, InputBatch, textInputs } from '@pelorus/inference';
import { milliseconds } from '../inference/encoder-figures.ts';

/** The time that some texts took. */
export interface Spent {
  seconds: number;
  /** Seconds of all threads. */
  cpuSeconds: number;
}

/**
 * The yardstick for ingest: our encoder with no server, store or index around it, on as many threads as there are cores.
 * It has all texts at once, each once and sorted by length, the best order for what it computes together.
 */
export class EncoderAlone {
  readonly #models: Inference;
  readonly #name: string;
  readonly #texts: readonly string[];

  private constructor(models: Inference, name: string, texts: readonly string[]) {
    this.#models = models;
    this.#name = name;
    this.#texts = texts;
  }

  static async over(texts: readonly string[], name: string): Promise<EncoderAlone> {
    const models = createInference({ threads: availableParallelism() });
    const sorted = [...new Set(texts)].toSorted((a, b) => a.length - b.length);
    const alone = new EncoderAlone(models, name, sorted);
    await alone.run(); // loads the model
    return alone;
  }

  /** Texts of a run. */
  get count(): number {
    return this.#texts.length;
  }

  /** Embeds all texts. */
  async run(): Promise<Spent> {
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    const inputs = InputBatch.of(textInputs(this.#texts));
    await this.#models.embed(this.#models.resolve(this.#name), inputs, { normalize: true });
    const seconds = (performance.now() - started) / 1000;
    return { seconds, cpuSeconds: milliseconds(process.cpuUsage(cpu)) / 1000 };
  }

  close(): Promise<void> {
    return this.#models.close();
  }
}
