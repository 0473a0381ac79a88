/**
 * Members of products that the service itself keeps. Numbers from 0 to 1 but for `addedAt`, Unix seconds; a product that
 * nobody had to do with has none of the others.
 */
export const rankingFields = {
  /** The product's actions by shoppers, against those of the most popular one. */
  popularity: 'popularity',
  /** The share of shoppers who clicked among those who were shown it. */
  clickRate: 'clickRate',
  /** The share of shoppers who bought among those who clicked. */
  conversionRate: 'conversionRate',
  /** A map: by key of the query, what shoppers who asked it did with the product. */
  queryPopularity: 'queryPopularity',
  addedAt: 'addedAt',
} as const;

const names: ReadonlySet<string> = new Set(Object.values(rankingFields));

/** Tells whether the service keeps a member of a product, or an entry of a map as `map.key`. */
export function isRankingField(name: string): boolean {
  return names.has(name.split('.', 1)[0] ?? '');
}

/**
 * The weight of shoppers' figures in a score. The best hit of a hybrid search scores 1/61, its tenth 1/70: the most
 * popular product of all passes about twenty others, the one that is chosen after this very query goes to the top. Both
 * weights are chosen by that, and were not fitted to any log.
 */
export const POPULARITY_WEIGHT = 0.004;
export const QUERY_POPULARITY_WEIGHT = 0.016;
