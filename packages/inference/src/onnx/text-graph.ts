import { clsPool, meanPool } from '@pelorus/node';
import type { InferenceSession } from 'onnxruntime-node';
import type { Pooling } from '../resolved-model.js';
import type { TokenBatch } from '../runtime/messages.js';
import { GraphOutput, type Output } from './graph-output.js';
import { padded } from './padded.js';
import { tokenFeeds } from './token-feeds.js';

/** The use of the graph of a text model or tower. */
export interface TextUse {
  readonly medium: 'text';
  /** Hidden states become one vector so. */
  readonly pooling: Pooling;
  /** Take the first `dimensions` components of wider vectors. */
  readonly truncates: boolean;
  readonly padId: number;
  /** A tower of a joint model: its own vectors count, and one text runs at a time, so that no other changes its bits. */
  readonly isTower: boolean;
}

/** Inputs that encoders declare; each gets those it asks for and no more. */
const KNOWN_INPUTS = new Set(['input_ids', 'attention_mask', 'token_type_ids']);

/** Outputs of encoders by preference: hidden states, so that pooling is ours, before ready-made vectors. */
const ENCODER_OUTPUTS = ['last_hidden_state', 'token_embeddings', 'sentence_embedding'];

/** Outputs of towers by preference: vectors in the space that towers share. */
const TOWER_OUTPUTS = ['text_embeds', 'embedding', 'output', 'pooler_output'];

/** A graph that takes token ids. */
export class TextGraph {
  readonly #session: InferenceSession;
  readonly #use: TextUse;
  readonly #output: GraphOutput;
  readonly #idsInput: string;
  /** Texts that must be run at once, null for any number. */
  readonly batchSize: number | null;
  /** Tokens that every text must be padded to, where the graph or the model fixes it. */
  readonly #length: number | null;

  /** @throws Error when it is no graph for texts of that model */
  constructor(
    session: InferenceSession,
    use: TextUse,
    { dimensions, fixedLength }: { readonly dimensions: number; readonly fixedLength?: number | undefined },
    isBatchDependent: boolean,
  ) {
    this.#session = session;
    this.#use = use;
    // Towers call their ids what they like.
    const first = session.inputNames[0] ?? 'input_ids';
    this.#idsInput = use.isTower && !session.inputNames.includes('input_ids') ? first : 'input_ids';
    const stray = session.inputNames.find((name) => name !== this.#idsInput && !KNOWN_INPUTS.has(name));
    if (stray !== undefined) throw new Error(`its graph asks for an input "${stray}", which text encoders do not have`);
    this.#output = new GraphOutput(session, use.isTower ? TOWER_OUTPUTS : ENCODER_OUTPUTS, dimensions, use.truncates);
    const input = session.inputMetadata.find(({ name }) => name === this.#idsInput);
    const [batch, length] = input?.isTensor === true ? input.shape : [];
    this.batchSize = typeof batch === 'number' ? batch : isBatchDependent || use.isTower ? 1 : null;
    if (typeof length === 'number' && fixedLength !== undefined && length !== fixedLength) {
      throw new Error(`its graph takes ${length} tokens, its properties say ${fixedLength}`);
    }
    this.#length = typeof length === 'number' ? length : (fixedLength ?? null);
  }

  /** Vectors of at most `batchSize` texts, and of padding after them where that is fixed. */
  async vectors(batch: TokenBatch): Promise<Float32Array> {
    const rows = this.batchSize ?? batch.lengths.length;
    const longest = batch.lengths.reduce((most, length) => Math.max(most, length), 0);
    const length = this.#length ?? longest;
    if (longest > length) throw new Error(`its graph takes at most ${length} tokens, received ${longest}`);
    const { ids, mask } = padded(batch, rows, length, this.#use.padId);
    const output = await this.#output
      .run(this.#session, tokenFeeds(this.#session, this.#idsInput, ids, mask, [rows, length]))
      .catch((error) => {
        throw tooLong(error, longest) ?? error;
      });
    const width = output.dims.at(-1) ?? 0;
    return this.#output.fitted(this.#pooled(output, mask, rows, length, width), rows, width);
  }

  #pooled({ values, dims }: Output, mask: BigInt64Array, rows: number, length: number, width: number): Float32Array {
    // An axis of 1 may stand before the vectors of a tower.
    const isVectors = dims.length === 2 || (this.#use.isTower && dims[0] === 1 && dims[1] === rows);
    if (isVectors) return values;
    return this.#use.pooling === 'cls'
      ? clsPool(values, rows, length, width)
      : meanPool(values, mask, rows, length, width);
  }
}

/** Positions may begin after a padding id, as those of RoBERTa do. */
const FIRST_POSITION_MAX = 2;

/**
 * Words the error of a text with more tokens than a graph has positions for, when the graph does not declare how many.
 * The runtime names the first row that a table has not: positions run up to it, while ids without an embedding may be
 * any. Null for other faults.
 */
export function tooLong(error: unknown, tokens: number): Error | null {
  const [, row, rows] = /idx=(\d+) must be within the inclusive range \[-(\d+),/.exec(String(error)) ?? [];
  if (row === undefined || row !== rows || Number(rows) >= tokens + FIRST_POSITION_MAX) return null;
  return new Error(`its graph has positions for ${rows} tokens, received ${tokens}; set tokens to what it takes`, {
    cause: error,
  });
}
