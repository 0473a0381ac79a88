/**
 * Normalised discounted cumulative gain of the first `depth` of a ranking: 1 where nothing could be ranked better. The
 * gain of a document is its grade, as in Järvelin and Kekäläinen (2002).
 */
export function ndcg(ranking: readonly string[], grades: ReadonlyMap<string, number>, depth: number): number {
  const gain = (gains: readonly number[]) =>
    gains.slice(0, depth).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);
  const best = gain([...grades.values()].sort((a, b) => b - a));
  return best === 0 ? 0 : gain(ranking.map((id) => grades.get(id) ?? 0)) / best;
}
