// Recall at the moments of an ingest: each answer against an exact search over the documents that were there.
import { expected, recallOf, scoresOf } from '../serving/exact.ts';
import { randomNumbers, type Vectors } from '../serving/vectors.ts';
import type { Added, Searched } from './growth.ts';
import { passes } from './requests.ts';

/** Documents that each answer names. */
export const K = 10;

/** The recall of the searches in a tenth of the ingest, by whether a filter was set. */
export interface TenthRecall {
  unfiltered: number;
  filtered: number;
  /** The searches that were compared, of both kinds: of few, one document that was missed weighs much. */
  compared: number;
}

interface Sum {
  hits: number;
  wanted: number;
  searches: number;
}

/**
 * The recall in each tenth, of about `compared` searches of either kind in each. A document must be found once it was
 * acknowledged before the search began.
 */
export function recallByTenth(
  { rows, queries, dim }: Vectors,
  { batches, tenths }: Added,
  searched: readonly Searched[],
  compared: number,
): TenthRecall[] {
  const acknowledged = new Float64Array(rows.length / dim);
  for (const { ids, at } of batches) for (const id of ids) acknowledged[id] = at;
  const everyRow = Array.from(acknowledged.keys());
  const sums = tenths.slice(1).map(() => ({ true: nothing(), false: nothing() }));
  const chosen = tenths.slice(1).flatMap((end, tenth) => {
    const within = searched.filter(({ at }) => at >= (tenths[tenth] ?? 0) && at < end);
    return [true, false].flatMap((filtered) => {
      const kind = within.filter((each) => each.filtered === filtered);
      return sample(kind, compared).map((search) => ({ search, sum: sums[tenth]?.[`${filtered}`] ?? nothing() }));
    });
  });
  for (const [query, group] of Map.groupBy(chosen, ({ search }) => search.query)) {
    const scores = scoresOf(rows, queries.subarray(query * dim, (query + 1) * dim));
    for (const { search, sum } of group) {
      const isThere = (id: number) => (acknowledged[id] ?? 0) < search.at;
      const truth = expected(scores, everyRow, (id) => isThere(id) && (!search.filtered || passes(id)), K);
      const unsettled = new Set(search.found.filter((id) => !isThere(id)));
      const { hits, wanted } = recallOf(search.found, truth, unsettled);
      sum.hits += hits;
      sum.wanted += wanted;
      sum.searches += 1;
    }
  }
  return sums.map((sum) => ({
    unfiltered: shareOf(sum.false),
    filtered: shareOf(sum.true),
    compared: sum.false.searches + sum.true.searches,
  }));
}

const nothing = (): Sum => ({ hits: 0, wanted: 0, searches: 0 });
const shareOf = ({ hits, wanted }: Sum) => (wanted === 0 ? 1 : hits / wanted);

/** About `count` of a list, drawn at random: every n-th would be the same few queries over and over. */
function sample<T>(list: readonly T[], count: number): T[] {
  const random = randomNumbers(7);
  return list.filter(() => random() < count / list.length);
}
