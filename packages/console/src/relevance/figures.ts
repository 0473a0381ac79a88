// Figures of one ranking by the judgement of people. The benches take them from here too.

/** Grades of documents by their ids. A document without one is not judged, and counts as one that answers nothing. */
export type Grades = ReadonlyMap<string, number>;

/** The least grade of a relevant document. */
export const RELEVANT = 1;

/**
 * Normalised discounted cumulative gain of the first `depth` of a ranking: 1 where nothing could be ranked better. The
 * gain of a document is its grade, as in Järvelin and Kekäläinen (2002), doi:10.1145/582415.582418, and the discount of
 * place r is log2(r + 1), as in trec_eval. 0 where no document is relevant.
 */
export function ndcg(ranking: readonly string[], grades: Grades, depth: number): number {
  const gain = (gains: readonly number[]) =>
    gains.slice(0, depth).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);
  const best = gain([...grades.values()].sort((a, b) => b - a));
  return best === 0 ? 0 : gain(ranking.map((id) => grades.get(id) ?? 0)) / best;
}

/** The part of all relevant documents that the first `depth` have; 0 where none is relevant. */
export function recall(ranking: readonly string[], grades: Grades, depth: number): number {
  const all = [...grades.values()].filter((grade) => grade >= RELEVANT).length;
  if (all === 0) return 0;
  return ranking.slice(0, depth).filter((id) => isRelevant(id, grades)).length / all;
}

/** 1 over the place of the first relevant document; 0 where there is none. */
export function reciprocalRank(ranking: readonly string[], grades: Grades): number {
  const place = ranking.findIndex((id) => isRelevant(id, grades));
  return place < 0 ? 0 : 1 / (place + 1);
}

/** The part of the first `depth` of a ranking that somebody has judged; 1 of a ranking of nothing. */
export function judgedPart(ranking: readonly string[], grades: Grades, depth: number): number {
  const first = ranking.slice(0, depth);
  return first.length === 0 ? 1 : first.filter((id) => grades.has(id)).length / first.length;
}

function isRelevant(id: string, grades: Grades): boolean {
  return (grades.get(id) ?? 0) >= RELEVANT;
}
