import { releaseMemory, TokenEncoder } from '@pelorus/node';
import type { Pooling } from '../resolved-model.js';
import type { Embeddings } from '../runtime/encoder.js';
import type { InputsBatch, TokenBatch } from '../runtime/messages.js';
import { embedApart, type VectorSource } from './apart.js';
import type { OnnxSpec } from './onnx-session.js';

/** A text encoder of Pelorus, ready to run on the calling thread. Its weights are those of every other thread. */
export class TokenSession {
  readonly #encoder: TokenEncoder;
  readonly #source: VectorSource;

  private constructor(encoder: TokenEncoder, dimensions: number, pooling: Pooling) {
    this.#encoder = encoder;
    const vectors = async (batch: InputsBatch) => {
      const { ids, lengths } = batch as TokenBatch;
      return encoder.encode(ids, lengths, pooling);
    };
    this.#source = { dimensions, batchSize: null, vectors };
  }

  /** @throws Error when the file holds no encoder that is known */
  static async open({ graph, use, dimensions }: OnnxSpec): Promise<TokenSession> {
    if (use.medium !== 'text') throw new Error('an encoder of texts takes nothing else');
    return new TokenSession(await TokenEncoder.open(graph), dimensions, use.pooling);
  }

  /** Vectors of the inputs; one that the encoder cannot take, or gives no finite vector for, fails alone. */
  run(batch: InputsBatch, isNormalized: boolean): Promise<Embeddings> {
    return embedApart(this.#source, batch, isNormalized);
  }

  async release(): Promise<void> {
    this.#encoder.close();
    await releaseMemory();
  }
}
