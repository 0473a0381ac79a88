import type { Embeddings, InputFailure } from './encoder.js';

/** All inputs of one call, and where their vectors go. */
export interface EmbedCall {
  /** Calls are numbered as they come. */
  readonly order: number;
  /** `[inputs, dim]`, filled row by row. */
  readonly vectors: Float32Array;
  /** The inputs that have failed so far, in no order. */
  readonly failures: InputFailure[];
  /** Rows that are still to come. */
  remaining: number;
  readonly resolve: (embeddings: Embeddings) => void;
  readonly reject: (error: Error) => void;
}

/** One input that waits for its vector. */
export interface PendingInput {
  readonly call: EmbedCall;
  /** Row of the vector within its call. */
  readonly row: number;
  /** Ids of a text, or values of a tensor. */
  readonly data: Int32Array | Float32Array;
  /** The cost of running it, in tokens, including the padding that it always has. */
  readonly tokenCount: number;
}

/** Calls are let in while fewer inputs than these are sorted, so that a long queue costs no more than a short one. */
const SORTED_MIN = 1024;

/**
 * Inputs waiting for one graph, sorted by length. A batch starts from the longest one of the oldest call and goes on
 * with those of its length and the next shorter ones, whosever they are: it has next to no padding, and nobody starves.
 */
export class BatchQueue {
  /** Inputs of the oldest calls, ascending by number of tokens; of equal ones those of the oldest call come last. */
  #inputs: PendingInput[] = [];
  /** Calls behind them, in order. */
  #behind: (readonly PendingInput[])[] = [];

  get isEmpty(): boolean {
    return this.#inputs.length === 0;
  }

  /** Order of the oldest waiting call; infinite when nothing waits. */
  get oldest(): number {
    return this.#inputs.reduce((least, { call }) => Math.min(least, call.order), Number.POSITIVE_INFINITY);
  }

  /** The number of inputs. */
  get count(): number {
    return this.#behind.reduce((sum, inputs) => sum + inputs.length, this.#inputs.length);
  }

  /** Tokens of the inputs that the next batches are made of. */
  get tokenCount(): number {
    return this.#inputs.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  }

  /** Adds the inputs of one call, which must be younger than those before it. */
  add(inputs: readonly PendingInput[]): void {
    this.#behind.push(inputs);
    this.#letIn();
  }

  /** Takes a batch of at most so many inputs and `tokensMax` tokens, padding counted, or a single input that exceeds them. */
  take(tokensMax: number, inputsMax = Number.POSITIVE_INFINITY): PendingInput[] {
    const { oldest } = this;
    const last = this.#inputs.findLastIndex(({ call }) => call.order === oldest);
    const longest = this.#inputs[last]?.tokenCount ?? 0;
    const count = Math.max(1, Math.min(inputsMax, Math.floor(tokensMax / Math.max(1, longest))));
    const first = Math.max(0, last + 1 - count);
    const batch = this.#inputs.splice(first, last + 1 - first);
    this.#letIn();
    return batch;
  }

  /** Forgets the inputs of a call that has failed. */
  drop(call: EmbedCall): void {
    this.#inputs = this.#inputs.filter((input) => input.call !== call);
    this.#behind = this.#behind.filter(([input]) => input?.call !== call);
    this.#letIn();
  }

  /** Takes everything. */
  clear(): PendingInput[] {
    return [...this.#inputs.splice(0), ...this.#behind.splice(0).flat()];
  }

  #letIn(): void {
    const before = this.#inputs.length;
    while (this.#inputs.length < SORTED_MIN && this.#behind.length > 0)
      for (const input of this.#behind.shift() ?? []) this.#inputs.push(input);
    if (this.#inputs.length > before) {
      this.#inputs.sort((a, b) => a.tokenCount - b.tokenCount || b.call.order - a.call.order);
    }
  }
}
