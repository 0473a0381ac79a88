import { describe, expect, test } from 'vitest';
import { judgedPart, ndcg, recall, reciprocalRank } from '../../src/relevance/figures.js';

const grades = new Map([
  ['a', 3],
  ['b', 1],
  ['c', 0],
  ['d', 2],
]);

describe('values worked out by hand', () => {
  test('nDCG: the best ranking has 1, and deeper places gain less', () => {
    expect(ndcg(['a', 'd', 'b', 'x'], grades, 10)).toBe(1);
    // 2 / log2(2) + 0 + 3 / log2(4) + 1 / log2(5), of 3 / log2(2) + 2 / log2(3) + 1 / log2(4).
    expect(ndcg(['d', 'c', 'a', 'b'], grades, 10)).toBeCloseTo(3.930_676_558 / 4.761_859_507, 8);
    expect(ndcg(['x', 'a'], grades, 1)).toBe(0);
    expect(ndcg(['a'], grades, 1)).toBe(1);
    expect(ndcg([], grades, 10)).toBe(0);
    expect(ndcg(['c'], new Map([['c', 0]]), 10)).toBe(0);
  });

  test('recall: the part of the relevant documents, which are those above 0', () => {
    expect(recall(['a', 'c', 'x', 'b'], grades, 10)).toBeCloseTo(2 / 3, 12);
    expect(recall(['a', 'c', 'x', 'b'], grades, 3)).toBeCloseTo(1 / 3, 12);
    expect(recall([], grades, 3)).toBe(0);
    expect(recall(['c'], new Map([['c', 0]]), 3)).toBe(0);
  });

  test('reciprocal rank: of the first relevant document', () => {
    expect(reciprocalRank(['c', 'x', 'b', 'a'], grades)).toBeCloseTo(1 / 3, 12);
    expect(reciprocalRank(['x'], grades)).toBe(0);
  });

  test('the judged part counts a 0 as judged', () => {
    expect(judgedPart(['a', 'c', 'x', 'y'], grades, 4)).toBe(0.5);
    expect(judgedPart(['x', 'a'], grades, 1)).toBe(0);
    expect(judgedPart([], grades, 10)).toBe(1);
  });
});

/** As the definitions say them, a document at a time. */
const definitions = {
  ndcg(ranking: string[], grades: Map<string, number>, depth: number): number {
    let gain = 0;
    for (let r = 1; r <= Math.min(depth, ranking.length); r += 1) {
      gain += (grades.get(ranking[r - 1] as string) || 0) * (Math.LN2 / Math.log(r + 1));
    }
    const ideal = [...grades].sort(([, a], [, b]) => b - a);
    let best = 0;
    for (let r = 1; r <= Math.min(depth, ideal.length); r += 1) {
      best += (ideal[r - 1]?.[1] as number) * (Math.LN2 / Math.log(r + 1));
    }
    return best > 0 ? gain / best : 0;
  },
  recall(ranking: string[], grades: Map<string, number>, depth: number): number {
    let [found, all] = [0, 0];
    for (const [id, grade] of grades) {
      if (grade < 1) continue;
      all += 1;
      const place = ranking.indexOf(id);
      if (place >= 0 && place < depth) found += 1;
    }
    return all > 0 ? found / all : 0;
  },
  reciprocalRank(ranking: string[], grades: Map<string, number>): number {
    for (const [place, id] of ranking.entries()) if ((grades.get(id) ?? 0) > 0) return 1 / (place + 1);
    return 0;
  },
};

test('rankings drawn at random have the figures of the definitions', () => {
  let state = 7;
  const draw = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let round = 0; round < 500; round += 1) {
    const ids = Array.from({ length: draw(15) + 1 }, (_, at) => `d${at}`);
    const graded = new Map(ids.filter(() => draw(3) > 0).map((id) => [id, draw(4)]));
    const ranking = ids.map((id) => [draw(1000), id] as const).sort(([a], [b]) => a - b);
    const found = ranking.slice(0, draw(16)).map(([, id]) => id);
    const depth = draw(12) + 1;
    expect(ndcg(found, graded, depth)).toBeCloseTo(definitions.ndcg(found, graded, depth), 12);
    expect(recall(found, graded, depth)).toBeCloseTo(definitions.recall(found, graded, depth), 12);
    expect(reciprocalRank(found, graded)).toBe(definitions.reciprocalRank(found, graded));
  }
});
