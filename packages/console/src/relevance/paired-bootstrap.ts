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
  const [estimates] = finished(bootstrapSteps([[first, second]], { resamples, seed }));
  return estimates as PairedEstimates;
}

/** Two rows of values of the same queries. */
export type Pair = readonly [first: readonly number[], second: readonly number[]];

/**
 * The steps of {@link pairedBootstrap} for several pairs over the same queries, which share each draw: one draw a step, so
 * that a page can answer keys between two of them.
 */
export function* bootstrapSteps(
  pairs: readonly Pair[],
  { resamples = RESAMPLES, seed = SEED } = {},
): Generator<void, PairedEstimates[], void> {
  const count = pairs[0]?.[0].length ?? 0;
  const rows = pairs.flat();
  const other = rows.find(({ length }) => length !== count);
  if (count === 0 || other !== undefined) {
    throw new RangeError(`Rows of one length are compared, but they have ${count} and ${other?.length ?? 0} values`);
  }
  const random = uniform(seed);
  const means = pairs.map(() => [0, 1, 2].map(() => new Float64Array(resamples)) as Means);
  const sums = new Float64Array(rows.length);
  for (let at = 0; at < resamples; at += 1) {
    sums.fill(0);
    for (let drawn = 0; drawn < count; drawn += 1) {
      const query = Math.floor(random() * count);
      for (let row = 0; row < rows.length; row += 1) {
        sums[row] = (sums[row] as number) + ((rows[row] as readonly number[])[query] as number);
      }
    }
    for (const [pair, [ofFirst, ofSecond, ofDifference]] of means.entries()) {
      const [a, b] = [sums[2 * pair] as number, sums[2 * pair + 1] as number];
      ofFirst[at] = a / count;
      ofSecond[at] = b / count;
      ofDifference[at] = (b - a) / count;
    }
    yield;
  }
  return pairs.map(([first, second], pair) => estimatesOf(first, second, means[pair] as Means));
}

/** Runs steps to their end. */
export function finished<Result>(steps: Generator<void, Result, void>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value as Result;
  }
}

/** Means of each draw: of the first row, of the second, and of the difference. */
type Means = [Float64Array, Float64Array, Float64Array];

function estimatesOf(first: readonly number[], second: readonly number[], means: Means): PairedEstimates {
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
