import { UnprocessableError } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { collapseOf } from '../../src/search/collapse.js';
import { checkShape } from '../../src/search/shape.js';
import { searchRequest } from './requests.js';

const body = (collapseFields: unknown, rest: object = {}) => ({
  q: 'a',
  searchMethod: 'HYBRID',
  collapseFields,
  ...rest,
});
const problems = (request: object): string => {
  try {
    checkShape(searchRequest(request));
  } catch (error) {
    expect(error).toBeInstanceOf(UnprocessableError);
    return (error as UnprocessableError).problems.map(({ msg }) => msg).join('\n');
  }
  return '';
};
const sorted = (sortBy: object) => body([{ name: 'sku', sortBy }]);
const collapse = (request: object, sortFields: readonly string[] = []) =>
  collapseOf(searchRequest(request), sortFields);

test.each<[object, string]>([
  [
    body([{ name: 'sku' }], { searchMethod: 'TENSOR' }),
    "collapseFields can only be provided for 'HYBRID' search. Search method is TENSOR.",
  ],
  [body([{ name: 'sku' }], { searchMethod: 'LEXICAL' }), 'Search method is LEXICAL.'],
  [body([]), 'Exactly one collapse field must be provided'],
  [body([{ name: 'sku' }, { name: 'b' }]), 'Exactly one collapse field must be provided'],
  [body([{}]), 'field required'],
  [body([{ name: 'sku', minGroups: 5 }]), 'extra fields not permitted'],
  [sorted({}), 'field required'],
  [sorted({ fields: [] }), 'ensure this value has at least 1 items'],
  [sorted({ fields: [{ fieldName: 'a' }, { fieldName: 'b' }] }), 'ensure this value has at most 1 items'],
  [sorted({ fields: [{ order: 'asc' }] }), 'field required'],
  [sorted({ fields: [{ fieldName: 'a', order: 'up' }] }), "permitted: 'asc', 'desc'"],
  [sorted({ fields: [{ fieldName: 'a' }], numThreadsPerSearch: 0 }), 'ensure this value is greater than or equal to 1'],
])('%j has not the shape: %s', (request, text) => {
  expect(problems(request)).toContain(text);
});

test('groups show their best hit, or the best by a number', () => {
  expect(collapse(body(null))).toBeNull();
  expect(collapse(body([{ name: 'sku' }]))).toEqual({ field: 'sku', sort: null, counts: false, others: 0 });
  expect(collapse(body([{ name: 'sku', group_count: true, group_limit: 3 }]))).toEqual({
    ...{ field: 'sku', sort: null, counts: true, others: 2 },
  });
  expect(collapse(sorted({ fields: [{ fieldName: 'price' }] }))).toEqual({
    field: 'sku',
    sort: { field: 'price', dates: false, order: 'desc', alwaysFetchVariants: false },
    counts: false,
    others: 0,
  });
});

test('the older names mean the same', () => {
  const sort_by = {
    fields: [{ field_name: 'price', order: 'asc' }],
    num_threads_per_search: 2,
    disable_if_main_sort_by_fields: ['stock'],
    always_fetch_variants: true,
  };
  const request = body([{ name: 'sku', sort_by }]);
  expect(problems(request)).toBe('');
  const sort = { field: 'price', dates: false, order: 'asc', alwaysFetchVariants: true };
  expect(collapse(request)).toEqual({ field: 'sku', sort, counts: false, others: 0 });
  expect(collapse(request, ['stock'])).toEqual({ field: 'sku', sort: null, counts: false, others: 0 });
});

test('a search that sorts by other fields leaves the sort of groups as it is', () => {
  const request = sorted({ fields: [{ fieldName: 'price' }], disableIfMainSortByFields: ['stock'] });
  expect(collapse(request, ['age'])?.sort).not.toBeNull();
  expect(collapse(request, ['age', 'stock'])?.sort).toBeNull();
});
