import type { InferenceSession } from 'onnxruntime-node';
import type { FieldModel } from '../resolved-model.js';
import type { TokenBatch } from '../runtime/messages.js';
import { GraphOutput, type Output } from './graph-output.js';
import { padded } from './padded.js';
import { tooLong } from './text-graph.js';
import { tokenFeeds } from './token-feeds.js';

/** The use of the graph of a model of a field. */
export interface TokenUse {
  readonly medium: 'tokens';
  readonly of: FieldModel['type'];
  /** Numbers of each token in the output of the graph: words of the vocabulary, or dimensions of a vector. */
  readonly width: number;
  readonly padId: number;
  /** Id of tokens that no other one sees; null for none. */
  readonly unseenId: number | null;
}

const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];
const OUTPUTS = { splade: ['logits'], colbert: ['contextual', 'token_embeddings', 'last_hidden_state'] };

/** Numbers of one output: 64 MB. A vocabulary for each token of a whole batch would be many times that. */
const VALUES_MAX = 16 * 1024 * 1024;

/**
 * A graph that takes token ids and gives numbers for each token. Where others give a vector, a text gets here:
 *
 * - `splade`: a weight for each word of the vocabulary, the greatest log(1 + max(0, logit)) of any token (Formal,
 *   Lassance, Piwowarski and Clinchant, "SPLADE v2", 2021), or what the graph gives where it has one row for a text.
 * - `colbert`: the vectors of its tokens, brought to length 1, one behind the other (Khattab and Zaharia, SIGIR 2020), and
 *   zeros after them.
 */
export class TokenGraph {
  readonly #session: InferenceSession;
  readonly #use: TokenUse;
  readonly #dimensions: number;
  readonly #output: GraphOutput;
  /** Texts that must be run at once, null for any number. */
  readonly batchSize: number | null;
  /** Tokens that every text must be padded to, where the graph fixes it. */
  readonly #length: number | null;

  /**
   * @param dimensions numbers of a text
   * @throws Error when it takes or gives something else
   */
  constructor(session: InferenceSession, use: TokenUse, dimensions: number, isBatchDependent: boolean) {
    this.#session = session;
    this.#use = use;
    this.#dimensions = dimensions;
    const stray = session.inputNames.find((name) => !INPUTS.includes(name));
    if (stray !== undefined) throw new Error(`its graph asks for an input "${stray}", expected ${INPUTS.join(', ')}`);
    this.#output = new GraphOutput(session, OUTPUTS[use.of], use.width, false);
    const input = session.inputMetadata.find(({ name }) => name === 'input_ids');
    const [batch, length] = input?.isTensor === true ? input.shape : [];
    this.batchSize = typeof batch === 'number' ? batch : isBatchDependent ? 1 : null;
    this.#length = typeof length === 'number' ? length : null;
  }

  /** The numbers of at most `batchSize` texts, and of padding after them where that is fixed. */
  async vectors({ ids, lengths }: TokenBatch): Promise<Float32Array> {
    const count = this.batchSize ?? lengths.length;
    const vectors = new Float32Array(count * this.#dimensions);
    const longest = lengths.reduce((most, one) => Math.max(most, one), 0);
    const length = this.#length ?? longest;
    if (longest > length) throw new Error(`its graph takes at most ${length} tokens, received ${longest}`);
    const atOnce = this.batchSize ?? Math.max(1, Math.floor(VALUES_MAX / (Math.max(1, length) * this.#use.width)));
    let start = 0;
    for (let row = 0; row < lengths.length; row += atOnce) {
      const part = lengths.subarray(row, row + atOnce);
      const end = part.reduce((sum, one) => sum + one, start);
      await this.#part({ ids: ids.subarray(start, end), lengths: part }, length, vectors, row);
      start = end;
    }
    return vectors;
  }

  /** Writes the numbers of some texts into the rows that begin at `first`. */
  async #part(batch: TokenBatch, length: number, vectors: Float32Array, first: number): Promise<void> {
    const { of, width, padId, unseenId } = this.#use;
    const rows = this.batchSize ?? batch.lengths.length;
    const { ids, mask } = padded(batch, rows, length, padId);
    if (unseenId !== null) hide(BigInt(unseenId), ids, mask);
    const feeds = tokenFeeds(this.#session, 'input_ids', ids, mask, [rows, length]);
    const output = await this.#output.run(this.#session, feeds).catch((error) => {
      throw tooLong(error, length) ?? error;
    });
    const isOfTexts = this.#check(output, rows, length);
    for (const [at, tokens] of batch.lengths.entries()) {
      const target = vectors.subarray((first + at) * this.#dimensions, (first + at + 1) * this.#dimensions);
      const size = isOfTexts ? width : length * width;
      const values = output.values.subarray(at * size, (at + 1) * size);
      if (isOfTexts) target.set(values);
      else if (of === 'splade') greatestWeights(values, tokens, target);
      else unitVectors(values.subarray(0, tokens * width), width, target);
    }
  }

  /** Tells whether the graph gives one row for a text. */
  #check({ dims }: Output, rows: number, length: number): boolean {
    const { of, width } = this.#use;
    const [batch, ...rest] = dims;
    if (batch === rows && rest.at(-1) === width) {
      if (rest.length === 1 && of === 'splade') return true;
      if (rest.length === 2 && rest[0] === length) return false;
    }
    const texts = of === 'splade' ? ` or [${rows}, ${width}]` : '';
    throw new Error(`its output is [${dims}], expected [${rows}, ${length}, ${width}]${texts}`);
  }
}

/** Takes tokens of an id from the mask. */
function hide(id: bigint, ids: BigInt64Array, mask: BigInt64Array): void {
  for (let at = ids.indexOf(id); at !== -1; at = ids.indexOf(id, at + 1)) mask[at] = 0n;
}

/** The greatest weight of each word of the vocabulary by any of the first tokens. */
function greatestWeights(logits: Float32Array, tokens: number, weights: Float32Array): void {
  const { length } = weights;
  // Becomes NaN with any logit that is not finite, and the text then fails.
  let probe = 0;
  for (let token = 0; token < tokens; token++) {
    const from = token * length;
    for (let word = 0; word < length; word++) {
      const logit = logits[from + word] as number;
      probe += logit * 0;
      if (logit > (weights[word] as number)) weights[word] = logit;
    }
  }
  // The logarithm keeps the order, so that it is taken once for each word.
  for (let word = 0; word < length; word++) {
    const logit = weights[word] as number;
    if (logit > 0) weights[word] = Math.log1p(logit);
  }
  if (Number.isNaN(probe)) weights[0] = Number.NaN;
}

/** Brings the vectors of tokens to length 1. */
function unitVectors(values: Float32Array, width: number, vectors: Float32Array): void {
  for (let from = 0; from < values.length; from += width) {
    let squares = 0;
    for (let at = from; at < from + width; at++) squares += (values[at] as number) ** 2;
    const factor = squares > 0 ? 1 / Math.sqrt(squares) : 1;
    for (let at = from; at < from + width; at++) vectors[at] = (values[at] as number) * factor;
  }
}
