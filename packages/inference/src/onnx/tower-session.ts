import { releaseMemory, Tower } from '@pelorus/node';
import type { Precision } from '../config.js';
import type { Embeddings } from '../runtime/encoder.js';
import { type InputsBatch, isTensors } from '../runtime/messages.js';
import { embedApart, type VectorSource } from './apart.js';
import type { OnnxSpec } from './onnx-session.js';

/** A tower of Pelorus, ready to run on the calling thread. Its weights are those of every other thread. */
export class TowerSession {
  readonly #tower: Tower;
  readonly #source: VectorSource;

  private constructor(tower: Tower, dimensions: number) {
    this.#tower = tower;
    const vectors = async (batch: InputsBatch) =>
      isTensors(batch) ? tower.encodePictures(batch.values) : tower.encodeTexts(batch.ids, batch.lengths);
    this.#source = { dimensions, batchSize: null, vectors };
  }

  /** @throws Error when the file holds no tower that is known */
  static async open({ graph, use, dimensions, fixedLength }: OnnxSpec, precision: Precision): Promise<TowerSession> {
    if (use.medium === 'text') {
      if (fixedLength === undefined) throw new Error('a tower of texts takes those of one length');
      return new TowerSession(await Tower.open(graph, [fixedLength], use.padId, precision), dimensions);
    }
    if (use.medium !== 'image') throw new Error('a tower takes texts or pictures');
    return new TowerSession(await Tower.open(graph, [...use.shape], 0, precision), dimensions);
  }

  /** Vectors of the inputs; one that the tower cannot take, or gives no finite vector for, fails alone. */
  run(batch: InputsBatch, isNormalized: boolean): Promise<Embeddings> {
    return embedApart(this.#source, batch, isNormalized);
  }

  async release(): Promise<void> {
    this.#tower.close();
    await releaseMemory();
  }
}
