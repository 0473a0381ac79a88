/** All texts of one call, and where their vectors go. */
export interface EmbedCall {
  /** Calls are numbered as they come. */
  readonly order: number;
  /** `[texts, dim]`, filled row by row. */
  readonly vectors: Float32Array;
  /** Rows that are still to come. */
  remaining: number;
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: Error) => void;
}

/** One text that waits for its vector. */
export interface PendingText {
  readonly call: EmbedCall;
  /** Row of the vector within its call. */
  readonly row: number;
  readonly ids: Int32Array;
}

/**
 * Texts waiting for one model, kept by length. A batch starts from the longest text of the oldest call and
 * goes on with the next shorter ones, whosever they are: it has next to no padding, and nobody starves.
 */
export class BatchQueue {
  /** Ascending by number of tokens. */
  #texts: PendingText[] = [];

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  /** Order of the oldest waiting call; infinite when nothing waits. */
  get oldest(): number {
    return this.#texts.reduce((least, { call }) => Math.min(least, call.order), Number.POSITIVE_INFINITY);
  }

  /** Tokens of all waiting texts. */
  get tokenCount(): number {
    return this.#texts.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  add(texts: readonly PendingText[]): void {
    this.#texts = [...this.#texts, ...texts].sort((a, b) => a.ids.length - b.ids.length);
  }

  /** Takes a batch of at most `tokensMax` tokens, padding counted, or a single text that exceeds them. */
  take(tokensMax: number): PendingText[] {
    const { oldest } = this;
    const last = this.#texts.findLastIndex(({ call }) => call.order === oldest);
    const longest = this.#texts[last]?.ids.length ?? 0;
    const count = Math.max(1, Math.floor(tokensMax / Math.max(1, longest)));
    const first = Math.max(0, last + 1 - count);
    return this.#texts.splice(first, last + 1 - first);
  }

  /** Forgets the texts of a call that has failed. */
  drop(call: EmbedCall): void {
    this.#texts = this.#texts.filter((text) => text.call !== call);
  }

  /** Takes everything. */
  clear(): PendingText[] {
    return this.#texts.splice(0);
  }
}
