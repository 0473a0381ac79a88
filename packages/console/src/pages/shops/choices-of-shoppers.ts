import type { LackingTerm, ProductFigures, TermFigures } from './analytics.js';

/** Products in the order of what was bought, then put into the cart, clicked and shown. */
export const bestSold = (products: readonly ProductFigures[]): readonly ProductFigures[] =>
  products.toSorted(
    (one, other) =>
      other.purchases - one.purchases ||
      other.addToCarts - one.addToCarts ||
      other.clicks - one.clicks ||
      other.impressions - one.impressions,
  );

/** Queries that nobody clicked for, but for those whose products were put into the cart or bought. */
export function withoutChosen(
  unclicked: readonly LackingTerm[],
  chosen: readonly Pick<TermFigures, 'term'>[],
): readonly LackingTerm[] {
  const terms = new Set(chosen.map(({ term }) => term));
  return unclicked.filter(({ term }) => !terms.has(term));
}
