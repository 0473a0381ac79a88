import { median } from '../../quantile.ts';

/** The rows of `[count, dim]`, as views. */
export function rowsOf(vectors: Float32Array, dim: number): Float32Array[] {
  return Array.from({ length: vectors.length / dim }, (_, row) => vectors.subarray(row * dim, (row + 1) * dim));
}

/** Microseconds a call costs, the median over passes. */
export function overheadUs<T>(queries: readonly T[], call: (query: T) => unknown): number {
  const passes = Array.from({ length: 9 }, () => {
    const started = performance.now();
    for (const query of queries) call(query);
    return ((performance.now() - started) * 1000) / queries.length;
  });
  return median(passes);
}
