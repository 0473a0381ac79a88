import { type EncoderInput, type QueryEviction, QueryVectors, type QueryVectorsUse } from '@pelorus/node';
import { type Embeddings, type InputFailure, inputKey } from './encoder.js';

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
export type CachePolicy = QueryEviction;

export interface QueryCacheBounds {
  /** 0 keeps nothing. */
  readonly bytesMax: number;
  /** Most vectors; 0 keeps none, null leaves it to the bytes. Default null. */
  readonly countMax?: number | null;
  /** Default `lru`. */
  readonly policy?: CachePolicy;
}

/**
 * The vectors of recent queries, bounded in bytes and number, for all threads together. Equal queries that come
 * while the first is still being computed wait for that one, as far as they are of one thread.
 */
export class QueryCache {
  readonly #vectors: QueryVectors;
  readonly #running = new Map<string, Running>();
  /** The edition of the vectors that what is running was begun with. */
  #edition = 0;

  private constructor(vectors: QueryVectors) {
    this.#vectors = vectors;
  }

  static of({ bytesMax, countMax = null, policy = 'lru' }: QueryCacheBounds): QueryCache {
    return new QueryCache(QueryVectors.of({ bytesMax, policy, ...(countMax !== null && { countMax }) }));
  }

  /** The cache of another thread, by the token that its `share` gave. */
  static attach(token: number): QueryCache {
    return new QueryCache(QueryVectors.attach(token));
  }

  /** Offers the vectors to one other thread. */
  share(): number {
    return this.#vectors.share();
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
    const edition = this.#vectors.edition;
    // Others that ask from now on are not to wait for what was forgotten since.
    if (edition !== this.#edition) this.#running.clear();
    this.#edition = edition;
    const vectors = new Float32Array(inputs.length * dim);
    const rows: (Promise<Row> | null)[] = [];
    const joined = new Set<Computation>();
    const missing: { readonly input: EncoderInput; readonly key: string; readonly row: number }[] = [];
    for (const [row, input] of inputs.entries()) {
      const key = inputKey(input);
      rows.push(null);
      if (this.#vectors.fill(space, key, vectors, row * dim)) continue;
      const running = this.#running.get(nameOf(space, key));
      if (running === undefined) {
        missing.push({ input, key, row });
        continue;
      }
      rows[row] = running.row;
      joined.add(running.computation);
    }
    if (missing.length > 0) {
      const computation = new Computation();
      joined.add(computation);
      const computed = compute(
        missing.map(({ input }) => input),
        computation.signal,
      );
      for (const [n, { key, row: at }] of missing.entries()) {
        const row = computed.then((embeddings) => rowOf(embeddings, n, dim));
        rows[at] = row;
        this.#keep(space, key, { row, computation }, edition);
      }
    }
    if (joined.size === 0) return { vectors, failures: [] };
    for (const computation of joined) computation.join(signal);
    const failures: InputFailure[] = [];
    for (const [row, vector] of (await Promise.all(rows)).entries()) {
      if (typeof vector === 'string') failures.push({ row, message: vector });
      else if (vector !== null) vectors.set(vector, row * dim);
    }
    return { vectors, failures };
  }

  /** Its use by all threads so far, and what it holds. */
  usage(): QueryVectorsUse {
    return this.#vectors.usage();
  }

  /** Forgets every vector of `space`, those that are still being computed too. */
  forget(space: string): void {
    this.#vectors.forget(space);
  }

  #keep(space: string, key: string, running: Running, edition: number): void {
    const name = nameOf(space, key);
    this.#running.set(name, running);
    const end = () => {
      // One that was forgotten may have another in its place by now.
      if (this.#running.get(name) === running) this.#running.delete(name);
    };
    // Whoever asks from now on has it computed anew.
    running.computation.signal.addEventListener('abort', end);
    running.row
      .then((vector) => {
        const isWanted = !running.computation.signal.aborted && typeof vector !== 'string';
        if (isWanted) this.#vectors.keep(space, key, vector, edition);
      })
      // Whoever waits for the row hears of its failure.
      .catch(() => undefined)
      .finally(end);
  }
}

const nameOf = (space: string, key: string) => `${space}\0${key}`;

function rowOf({ vectors, failures }: Embeddings, row: number, dim: number): Row {
  const failure = failures.find((one) => one.row === row);
  return failure?.message ?? vectors.slice(row * dim, (row + 1) * dim);
}
