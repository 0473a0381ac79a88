import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { TokenBatch } from '../runtime/messages.js';
import { padded } from './padded.js';

/** The use of the graph of a cross-encoder. */
export interface PairUse {
  readonly medium: 'pair';
  readonly padId: number;
  /**
   * Id of the token that ends the first text of a pair, where tokens behind it have the type 1; null for a model that
   * tells no types apart.
   */
  readonly separator: number | null;
}

const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];

/** Classes that a graph may tell: whether a text is relevant, or that it is not and that it is. */
const LABELS_MAX = 2;

/**
 * A graph that reads two texts together: `input_ids`, `attention_mask` and `token_type_ids`, `[n, length]`, become
 * `logits`, `[n, 1]` or `[n, 2]`. Where others give a vector it gives how relevant the second text is to the first, from 0
 * to 1: the logistic function of the one logit, or the share of the second by softmax, which is that of their difference.
 */
export class PairGraph {
  readonly #session: InferenceSession;
  readonly #use: PairUse;
  readonly #output: string;
  /** Pairs that must be run at once, null for any number. */
  readonly batchSize: number | null;

  /** @throws Error when it takes or gives something else */
  constructor(session: InferenceSession, use: PairUse, isBatchDependent: boolean) {
    this.#session = session;
    this.#use = use;
    const stray = session.inputNames.find((name) => !INPUTS.includes(name));
    if (stray !== undefined) throw new Error(`its graph asks for an input "${stray}", expected ${INPUTS.join(', ')}`);
    const [output] = session.outputNames.includes('logits') ? ['logits'] : session.outputNames;
    if (output === undefined) throw new Error('its graph has no output');
    this.#output = output;
    const input = session.inputMetadata.find(({ name }) => name === 'input_ids');
    const [batch] = input?.isTensor === true ? input.shape : [];
    this.batchSize = typeof batch === 'number' ? batch : isBatchDependent ? 1 : null;
  }

  /** The scores of at most `batchSize` pairs, and of padding after them where that is fixed. */
  async vectors(batch: TokenBatch): Promise<Float32Array> {
    const rows = this.batchSize ?? batch.lengths.length;
    const length = batch.lengths.reduce((most, one) => Math.max(most, one), 0);
    const { ids, mask } = padded(batch, rows, length, this.#use.padId);
    const { [this.#output]: logits } = await this.#session.run(this.#feeds(ids, mask, rows, length), [this.#output]);
    const labels = (logits?.dims.at(-1) ?? 0) as number;
    if (logits?.type !== 'float32' || logits.dims.length !== 2 || logits.dims[0] !== rows || labels > LABELS_MAX) {
      throw new Error(`its output is ${logits?.type} [${logits?.dims}], expected float32 [${rows}, 1] or [${rows}, 2]`);
    }
    const values = logits.data as Float32Array;
    const scores = Float32Array.from({ length: rows }, (_, row) => {
      const logit = (values[row * labels + labels - 1] ?? 0) - (labels === 1 ? 0 : (values[row * labels] ?? 0));
      return 1 / (1 + Math.exp(-logit));
    });
    logits.dispose();
    return scores;
  }

  #feeds(ids: BigInt64Array, mask: BigInt64Array, rows: number, length: number): Record<string, Tensor> {
    const values: Record<string, () => BigInt64Array> = {
      input_ids: () => ids,
      attention_mask: () => mask,
      token_type_ids: () => typesOf(ids, mask, length, this.#use.separator),
    };
    const feeds = this.#session.inputMetadata.map(({ name, ...input }): [string, Tensor] => {
      const value = values[name]?.() ?? new BigInt64Array(ids.length);
      return input.isTensor && input.type === 'int32'
        ? [name, new Tensor('int32', Int32Array.from(value, Number), [rows, length])]
        : [name, new Tensor('int64', value, [rows, length])];
    });
    return Object.fromEntries(feeds);
  }
}

/** 1 for each token behind the first separator of its row, but for padding. */
function typesOf(ids: BigInt64Array, mask: BigInt64Array, length: number, separator: number | null): BigInt64Array {
  const types = new BigInt64Array(ids.length);
  if (separator === null || length === 0) return types;
  const end = BigInt(separator);
  for (let start = 0; start < ids.length; start += length) {
    const first = ids.subarray(start, start + length).indexOf(end);
    if (first !== -1) types.set(mask.subarray(start + first + 1, start + length), start + first + 1);
  }
  return types;
}
