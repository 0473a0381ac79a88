import { createHash } from 'node:crypto';
import { InputBatch, type Medium, randomVectors } from '@pelorus/node';
import type { Device } from './device.js';
import { type Embeddings, type Encoder, type PartedEmbeddings, type TensorBatch, textInputs } from './encoder.js';

/**
 * The models `random/*`: unit vectors drawn from a hash of the text, or of the pixels. There is nothing to load and
 * nothing to wait for.
 */
export class RandomEncoder implements Encoder {
  readonly dimensions: number;
  readonly device: Device;
  readonly runtime = 'pelorus';
  readonly precision = 'f32';
  readonly sharesWeights = true;
  readonly isBusy = false;

  constructor(dimensions: number, device: Device) {
    this.dimensions = dimensions;
    this.device = device;
  }

  async encode(inputs: InputBatch): Promise<PartedEmbeddings> {
    return { vectors: await randomVectors(inputs, this.dimensions), failures: [], parts: [] };
  }

  async encodeTensors(_medium: Medium, { values, shape }: TensorBatch): Promise<Embeddings> {
    const length = shape.reduce((product, size) => product * size, 1);
    const hashes: string[] = [];
    for (let at = 0; at < values.length; at += length) {
      hashes.push(
        createHash('sha256')
          .update(values.subarray(at, at + length))
          .digest('hex'),
      );
    }
    return this.encode(InputBatch.of(textInputs(hashes)));
  }

  /** Without weights there is nothing to copy. */
  setCopies(): void {}

  async release(): Promise<void> {}
}
