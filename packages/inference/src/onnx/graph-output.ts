import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { fromFloat16 } from './float16.js';

/** The result of a graph for some inputs. */
export interface Output {
  readonly values: Float32Array;
  readonly dims: readonly number[];
}

/** The output of a graph that its vectors are made of. */
export class GraphOutput {
  readonly name: string;
  readonly #dimensions: number;
  readonly #truncates: boolean;

  /**
   * @param preferred names of outputs, the best first; the first output where there is none of them
   * @param truncates take the first `dimensions` components of wider vectors
   * @throws Error when it holds no vectors of these dimensions
   */
  constructor(session: InferenceSession, preferred: readonly string[], dimensions: number, truncates: boolean) {
    this.name = preferred.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0] ?? '';
    this.#dimensions = dimensions;
    this.#truncates = truncates;
    const output = session.outputMetadata.find(({ name }) => name === this.name);
    if (output === undefined || !output.isTensor || (output.type !== 'float32' && output.type !== 'float16')) {
      throw new Error(`its output "${this.name}" is not float32 or float16`);
    }
    const width = output.shape.at(-1);
    if (typeof width === 'number' && width !== dimensions && !(truncates && width > dimensions)) {
      throw this.#wrongWidth(width);
    }
  }

  async run(session: InferenceSession, feeds: Readonly<Record<string, Tensor>>): Promise<Output> {
    const outputs = await session.run(feeds, [this.name]);
    const output = outputs[this.name] as Tensor;
    const { data, dims, type } = output;
    const bytes = data as Float32Array | Uint16Array;
    const values =
      type === 'float16' ? fromFloat16(new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length)) : bytes;
    output.dispose();
    return { values: values as Float32Array, dims };
  }

  /** Vectors `[rows, width]` as those of the model. */
  fitted(vectors: Float32Array, rows: number, width: number): Float32Array {
    if (width === this.#dimensions) return vectors;
    if (!this.#truncates || width < this.#dimensions) throw this.#wrongWidth(width);
    const fitted = new Float32Array(rows * this.#dimensions);
    for (let row = 0; row < rows; row++) {
      fitted.set(vectors.subarray(row * width, row * width + this.#dimensions), row * this.#dimensions);
    }
    return fitted;
  }

  #wrongWidth(width: number): Error {
    return new Error(`its vectors have ${width} dimensions, its properties say ${this.#dimensions}`);
  }
}
