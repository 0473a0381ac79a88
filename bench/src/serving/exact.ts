/** For one query its inner product with every row. */
export function scoresOf(rows: Float32Array, query: Float32Array): Float32Array {
  const dim = query.length;
  const scores = new Float32Array(rows.length / dim);
  for (let row = 0; row < scores.length; row += 1) {
    const first = row * dim;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < dim; i += 4) {
      a += (rows[first + i] ?? 0) * (query[i] ?? 0);
      b += (rows[first + i + 1] ?? 0) * (query[i + 1] ?? 0);
      c += (rows[first + i + 2] ?? 0) * (query[i + 2] ?? 0);
      d += (rows[first + i + 3] ?? 0) * (query[i + 3] ?? 0);
    }
    scores[row] = a + b + c + d;
  }
  return scores;
}

/** The `k` best documents among those that live and pass, best first. */
export function expected(
  scores: Float32Array,
  rows: readonly number[],
  passes: (document: number) => boolean,
  k: number,
): number[] {
  const best: { document: number; score: number }[] = [];
  let bound = Number.NEGATIVE_INFINITY;
  rows.forEach((row, document) => {
    const score = row < 0 ? Number.NEGATIVE_INFINITY : (scores[row] ?? 0);
    if (score <= bound || !passes(document)) return;
    const place = best.findIndex((each) => each.score < score);
    best.splice(place < 0 ? best.length : place, 0, { document, score });
    if (best.length > k) best.pop();
    if (best.length === k) bound = best.at(-1)?.score ?? bound;
  });
  return best.map(({ document }) => document);
}

/**
 * Counts the true neighbours that were found, and those that should be. Documents that were being written meanwhile may
 * be there or not: `truth` is without them, and their places in the answer are not counted.
 */
export function recallOf(found: readonly number[], truth: readonly number[], unsettled: ReadonlySet<number>) {
  const settled = found.filter((document) => !unsettled.has(document));
  const wanted = truth.slice(0, truth.length - (found.length - settled.length));
  return { hits: wanted.filter((document) => settled.includes(document)).length, wanted: wanted.length };
}
