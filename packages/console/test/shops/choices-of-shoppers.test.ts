import { expect, test } from 'vitest';
import { bestSold, withoutChosen } from '../../src/pages/shops/choices-of-shoppers.js';

const product = (docId: string, purchases: number, addToCarts: number, clicks: number, impressions = 9) => ({
  ...{ docId, purchases, addToCarts, clicks, impressions, revenue: {} },
});

test('products that were bought stand in front, then those that were put into the cart, clicked and shown', () => {
  const products = [
    product('seen', 0, 0, 0, 3),
    product('shown', 0, 0, 0, 8),
    product('clicked', 0, 0, 7),
    product('carted', 0, 1, 0),
    product('bought', 2, 0, 0),
  ];
  expect(bestSold(products).map(({ docId }) => docId)).toEqual(['bought', 'carted', 'clicked', 'shown', 'seen']);
});

test('a query whose product was bought without a click pleased somebody', () => {
  const unclicked = ['pfanne', 'topf'].map((term) => ({ term, count: 1, sessions: 1, lastSeen: '2026-11-29' }));
  expect(withoutChosen(unclicked, [{ term: 'pfanne' }])).toEqual([unclicked[1]]);
});
