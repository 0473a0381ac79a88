import { LRUCache } from 'lru-cache';

/** What an entry costs besides its key and its vector. */
const OVERHEAD_BYTES = 200;

/**
 * The vectors of recent queries, bounded in bytes, least recently used out first. Equal queries that come
 * while the first is still being computed wait for that one.
 */
export class QueryCache {
  readonly #vectors: LRUCache<string, Float32Array> | null;
  readonly #running = new Map<string, Promise<Float32Array>>();

  /** `bytesMax` 0 keeps nothing. */
  constructor(bytesMax: number) {
    this.#vectors =
      bytesMax === 0
        ? null
        : new LRUCache({
            maxSize: bytesMax,
            sizeCalculation: (vector, key) => vector.byteLength + key.length * 2 + OVERHEAD_BYTES,
          });
  }

  /**
   * Vectors of distinct texts, `[texts, dim]`. `space` tells apart vectors that differ for equal texts;
   * `compute` is asked for the texts that are not known, in order.
   */
  async through(
    space: string,
    texts: readonly string[],
    dim: number,
    compute: (missing: string[]) => Promise<Float32Array>,
  ): Promise<Float32Array> {
    const keys = texts.map((text) => `${space}\0${text}`);
    const rows = keys.map((key) => this.#vectors?.get(key) ?? this.#running.get(key));
    const missing = rows.flatMap((row, i) => (row === undefined ? [i] : []));
    if (missing.length > 0) {
      const computed = compute(missing.map((i) => texts[i] ?? ''));
      for (const [n, i] of missing.entries()) {
        rows[i] = computed.then((vectors) => vectors.slice(n * dim, (n + 1) * dim));
        this.#keep(keys[i] ?? '', rows[i]);
      }
    }
    const vectors = new Float32Array(texts.length * dim);
    for (const [i, row] of (await Promise.all(rows)).entries()) if (row !== undefined) vectors.set(row, i * dim);
    return vectors;
  }

  /** Forgets every vector of `space`, those that are still being computed too. */
  forget(space: string): void {
    const isOfSpace = (key: string) => key.startsWith(`${space}\0`);
    for (const key of [...(this.#vectors?.keys() ?? [])]) if (isOfSpace(key)) this.#vectors?.delete(key);
    for (const key of [...this.#running.keys()]) if (isOfSpace(key)) this.#running.delete(key);
  }

  #keep(key: string, row: Promise<Float32Array>): void {
    this.#running.set(key, row);
    // A row that was forgotten meanwhile is for those alone who wait for it.
    const isCurrent = () => this.#running.get(key) === row;
    row
      .then((vector) => isCurrent() && this.#vectors?.set(key, vector))
      // Whoever waits for the row hears of its failure.
      .catch(() => undefined)
      .finally(() => isCurrent() && this.#running.delete(key));
  }
}
