import { expect, test } from 'vitest';
import { FacetTypes } from '../src/facet-types.js';
import { Highlighter } from '../src/highlights.js';
import { readParameters, type SearchParameters } from '../src/parameters.js';
import { Service } from '../src/service.js';
import { type TranslationOptions, translated } from '../src/translation.js';

/** Without facets nothing is called. */
const types = new FacetTypes(new Service({ url: 'http://127.0.0.1:1' }));

async function pageOf(params: SearchParameters, totalHits: number, options: TranslationOptions = {}) {
  const { queries, result } = await translated({ indexName: 'products', params }, types, options);
  const { offset, limit } = queries[0] as { offset?: number; limit?: number };
  const { hitsPerPage, nbPages, length } = result([{ hits: [], totalHits, processingTimeMs: 1 }]);
  return { asked: [offset, limit], hitsPerPage, nbPages, length };
}

test('pages wider than a search go on where the one before ends', async () => {
  expect(await pageOf({ page: 1, hitsPerPage: 2_000 }, 5_000)).toEqual({
    ...{ asked: [1_000, 1_000], hitsPerPage: 1_000, nbPages: 5, length: undefined },
  });
  expect(await pageOf({ offset: 500, length: 2_000 }, 5_000)).toMatchObject({ asked: [500, 1_000], length: 1_000 });
});

test('there are no more pages than can be read', async () => {
  for (const pagedHitsMax of [undefined, 10_000, 50_000]) {
    expect(await pageOf({ page: 99, hitsPerPage: 100 }, 60_000, { pagedHitsMax })).toMatchObject({
      ...{ asked: [9_900, 100], nbPages: 100 },
    });
  }
  expect(await pageOf({ hitsPerPage: 100 }, 60_000, { pagedHitsMax: 250 })).toMatchObject({ nbPages: 3 });
});

test('hits have no fields that are left out', async () => {
  const document = { _id: '1', title: 'lamp', price: 'low', stock: 7 };
  for (const [attributesToRetrieve, asked, fields] of [
    [['*', '-price'], undefined, ['title', 'stock']],
    ['-price,-stock', undefined, ['title']],
    [
      ['title', 'price', '-price', 'objectID'],
      ['title', 'price'],
      ['title', 'stock'],
    ],
  ] as const) {
    const params = { attributesToRetrieve };
    const { queries, result } = await translated({ indexName: 'products', params }, types, {});
    expect(queries[0]?.attributesToRetrieve).toEqual(asked);
    const { hits } = result([{ hits: [document], totalHits: 1, processingTimeMs: 1 }]);
    expect(Object.keys(hits[0] ?? {})).toEqual([...fields, 'objectID', '_highlightResult']);
    expect(Object.keys(hits[0]?._highlightResult ?? {})).toEqual(fields.filter((field) => field !== 'stock'));
  }
});

test('a snippet keeps marks whole that have blanks in them', () => {
  const marks = { before: '<em class="a b">', after: '</em >' };
  const document = {
    ...{ _id: '1', title: 'one two three four five' },
    _lexicalHighlights: { title: ['one two three <em class="a b">four</em > five'] },
  };
  const { title } = new Highlighter('four', marks).snippets(document, ['title:2'], '…');
  expect(title).toMatchObject({ value: '…three <em class="a b">four</em >…' });
});

test('fields called as members of objects are shown, marked or not', () => {
  const fields = JSON.parse('{ "constructor": "a lamp", "toString": "lamp", "__proto__": "x" }');
  const document = { ...fields, _id: '1', _lexicalHighlights: { toString: ['<em>lamp</em>'] } };
  const shown = new Highlighter('lamp', { before: '<em>', after: '</em>' }).highlights(document, undefined);
  expect(Object.entries(shown).map(([name, text]) => [name, (text as { value: string }).value])).toEqual([
    ['constructor', 'a lamp'],
    ['toString', '<em>lamp</em>'],
  ]);
});

test('texts in a query of a URL stay texts, whatever they look like', () => {
  expect(readParameters('facetQuery=10&facetName=true&query=1&snippetEllipsisText=0&page=2')).toEqual({
    ...{ facetQuery: '10', facetName: 'true', query: '1', snippetEllipsisText: '0', page: 2 },
  });
});

test('a parameter that is null is as one that is absent', async () => {
  const names = [
    ...['query', 'page', 'hitsPerPage', 'offset', 'length', 'filters', 'facetFilters', 'numericFilters', 'facets'],
    ...['maxValuesPerFacet', 'attributesToRetrieve', 'attributesToHighlight', 'attributesToSnippet', 'tagFilters'],
    ...['snippetEllipsisText', 'highlightPreTag', 'highlightPostTag', 'restrictSearchableAttributes'],
  ];
  const params = Object.fromEntries(names.map((name) => [name, null])) as SearchParameters;
  const ofNull = await translated({ indexName: 'products', params }, types, {});
  const ofNone = await translated({ indexName: 'products' }, types, {});
  expect(ofNull.queries).toEqual(ofNone.queries);
  const answers = [{ hits: [{ _id: '1', title: 'lamp' }], totalHits: 1, processingTimeMs: 1 }];
  expect(ofNull.result(answers)).toEqual(ofNone.result(answers));
});
