import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { TensorBatch } from '../runtime/encoder.js';
import { toFloat16 } from './float16.js';
import { GraphOutput } from './graph-output.js';

/** The use of the graph of a tower for pictures, films or sounds. */
export interface TensorUse {
  readonly medium: 'image' | 'video' | 'audio';
  /** Shape of one input, such as `[3, 224, 224]`. */
  readonly shape: readonly number[];
}

const OUTPUTS = ['image_embeds', 'embedding', 'output', 'pooler_output'];

/** A graph that takes tensors of one shape. */
export class TensorGraph {
  readonly #session: InferenceSession;
  readonly #input: string;
  readonly #isHalf: boolean;
  readonly #output: GraphOutput;
  /** Inputs that must be run at once, null for any number. */
  readonly batchSize: number | null;

  /** @throws Error when it is no graph for inputs of that shape */
  constructor(session: InferenceSession, { shape }: TensorUse, dimensions: number, isBatchDependent: boolean) {
    this.#session = session;
    const [input, stray] = session.inputMetadata;
    if (stray !== undefined) throw new Error(`its graph asks for a second input "${stray.name}", expected one`);
    if (!input?.isTensor || (input.type !== 'float32' && input.type !== 'float16')) {
      throw new Error(`its input "${input?.name ?? ''}" is not float32 or float16`);
    }
    const [batch, ...rest] = input.shape;
    const fits = rest.length === shape.length && rest.every((size, i) => typeof size !== 'number' || size === shape[i]);
    if (!fits) throw new Error(`its graph takes inputs of shape [${rest}], its properties say [${shape}]`);
    this.#input = input.name;
    this.#isHalf = input.type === 'float16';
    this.#output = new GraphOutput(session, OUTPUTS, dimensions, false);
    this.batchSize = typeof batch === 'number' ? batch : isBatchDependent ? 1 : null;
  }

  /** Vectors of at most `batchSize` inputs, and of zeros after them where that is fixed. */
  async vectors({ values, shape }: TensorBatch): Promise<Float32Array> {
    const length = shape.reduce((product, size) => product * size, 1);
    const rows = this.batchSize ?? values.length / length;
    const filled = values.length === rows * length ? values : new Float32Array(rows * length);
    if (filled !== values) filled.set(values);
    const dims = [rows, ...shape];
    const tensor = this.#isHalf ? halfTensor(filled, dims) : new Tensor('float32', filled, dims);
    const output = await this.#output.run(this.#session, { [this.#input]: tensor });
    const width = output.dims.at(-1) ?? 0;
    // An axis of 1 may stand before them.
    if (output.values.length !== rows * width) {
      throw new Error(`its output is [${output.dims}], expected a vector for each of ${rows} inputs`);
    }
    return this.#output.fitted(output.values, rows, width);
  }
}

/**
 * Numbers as a tensor of half precision. The runtime's own constructor makes a `Float16Array` of them where there is one,
 * whose bytes its native half cannot read; it takes bits.
 */
function halfTensor(values: Float32Array, dims: readonly number[]): Tensor {
  const bits = toFloat16(values);
  return Object.defineProperty(new Tensor('float16', bits, dims), 'data', { value: bits });
}
