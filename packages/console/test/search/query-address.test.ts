import { expect, test } from 'vitest';
import { methodOf, parametersOf, queryOf } from '../../src/pages/search/query-address.js';
import { FIRST_QUERY, type Query } from '../../src/pages/search/request.js';

test('a query comes back from its address, and one as usual leaves it bare', () => {
  const query: Query = {
    ...{ q: 'a & b', filter: 'brand:acme', limit: 20, alpha: 0, prefix: 'all', allowsTypos: true, corrects: true },
    group: { field: 'sku', limit: 3 },
    sort: { field: 'price', order: 'desc' },
  };
  expect(queryOf(new URLSearchParams(parametersOf(query)))).toEqual(query);
  expect(parametersOf(FIRST_QUERY)).toEqual({});
  expect(methodOf(new URLSearchParams(parametersOf(query, 'TENSOR')))).toBe('TENSOR');
  expect(methodOf(new URLSearchParams('method=OTHER'))).toBeUndefined();
});

test('values that no query has are taken for the usual ones', () => {
  const typed = new URLSearchParams('limit=7&alpha=2&prefix=first&typos=1');
  expect(queryOf(typed)).toEqual(FIRST_QUERY);
  expect(queryOf(new URLSearchParams('alpha=much&groupLimit=3'))).toEqual(FIRST_QUERY);
  const byDate = { field: 'since', order: 'asc', type: 'date' } as const;
  expect(queryOf(new URLSearchParams(parametersOf({ ...FIRST_QUERY, sort: byDate }))).sort).toEqual(byDate);
  expect(queryOf(new URLSearchParams('sort=price&order=up')).sort).toEqual({ field: 'price', order: 'asc' });
  expect(queryOf(new URLSearchParams('group=sku&groupLimit=7')).group).toEqual({ field: 'sku', limit: 1 });
});
