import { type InputBatch, randomVectors } from '@pelorus/node';
import type { Device } from './device.js';
import type { Embeddings, Encoder } from './encoder.js';

/** The models `random/*`: unit vectors drawn from a hash of the text. There is nothing to load and nothing to wait for. */
export class RandomEncoder implements Encoder {
  readonly dimensions: number;
  readonly device: Device;
  readonly isBusy = false;

  constructor(dimensions: number, device: Device) {
    this.dimensions = dimensions;
    this.device = device;
  }

  async encode(inputs: InputBatch): Promise<Embeddings> {
    return { vectors: await randomVectors(inputs, this.dimensions), failures: [] };
  }

  async release(): Promise<void> {}
}
