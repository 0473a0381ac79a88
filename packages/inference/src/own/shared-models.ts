import { type InputBatch, TextModel } from '@pelorus/node';
import type { EncodeOptions, PartedEmbeddings } from '../runtime/encoder.js';
import { embedTexts } from './text-encoder.js';

/** The use of a model is told at most this often for each of its names. */
const TOLD_MS = 1_000;

interface Attached {
  readonly model: TextModel;
  /** When each name was told last. */
  readonly told: Map<string, number>;
}

/** The models of texts that another thread has loaded on the CPU, which this one asks by itself. */
export class SharedModels {
  readonly #attached = new Map<string, Attached>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Attaches to the model that the other thread has for a key, as `vectorKey` has it.
   * @param number that `TextModel` gives it; null where it is none of these
   */
  attach(key: string, number: number | null): void {
    if (number === null || this.#attached.get(key)?.model.number === number) return;
    // Those that were unloaded, so that there are no more than are loaded.
    for (const [other, { model }] of this.#attached) if (model.isClosed) this.#attached.delete(other);
    const model = TextModel.attach(number);
    if (model !== null) this.#attached.set(key, { model, told: new Map() });
  }

  /**
   * Vectors of a batch of texts; null, and the batch as it was, where the other thread has to be asked.
   * @param name by which the model was asked for
   * @param tell called now and then while the model is used, for the thread that unloads what is not
   */
  embed(
    key: string,
    name: string,
    inputs: InputBatch,
    options: EncodeOptions,
    tell: () => void,
  ): Promise<PartedEmbeddings> | null {
    const attached = this.#attached.get(key);
    if (attached === undefined) return null;
    const embedded = embedTexts(attached.model, inputs, options);
    if (embedded === null) {
      this.#attached.delete(key);
      return null;
    }
    const now = this.#now();
    const told = attached.told.get(name);
    if (told === undefined || now - told >= TOLD_MS) {
      if (attached.told.size >= NAMES_MAX) attached.told.clear();
      attached.told.set(name, now);
      tell();
    }
    return embedded;
  }
}

/** Names of one model that are remembered: whoever may name models can give one any number of them. */
const NAMES_MAX = 100;
