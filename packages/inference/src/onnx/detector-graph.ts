import { type DetectorOutput, detections, detectorShape, type PatchDetector } from '@pelorus/node';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { DETECTIONS_LENGTH } from '../detection-rows.js';
import type { TensorBatch } from '../runtime/encoder.js';

/** The use of a detector's graph. */
export interface DetectorUse {
  readonly medium: 'detector';
  readonly detector: PatchDetector;
}

/**
 * A graph that finds the parts of a picture. Where others give a vector it gives `[100, 5]`: the detections, best first, and
 * zeros after them. It runs one picture at a time.
 */
export class DetectorGraph {
  readonly #session: InferenceSession;
  readonly #detector: PatchDetector;
  readonly #input: string;
  /** Axes of 1 that stand before those of the picture. */
  readonly #leading: readonly number[];
  readonly batchSize = 1;

  /** @throws Error when it takes no pictures of the detector's size */
  constructor(session: InferenceSession, { detector }: DetectorUse) {
    this.#session = session;
    this.#detector = detector;
    const [input, stray] = session.inputMetadata;
    if (stray !== undefined) throw new Error(`its graph asks for a second input "${stray.name}", expected one`);
    if (!input?.isTensor || input.type !== 'float32')
      throw new Error(`its input "${input?.name ?? ''}" is not float32`);
    const expected = detectorShape(detector);
    const leading = input.shape.slice(0, -expected.length);
    const fits = [...leading.map(() => 1), ...expected].every((size, i) => [size, -1].includes(sizeOf(input.shape[i])));
    if (leading.length > 1 || input.shape.length < expected.length || !fits) {
      throw new Error(
        `its graph takes inputs of shape [${input.shape}], expected [${expected}] with or without a batch`,
      );
    }
    this.#input = input.name;
    this.#leading = leading.map(() => 1);
  }

  /** The detections of one picture. @throws Error when the outputs are not those of the detector */
  async vectors({ values, shape }: TensorBatch): Promise<Float32Array> {
    const outputs = await this.#session.run({
      [this.#input]: new Tensor('float32', values, [...this.#leading, ...shape]),
    });
    const numbers = Object.values(outputs).flatMap((output): DetectorOutput[] =>
      output.type === 'float32' ? [{ values: output.data as Float32Array, dims: output.dims }] : [],
    );
    const found = new Float32Array(DETECTIONS_LENGTH);
    found.set(detections(this.#detector, numbers));
    for (const output of Object.values(outputs)) output.dispose();
    return found;
  }
}

/** A size that a graph fixes, -1 for any. */
const sizeOf = (size: number | string | undefined) => (typeof size === 'number' ? size : -1);
