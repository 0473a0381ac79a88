/** A mean with the bounds of its interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Means of two rows of values of the same queries, and of the differences, second less first. */
export interface PairedEstimates {
  readonly first: Estimate;
  readonly second: Estimate;
  readonly difference: Estimate;
}

const RESAMPLES = 2_000;
/** The part of resamples outside of an interval at either end: 95 % are within. */
const TAIL = 0.025;
const SEED = 20_261_129;

/**
 * Means with intervals of 95 % by the paired bootstrap: queries are drawn with replacement, as many as there are, again and
 * again, each draw for both rows, and the bounds are the percentiles of the means of the draws. Efron and Tibshirani, An
 * Introduction to the Bootstrap (1993), chapter 13, where 1,000 draws are enough; for rankings Sakai (SIGIR 2006),
 * doi:10.1145/1148170.1148261. The seed is fixed: the same values have the same intervals.
 *
 * @param first not empty, and as long as `second`
 */
export function pairedBootstrap(
  first: readonly number[],
  second: readonly number[],
  { resamples = RESAMPLES, seed = SEED } = {},
): PairedEstimates {
  const count = first.length;
  if (count === 0 || second.length !== count) {
    throw new RangeError(`Two rows of one length are compared, but they have ${count} and ${second.length} values`);
  }
  const random = uniform(seed);
  const rows = [first, second] as const;
  const means = [0, 1, 2].map(() => new Float64Array(resamples)) as [Float64Array, Float64Array, Float64Array];
  for (let at = 0; at < resamples; at += 1) {
    let [a, b] = [0, 0];
    for (let drawn = 0; drawn < count; drawn += 1) {
      const query = Math.floor(random() * count);
      a += rows[0][query] as number;
      b += rows[1][query] as number;
    }
    means[0][at] = a / count;
    means[1][at] = b / count;
    means[2][at] = (b - a) / count;
  }
  const [ofFirst, ofSecond] = [meanOf(first), meanOf(second)];
  return {
    first: { mean: ofFirst, ...boundsOf(means[0]) },
    second: { mean: ofSecond, ...boundsOf(means[1]) },
    difference: { mean: ofSecond - ofFirst, ...boundsOf(means[2]) },
  };
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The percentiles at both ends. */
function boundsOf(means: Float64Array): { low: number; high: number } {
  means.sort();
  const at = (part: number): number => means[Math.min(Math.floor(part * means.length), means.length - 1)] as number;
  return { low: at(TAIL), high: at(1 - TAIL) };
}

/** Numbers from 0 to 1 by a seed, the same everywhere: mulberry32, which is fast without 64-bit integers. */
function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
