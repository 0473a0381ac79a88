import type { EncoderInput } from '@pelorus/node';
import { LRUCache } from 'lru-cache';
import { type Embeddings, type InputFailure, inputKey } from './encoder.js';
import { LfuCache } from './lfu-cache.js';

/** Bytes of an entry besides its key and its vector. */
const ENTRY_OVERHEAD_BYTES = 200;

/** A vector, or why there is none. */
type Row = Float32Array | string;

/** Rows that are being computed together. Ends early when every call that waits for one of them has given up. */
class Computation {
  readonly #controller = new AbortController();
  #waiting = 0;

  /** Aborted when nobody waits any more, for the reason of the last that did. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Counts in a call that waits until `signal` is aborted; for as long as it takes without one. */
  join(signal: AbortSignal | undefined): void {
    this.#waiting += 1;
    signal?.addEventListener(
      'abort',
      () => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#controller.abort(signal.reason);
      },
      { once: true },
    );
  }
}

interface Running {
  readonly row: Promise<Row>;
  readonly computation: Computation;
}

/** The order in which vectors leave a full cache: least recently used first, or least frequently used first. */
export type CachePolicy = 'lru' | 'lfu';

export interface QueryCacheBounds {
  /** 0 keeps nothing. */
  readonly bytesMax: number;
  /** Most vectors; 0 keeps none, null leaves it to the bytes. Default null. */
  readonly countMax?: number | null;
  /** Default `lru`. */
  readonly policy?: CachePolicy;
}

/** The store of vectors. */
interface VectorCache {
  get(key: string): Float32Array | undefined;
  set(key: string, vector: Float32Array, bytes: number): void;
  delete(key: string): void;
  keys(): Iterable<string>;
}

/**
 * The vectors of recent queries, bounded in bytes and number. Equal queries that come
 * while the first is still being computed wait for that one.
 */
export class QueryCache {
  readonly #vectors: VectorCache | null;
  readonly #running = new Map<string, Running>();

  constructor({ bytesMax, countMax = null, policy = 'lru' }: QueryCacheBounds) {
    const isOff = bytesMax === 0 || countMax === 0;
    this.#vectors = isOff ? null : vectorCache(policy, bytesMax, countMax);
  }

  /**
   * Embeddings of distinct inputs, vectors of `dim` components. `space` tells apart vectors that differ for equal
   * inputs; `compute` is asked for the inputs that are not known, in order. An input that failed is computed anew by
   * the next call. Once `signal` is aborted, texts that nobody else waits for are not computed: its own signal tells
   * `compute`.
   */
  async through(
    space: string,
    inputs: readonly EncoderInput[],
    dim: number,
    compute: (missing: readonly EncoderInput[], signal: AbortSignal) => Promise<Embeddings>,
    signal?: AbortSignal,
  ): Promise<Embeddings> {
    signal?.throwIfAborted();
    const keys = inputs.map((input) => `${space}\0${inputKey(input)}`);
    const known = keys.map((key) => this.#vectors?.get(key) ?? this.#running.get(key));
    const joined = new Set(
      known.flatMap((one) => (one === undefined || one instanceof Float32Array ? [] : [one.computation])),
    );
    const rows = known.map((one): Row | Promise<Row> | undefined =>
      one === undefined || one instanceof Float32Array ? one : one.row,
    );
    const missing = inputs.flatMap((input, i) => (rows[i] === undefined ? [{ input, i }] : []));
    if (missing.length > 0) {
      const computation = new Computation();
      joined.add(computation);
      const computed = compute(
        missing.map(({ input }) => input),
        computation.signal,
      );
      for (const [n, { i }] of missing.entries()) {
        const row = computed.then((embeddings) => rowOf(embeddings, n, dim));
        rows[i] = row;
        this.#keep(keys[i] ?? '', { row, computation });
      }
    }
    for (const computation of joined) computation.join(signal);
    const vectors = new Float32Array(inputs.length * dim);
    const failures: InputFailure[] = [];
    for (const [i, row] of (await Promise.all(rows)).entries()) {
      if (typeof row === 'string') failures.push({ row: i, message: row });
      else if (row !== undefined) vectors.set(row, i * dim);
    }
    return { vectors, failures };
  }

  /** Forgets every vector of `space`, those that are still being computed too. */
  forget(space: string): void {
    const isOfSpace = (key: string) => key.startsWith(`${space}\0`);
    for (const key of [...(this.#vectors?.keys() ?? [])]) if (isOfSpace(key)) this.#vectors?.delete(key);
    for (const key of [...this.#running.keys()]) if (isOfSpace(key)) this.#running.delete(key);
  }

  #keep(key: string, running: Running): void {
    this.#running.set(key, running);
    // A row that was forgotten meanwhile is for those alone who wait for it.
    const isCurrent = () => this.#running.get(key) === running;
    // Whoever asks from now on has it computed anew.
    running.computation.signal.addEventListener('abort', () => isCurrent() && this.#running.delete(key));
    running.row
      .then((vector) => {
        if (isCurrent() && typeof vector !== 'string') {
          this.#vectors?.set(key, vector, vector.byteLength + key.length * 2 + ENTRY_OVERHEAD_BYTES);
        }
      })
      // Whoever waits for the row hears of its failure.
      .catch(() => undefined)
      .finally(() => isCurrent() && this.#running.delete(key));
  }
}

function rowOf({ vectors, failures }: Embeddings, row: number, dim: number): Row {
  const failure = failures.find((one) => one.row === row);
  return failure?.message ?? vectors.slice(row * dim, (row + 1) * dim);
}

function vectorCache(policy: CachePolicy, bytesMax: number, countMax: number | null): VectorCache {
  if (policy === 'lfu') return new LfuCache({ bytesMax, countMax: countMax ?? Number.POSITIVE_INFINITY });
  const cache = new LRUCache<string, Float32Array>({ maxSize: bytesMax, ...(countMax !== null && { max: countMax }) });
  return {
    get: (key) => cache.get(key),
    set: (key, vector, size) => cache.set(key, vector, { size }),
    delete: (key) => cache.delete(key),
    keys: () => cache.keys(),
  };
}
