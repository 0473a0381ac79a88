import type { Embeddings, InputFailure } from './encoder.js';

/** All texts of one call, and where their vectors go. */
export interface EmbedCall {
  /** Calls are numbered as they come. */
  readonly order: number;
  /** `[texts, dim]`, filled row by row. */
  readonly vectors: Float32Array;
  /** The texts that have failed so far, in no order. */
  readonly failures: InputFailure[];
  /** Rows that are still to come. */
  remaining: number;
  readonly resolve: (embeddings: Embeddings) => void;
  readonly reject: (error: Error) => void;
}

/** One text that waits for its vector. */
export interface PendingText {
  readonly call: EmbedCall;
  /** Row of the vector within its call. */
  readonly row: number;
  readonly ids: Int32Array;
}

/** Calls are let in while fewer texts than these are sorted, so that a long queue costs no more than a short one. */
const SORTED_MIN = 1024;

/**
 * Texts waiting for one model, sorted by length. A batch starts from the longest text of the oldest call and goes on
 * with those of its length and the next shorter ones, whosever they are: it has next to no padding, and nobody starves.
 */
export class BatchQueue {
  /** Texts of the oldest calls, ascending by number of tokens; of equal ones those of the oldest call come last. */
  #texts: PendingText[] = [];
  /** Calls behind them, in order. */
  #behind: (readonly PendingText[])[] = [];

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  /** Order of the oldest waiting call; infinite when nothing waits. */
  get oldest(): number {
    return this.#texts.reduce((least, { call }) => Math.min(least, call.order), Number.POSITIVE_INFINITY);
  }

  /** Tokens of the texts that the next batches are made of. */
  get tokenCount(): number {
    return this.#texts.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** Adds the texts of one call, which must be younger than those before it. */
  add(texts: readonly PendingText[]): void {
    this.#behind.push(texts);
    this.#letIn();
  }

  /** Takes a batch of at most `tokensMax` tokens, padding counted, or a single text that exceeds them. */
  take(tokensMax: number): PendingText[] {
    const { oldest } = this;
    const last = this.#texts.findLastIndex(({ call }) => call.order === oldest);
    const longest = this.#texts[last]?.ids.length ?? 0;
    const count = Math.max(1, Math.floor(tokensMax / Math.max(1, longest)));
    const first = Math.max(0, last + 1 - count);
    const batch = this.#texts.splice(first, last + 1 - first);
    this.#letIn();
    return batch;
  }

  /** Forgets the texts of a call that has failed. */
  drop(call: EmbedCall): void {
    this.#texts = this.#texts.filter((text) => text.call !== call);
    this.#behind = this.#behind.filter(([text]) => text?.call !== call);
    this.#letIn();
  }

  /** Takes everything. */
  clear(): PendingText[] {
    return [...this.#texts.splice(0), ...this.#behind.splice(0).flat()];
  }

  #letIn(): void {
    const before = this.#texts.length;
    while (this.#texts.length < SORTED_MIN && this.#behind.length > 0)
      for (const text of this.#behind.shift() ?? []) this.#texts.push(text);
    if (this.#texts.length > before) {
      this.#texts.sort((a, b) => a.ids.length - b.ids.length || b.call.order - a.call.order);
    }
  }
}
