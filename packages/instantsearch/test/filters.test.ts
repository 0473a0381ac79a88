import { expect, test } from 'vitest';
import { requestedFilter } from '../src/requested-filter.js';

test.each([
  [{}, null],
  [{ filters: ' ', facetFilters: [], numericFilters: '' }, null],
  [{ facetFilters: 'brand:Acme' }, 'brand:(Acme)'],
  [{ facetFilters: ['brand:Acme', 'tags:on sale'] }, String.raw`(brand:(Acme)) AND (tags:(on\ sale))`],
  [{ facetFilters: [['brand:A', 'brand:B'], 'year:1990'] }, '((brand:(A)) OR (brand:(B))) AND (year:(1990))'],
  [{ facetFilters: [['brand:-A']] }, 'NOT (brand:(A))'],
  [{ facetFilters: [String.raw`t:-\-5`, 't:--5'] }, '(NOT (t:(-5))) AND (NOT (t:(-5)))'],
  [{ facetFilters: [String.raw`t:\-5`, 'url:a:b'] }, String.raw`(t:(-5)) AND (url:(a\:b))`],
  [{ facetFilters: ['a b.c:'] }, String.raw`a\ b.c IN (,)`],
  [{ numericFilters: ['price>=10', 'price <= 2.5'] }, '(price:[10 TO *]) AND (price:[* TO 2.5])'],
  [{ numericFilters: [['n=1', 'n!=2']] }, '(n:[1 TO 1]) OR (NOT (n:[2 TO 2]))'],
  [{ numericFilters: 'n:-1 TO 20' }, 'n:[-1 TO 20]'],
  [{ numericFilters: 'price (EUR)>=5' }, String.raw`price\ \(EUR\):[5 TO *]`],
  [{ numericFilters: 'n>5' }, 'n:[5 TO *] AND NOT (n:[5 TO 5])'],
  [
    { filters: 'brand:Acme AND (price < 10 OR NOT tags:"on \\"sale") OR n:1 TO 5' },
    String.raw`((brand:(Acme)) AND ((price:[* TO 10] AND NOT (price:[10 TO 10])) OR (NOT (tags:(on\ \"sale))))) OR (n:[1 TO 5])`,
  ],
  [{ filters: "'a b':'OR' AND x:y", facetFilters: 'z:1' }, String.raw`((a\ b:(OR)) AND (x:(y))) AND (z:(1))`],
])('%j is the filter %s', (parameters, filter) => {
  expect(requestedFilter(parameters)).toBe(filter);
});

test.each([
  [{ facetFilters: ['brand'] }, "a facet filter is 'facet:value', received 'brand'"],
  [{ numericFilters: ['price=ten'] }, "a numeric filter is 'price>=10'"],
  [{ numericFilters: 'price<5) OR (price>0' }, "is 'price>=10' or 'price:10 TO 20', received 'price<5) OR (price>0'"],
  [{ numericFilters: '>=5' }, "a numeric filter is 'price>=10'"],
  [{ numericFilters: '(price>0' }, "a numeric filter is 'price>=10'"],
  [{ numericFilters: 'stock=1 OR n:1 TO 2' }, "a numeric filter is 'price>=10'"],
  [{ numericFilters: 'brand:Acme AND price>0' }, "a numeric filter is 'price>=10'"],
  [{ numericFilters: 'n:'.repeat(501) }, 'a numeric filter has 1002 characters, of at most 1000'],
  [{ filters: 'a:b c:d' }, "filters cannot be read at 'c'"],
  [{ filters: 'a:b AND' }, 'filters cannot be read at its end'],
  [{ filters: '(a:b' }, 'filters cannot be read at its end'],
  [{ filters: 'a:b)' }, "filters cannot be read at ')'"],
  [{ filters: 'a > b' }, "filters cannot be read at 'b'"],
  [{ filters: 'a' }, 'filters cannot be read at its end'],
  [{ filters: 'a:"b' }, 'filters cannot be read at character 2'],
  [{ filters: '('.repeat(101) }, 'filters has more than 100 parentheses within each other'],
  [{ filters: 'a'.repeat(100_001) }, 'filters has 100001 characters, of at most 100000'],
])('%j is refused: %s', (parameters, message) => {
  expect(() => requestedFilter(parameters)).toThrow(message);
});
