import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import algoliasearchHelper, { type SearchResults } from 'algoliasearch-helper';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InstantSearchClient, instantSearchClient, SearchError } from '../src/index.js';
import { counted, openShop, PRODUCTS, type Product, type Shop } from './shop.js';

type Helper = ReturnType<typeof algoliasearchHelper>;

let shop: Shop;
let client: InstantSearchClient;
/** Bodies of all calls. */
const calls: { queries: { indexName: string }[] }[] = [];

beforeAll(async () => {
  shop = await openShop();
  client = instantSearchClient({
    url: `${shop.url}/`,
    fetch: (url, init) => {
      calls.push(JSON.parse(init?.body as string));
      return fetch(url, init);
    },
    replicas: { cheapest: { index: 'products', sortBy: [{ fieldName: 'price', order: 'asc' }] } },
  });
});
afterAll(() => shop.close());

/** A helper of the official package over the client, and its next results. */
function helperOf(options: object = {}, index = 'products'): Helper {
  return algoliasearchHelper(client, index, { hitsPerPage: 10, ...options });
}

function resultsOf(helper: Helper): Promise<SearchResults<any>> {
  return new Promise((resolve, reject) => {
    helper.once('result', ({ results }) => resolve(results as SearchResults<any>));
    helper.once('error', ({ error }) => reject(error));
    helper.search();
  });
}

/** A value as widgets hand it to the helper, to which a minus at its beginning would be an exclusion. */
const escaped = (value: string): string => value.replace(/^-/, String.raw`\-`);

const ids = ({ hits }: SearchResults<any>): string[] => hits.map(({ objectID }) => objectID);
const data = (results: SearchResults<any>, facet: string): Record<string, number> => {
  const values = results.getFacetValues(facet, {}) as any;
  return Object.fromEntries(values.map(({ escapedValue, name, count }: any) => [name ?? escapedValue, count]));
};
const wordsIn = (word: string) => PRODUCTS.filter(({ title }) => title.split(' ').includes(word));
const sorted = (products: readonly Product[], sign: 1 | -1) => products.toSorted((a, b) => sign * (a.price - b.price));

describe('the official helper over a server', () => {
  test('an empty query finds all documents, page by page', async () => {
    const helper = helperOf({ hitsPerPage: 50 });
    const found = new Set<string>();
    for (let page = 0; page < 5; page += 1) {
      const results = await resultsOf(helper.setPage(page));
      expect([results.nbHits, results.nbPages, results.page, results.hitsPerPage]).toEqual([240, 5, page, 50]);
      for (const id of ids(results)) found.add(id);
    }
    expect(found.size).toBe(240);
    const beyond = await resultsOf(helper.setPage(5));
    expect([ids(beyond), beyond.nbHits]).toEqual([[], 240]);
  });

  test('words find what has them, marked in its texts', async () => {
    const results = await resultsOf(helperOf({ hitsPerPage: 1000 }).setQuery('blue lamp'));
    const either = PRODUCTS.filter(({ title }) => /blue|lamp/.test(title)).map(({ _id }) => _id);
    expect(ids(results).toSorted()).toEqual(either.toSorted());
    expect(results.nbHits).toBe(either.length);
    const [first] = results.hits;
    expect(first.title).toBe('blue lamp');
    expect(first._highlightResult.title).toEqual({
      value: '<em>blue</em> <em>lamp</em>',
      matchLevel: 'full',
      matchedWords: ['blue', 'lamp'],
      fullyHighlighted: true,
    });
    expect(first._highlightResult.tags.every(({ matchLevel }: any) => matchLevel === 'none')).toBe(true);
    const last = results.hits.at(-1);
    expect(last._highlightResult.title).toMatchObject({ matchLevel: 'partial', fullyHighlighted: false });
    expect(Object.keys(first)).not.toContain('_lexicalHighlights');
  });

  test('facets count all that is found, whatever their kinds of values', async () => {
    const results = await resultsOf(helperOf({ facets: ['brand', 'tags', 'price'] }).setQuery('red'));
    const found = wordsIn('red');
    expect(results.nbHits).toBe(found.length);
    expect(data(results, 'brand')).toEqual(counted(found, ({ brand }) => brand));
    expect(data(results, 'tags')).toEqual(counted(found, ({ tags }) => tags));
    const prices = found.map(({ price }) => price);
    expect(results.getFacetStats('price')).toMatchObject({ min: Math.min(...prices), max: Math.max(...prices) });
  });

  test('the kinds of values of a facet are looked for once', async () => {
    await resultsOf(helperOf({ facets: ['rating'] }));
    calls.length = 0;
    await resultsOf(helperOf({ facets: ['rating', 'nobody'] }));
    await resultsOf(helperOf({ facets: ['rating'] }));
    // A field that nothing has may come to have values.
    expect(calls.map(({ queries }) => queries.length)).toEqual([3, 1, 1]);
  });

  test('a refinement of a disjunctive facet leaves the counts of its other values', async () => {
    const options = { disjunctiveFacets: ['brand'], facets: ['tags'] };
    for (const brand of new Set(PRODUCTS.flatMap((product) => product.brand ?? []))) {
      const helper = helperOf({ ...options, hitsPerPage: 1000 }).addDisjunctiveFacetRefinement('brand', escaped(brand));
      calls.length = 0;
      const results = await resultsOf(helper);
      expect(calls.filter(({ queries }) => queries.length > 1 && queries[0]?.indexName === 'products')).not.toEqual([]);
      const found = PRODUCTS.filter((product) => product.brand === brand);
      expect(ids(results).toSorted(), brand).toEqual(found.map(({ _id }) => _id).toSorted());
      expect(data(results, 'brand'), brand).toEqual(counted(PRODUCTS, (product) => product.brand));
      expect(data(results, 'tags'), brand).toEqual(counted(found, ({ tags }) => tags));
    }
  });

  test('conjunctive refinements all hold, and exclusions leave out', async () => {
    const helper = helperOf({ facets: ['tags', 'brand'], hitsPerPage: 1000 })
      .addFacetRefinement('tags', 'on sale')
      .addFacetRefinement('tags', 'NOT')
      .addFacetExclusion('brand', 'Acme')
      .addFacetExclusion('brand', escaped('-minus'));
    const found = PRODUCTS.filter(
      ({ tags = [], brand = '' }) =>
        tags.includes('on sale') && tags.includes('NOT') && !['Acme', '-minus'].includes(brand),
    );
    const results = await resultsOf(helper);
    expect(ids(results).toSorted()).toEqual(found.map(({ _id }) => _id).toSorted());
    expect(found.length).toBeGreaterThan(0);
  });

  test.each([
    ['>=', 20, ({ price }: Product) => price >= 20],
    ['<=', 20, ({ price }: Product) => price <= 20],
    ['>', 20, ({ price }: Product) => price > 20],
    ['<', 20, ({ price }: Product) => price < 20],
    ['=', 18.5, ({ price }: Product) => price === 18.5],
    ['!=', 18.5, ({ price }: Product) => price !== 18.5],
  ] as const)('numbers are compared by %s', async (operator, number, isFound) => {
    const helper = helperOf({ hitsPerPage: 1000, disjunctiveFacets: ['price'] });
    const results = await resultsOf(helper.addNumericRefinement('price', operator, number));
    const found = PRODUCTS.filter(isFound).map(({ _id }) => _id);
    expect(ids(results).toSorted()).toEqual(found.toSorted());
    expect([results.nbHits, found.length > 0]).toEqual([found.length, true]);
    // The ends of a range are those of all documents.
    expect(results.getFacetStats('price')).toMatchObject({ min: 0, max: 50 });
  });

  test('filters in words are those of facets and numbers', async () => {
    const filters = '(brand:"a:b (c) \\"d\\"" OR brand:"Zed & Sons") AND NOT tags:"a, b" AND price:10 TO 30';
    const results = await resultsOf(helperOf({ hitsPerPage: 1000, filters }));
    const found = PRODUCTS.filter(
      ({ brand = '', tags = [], price }) =>
        ['a:b (c) "d"', 'Zed & Sons'].includes(brand) && !tags.includes('a, b') && price >= 10 && price <= 30,
    );
    expect(ids(results).toSorted()).toEqual(found.map(({ _id }) => _id).toSorted());
    expect(found.length).toBeGreaterThan(0);
  });

  test.each([
    ['cheapest', 1],
    ['products:price:asc', 1],
    ['products:price:desc', -1],
    ['products:price:desc,rating:asc', -1],
  ] as const)('the hits of %s are in its order, words or not', async (index, sign) => {
    for (const query of ['', 'green']) {
      const results = await resultsOf(helperOf({ hitsPerPage: 7 }, index).setQuery(query).setPage(2));
      const found = sorted(query === '' ? PRODUCTS : wordsIn(query), sign);
      expect(results.hits.map(({ price }) => price)).toEqual(found.slice(14, 21).map(({ price }) => price));
      expect([results.index, results.nbHits]).toEqual([index, found.length]);
    }
  });

  test('the values of a facet are found by the beginnings of their words', async () => {
    const helper = helperOf({ disjunctiveFacets: ['brand'] }).setQuery('lamp');
    const found = wordsIn('lamp');
    const answer = await helper.searchForFacetValues('brand', 'SO', 5);
    const zed = found.filter(({ brand }) => brand === 'Zed & Sons').length;
    expect(answer.facetHits).toMatchObject([
      { value: 'Zed & Sons', highlighted: 'Zed & <em>So</em>ns', count: zed, isRefined: false },
    ]);
    const folded = await helper.searchForFacetValues('brand', 'ub', 5);
    expect(folded.facetHits).toMatchObject([{ value: 'Über', highlighted: '<em>Üb</em>er' }]);
    const most = await helper.searchForFacetValues('brand', '', 2);
    const counts = Object.entries(counted(found, ({ brand }) => brand)).sort(
      ([a, m], [b, n]) => n - m || (a < b ? -1 : 1),
    );
    expect(most.facetHits.map(({ value, count }) => [value, count])).toEqual(counts.slice(0, 2));
  });

  test('the values of one facet are asked for in the later form too', async () => {
    const params = 'query=lamp&facetFilters=%5B%22tags%3Anew%22%5D';
    const answer = await client.searchForFacetValues({
      ...{ indexName: 'products', facetName: 'brand' },
      searchForFacetValuesRequest: { facetQuery: 'zed', maxFacetHits: 1, params },
    });
    const found = wordsIn('lamp').filter(({ brand, tags }) => brand === 'Zed & Sons' && tags?.includes('new'));
    expect(answer.facetHits.map(({ count }) => count)).toEqual([found.length]);
  });

  test('a search by both meaning and words has facets, totals, highlights and orders too', async () => {
    const hybrid = instantSearchClient({
      url: shop.url,
      facets: { brand: 'string' },
      searchParameters: { searchMethod: 'HYBRID', filter: 'price:[10 TO *]' },
    });
    const helper = algoliasearchHelper(hybrid, 'products', { facets: ['brand'], hitsPerPage: 5 });
    const results = await resultsOf(helper.setQuery('lamp'));
    const lamps = wordsIn('lamp').filter(({ price }) => price >= 10);
    expect(results.nbHits).toBeGreaterThanOrEqual(lamps.length);
    expect(results.hits.every(({ price }) => price >= 10)).toBe(true);
    expect(results.hits.some(({ _highlightResult }) => _highlightResult.title.matchLevel === 'full')).toBe(true);
    const everything = await resultsOf(helper.setQuery(''));
    expect(everything.nbHits).toBe(PRODUCTS.filter(({ price }) => price >= 10).length);
    const cheapest = await resultsOf(helper.setIndex('products:price:asc'));
    expect(cheapest.hits[0].price).toBe(10);
  });
});

describe('a request', () => {
  const search = (params: object, indexName = 'products') => client.search([{ indexName, params }]);

  test('retrieves and marks the fields that it names', async () => {
    const { results } = await search({
      query: 'red',
      ...{ attributesToRetrieve: ['title'], attributesToHighlight: ['title'], attributesToSnippet: ['title:1'] },
      ...{ highlightPreTag: '__ais-highlight__', highlightPostTag: '__/ais-highlight__', hitsPerPage: 1 },
    });
    const [hit] = results[0]?.hits ?? [];
    const marked = '__ais-highlight__red__/ais-highlight__';
    expect(hit).toEqual({
      ...{ objectID: expect.any(String), _score: expect.any(Number), title: expect.stringMatching(/^red /) },
      _highlightResult: { title: expect.objectContaining({ value: expect.stringContaining(`${marked} `) }) },
      _snippetResult: { title: { value: `${marked}…`, matchLevel: 'full', matchedWords: ['red'] } },
    });
    const plain = await search({ query: 'red', attributesToHighlight: [], hitsPerPage: 1 });
    expect(plain.results[0]?.hits[0]).not.toHaveProperty('_highlightResult');
  });

  test('finds every character as it stands', async () => {
    const characters = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));
    const values = characters.flatMap((one) => [`a${one}b`, `${one}${one}`, `${one} TO ${one}`, `x ${one}`]);
    // Blanks at the ends of a value count, and so does nothing at all.
    values.push('', ' ', 'é', 'e\u0301x', '日本', '🎉', 'AND', 'NOT a', '[1 TO 5]', 'a:b', '*', '>5', '\\', '\\)');
    const documents = values.map((value, n) => ({ _id: `${n}`, value }));
    await shop.post('/indexes/marks', { model: 'random/small' });
    for (let at = 0; at < documents.length; at += 100) {
      await shop.post('/indexes/marks/documents', { documents: documents.slice(at, at + 100), tensorFields: [] });
    }
    const facetFilter = (value: string) => `value:${escaped(value)}`;
    const requests = values.flatMap((value) => [
      { indexName: 'marks', params: { facetFilters: [facetFilter(value)], hitsPerPage: 1000 } },
      { indexName: 'marks', params: { filters: `value:${JSON.stringify(value)}`, hitsPerPage: 1000 } },
    ]);
    const { results } = await client.search(requests);
    for (const [at, value] of values.entries()) {
      const same = (other: string) => other.toLowerCase() === value.toLowerCase();
      const found = documents.filter((document) => same(document.value)).map(({ _id }) => _id);
      for (const result of results.slice(2 * at, 2 * at + 2)) {
        expect(result.hits.map(({ objectID }) => objectID).toSorted(), value).toEqual(found.toSorted());
      }
    }
  });

  test('says what it answers, and the parameters that it was asked with', async () => {
    const { results } = await search({ query: 'red', offset: 3, length: 4, facets: ['*'], clickAnalytics: true });
    const [result] = results;
    expect(result).toMatchObject({
      ...{ index: 'products', query: 'red', offset: 3, length: 4, exhaustiveNbHits: true, facets: {} },
      params: 'query=red&offset=3&length=4&facets=%5B%22*%22%5D&clickAnalytics=true',
    });
    expect(result?.hits).toHaveLength(4);
  });

  test('beyond what one call takes is more calls', async () => {
    calls.length = 0;
    const requests = Array.from({ length: 120 }, (_, page) => ({
      indexName: 'products',
      params: { page, hitsPerPage: 2 },
    }));
    const { results } = await client.search(requests);
    expect(new Set(results.flatMap(({ hits }) => hits.map(({ objectID }) => objectID))).size).toBe(240);
    expect(calls.map(({ queries }) => queries.length)).toEqual([50, 50, 20]);
  });

  test('to an index that is not there fails with what the server says', async () => {
    const failure = await search({}, 'nobody').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SearchError);
    expect(failure).toMatchObject({ status: 404, code: 'index_not_found', message: 'Index nobody not found' });
  });

  test.each([
    [{ aroundLatLng: '1,2' }, 'aroundLatLng is not supported'],
    [{ tagFilters: ['a'] }, 'tagFilters is not supported'],
    [{ facetFilters: ['brand'] }, "a facet filter is 'facet:value'"],
  ])('with %j is refused before it is sent', async (params, message) => {
    calls.length = 0;
    await expect(search(params)).rejects.toThrow(message);
    expect(calls).toEqual([]);
  });

  test('sends the key, and tells a refusal of it', async () => {
    const seen: (string | null)[] = [];
    const keyed = instantSearchClient({
      ...{ url: shop.url, apiKey: 'a key', headers: { 'x-more': '1' } },
      fetch: async (_, init) => {
        const headers = new Headers(init?.headers);
        seen.push(headers.get('x-api-key'), headers.get('x-more'));
        return new Response('<h1>Bad gateway</h1>', { status: 502 });
      },
    });
    await expect(keyed.search([{ indexName: 'products' }])).rejects.toMatchObject({
      ...{ name: 'SearchError', status: 502, code: '', message: 'the search service answered 502' },
    });
    expect(seen).toEqual(['a key', '1']);
  });

  test('follows no redirect with its key, and takes no page for an answer', async () => {
    const reached: string[] = [];
    const server = createServer((incoming, response) => {
      reached.push(incoming.url ?? '');
      if (incoming.url === '/away/multi-search') response.writeHead(307, { location: '/taken' }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const requests = [{ indexName: 'products' }];
    try {
      const away = instantSearchClient({ url: `${url}/away`, apiKey: 'a key' });
      await expect(away.search(requests)).rejects.toThrow(TypeError);
      const page = instantSearchClient({ url: `${url}/page`, apiKey: 'a key' });
      await expect(page.search(requests)).rejects.toMatchObject({
        ...{ name: 'SearchError', status: 200, message: 'something else than the search service answered' },
      });
      expect(reached).toEqual(['/away/multi-search', '/page/multi-search']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('fails when its time is over and nobody answered', async () => {
    const silent = createServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    try {
      const hurried = instantSearchClient({ url, timeoutMs: 20 });
      await expect(hurried.search([{ indexName: 'products' }])).rejects.toMatchObject({ name: 'TimeoutError' });
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  test('with a facet called as a member of objects has its counts', async () => {
    const { results } = await search({ facets: ['__proto__', 'constructor'] });
    expect(Object.entries(results[0]?.facets ?? {})).toEqual([
      ['__proto__', {}],
      ['constructor', {}],
    ]);
  });
});
