/**
 * Members of products that the service itself keeps. Numbers from 0 to 1 but for `addedAt`, Unix seconds; a product that
 * nobody had to do with has none of the others.
 */
export const rankingFields = {
  /** What shoppers did with the product, against the most popular one. */
  popularity: 'popularity',
  /** Of shoppers who were shown it, who clicked. */
  clickRate: 'clickRate',
  /** Of shoppers who clicked, who bought. */
  conversionRate: 'conversionRate',
  /** A map: by key of the query, what shoppers who asked it did with the product. */
  queryPopularity: 'queryPopularity',
  addedAt: 'addedAt',
} as const;

const names: ReadonlySet<string> = new Set(Object.values(rankingFields));

/** Whether a member of a product, or an entry of a map as `map.key`, is kept by the service. */
export function isRankingField(name: string): boolean {
  return names.has(name.split('.', 1)[0] ?? '');
}

/**
 * What figures of shoppers add to a score, times the figure. The best hit of a hybrid search scores 1/61, its tenth
 * 1/70: the most popular product of all passes about twenty others, the one that is chosen after this very query goes to
 * the top. Both weights are chosen by that, and were not fitted to any log.
 */
export const POPULARITY_WEIGHT = 0.004;
export const QUERY_POPULARITY_WEIGHT = 0.016;
