/** One setting of the search list and what it gave. */
export interface Point {
  ef: number;
  recall: number;
  qps: number;
}

/**
 * Queries per second at a recall, between the two settings around it: linear in recall, and in the
 * logarithm of the rate, which is close to how these curves run.
 *
 * Null when no setting reaches the recall. When even the smallest setting exceeds it, that
 * setting's rate: the engine could only be faster.
 */
export function qpsAt(recall: number, curve: readonly Point[]): number | null {
  const points = curve.toSorted((a, b) => a.ef - b.ef);
  const above = points.findIndex((point) => point.recall >= recall);
  const high = points[above];
  if (high === undefined) return null;
  const low = points[above - 1];
  if (low === undefined) return high.qps;
  const share = (recall - low.recall) / (high.recall - low.recall);
  return Math.exp(Math.log(low.qps) + share * (Math.log(high.qps) - Math.log(low.qps)));
}
