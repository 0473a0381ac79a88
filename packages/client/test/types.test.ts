import * as everything from '@pelorus/client';
import { type Index, Pelorus, type PelorusError, type SearchResult } from '@pelorus/client';
import * as searches from '@pelorus/client/search';
import { expect, expectTypeOf, test } from 'vitest';

interface Film {
  readonly title: string;
  readonly year?: number;
}

const pelorus = new Pelorus({ url: 'http://127.0.0.1:8882' });
const films = pelorus.index<Film>('films');

/** Calls that are compiled and never made. */
const compiled = {
  async typed() {
    const { hits, totalHits, facets } = await films.search('x');
    expectTypeOf(hits[0]?.title).toEqualTypeOf<string | undefined>();
    expectTypeOf(hits[0]?._score).toEqualTypeOf<number | undefined>();
    expectTypeOf(hits[0]?._highlights?.[0]).toExtend<object | undefined>();
    expectTypeOf(totalHits).toEqualTypeOf<number | undefined>();
    expectTypeOf(facets?.year?.count).toEqualTypeOf<unknown>();
    expectTypeOf(await films.getMany(['1'])).toExtend<readonly (Film | null)[]>();
    for await (const { _id, year } of films.scan()) expectTypeOf([_id, year]).toExtend<[string, number?] | unknown[]>();
    for (const result of await pelorus.multiSearch<Film>([{ indexName: 'films', q: 'x' }])) {
      expectTypeOf(result).toEqualTypeOf<SearchResult<Film> | PelorusError>();
    }
    await films.add([{ _id: '1', title: 'Orbit' }, { title: 'Bread and Salt' }], { tensorFields: ['title'] });
    await films.update([{ _id: '1', year: null }]);
    expectTypeOf((await pelorus.index('any').get('1')).anything).toEqualTypeOf<unknown>();
    expectTypeOf(films).toExtend<Pick<Index, 'name' | 'stats' | 'settings'>>();
  },
  async refused() {
    // @ts-expect-error no field of a film
    (await films.search('x')).hits[0]?.titel;
    // @ts-expect-error no method of searching
    await films.search({ q: 'x', searchMethod: 'GUESS' });
    // @ts-expect-error a cursor belongs to `pages`
    await films.search({ cursor: 'x' });
    // @ts-expect-error a film has a title
    await films.add([{ _id: '1' }]);
    // @ts-expect-error years are numbers
    await films.update([{ _id: '1', year: 'x' }]);
    // @ts-expect-error changes are of some document
    await films.update([{ year: 1999 }]);
    // @ts-expect-error no query without its index
    await pelorus.multiSearch([{ q: 'x' }]);
  },
};

test('types are those of the documents, and refuse what an index would', () => {
  expect(Object.keys(compiled)).toEqual(['typed', 'refused']);
});

test('the entries export the surface alone', () => {
  const errors = [
    ...[
      'AuthenticationError',
      'ConflictError',
      'ConnectionError',
      'InvalidRequestError',
      'NotFoundError',
      'PelorusError',
    ],
    ...['PermissionError', 'RateLimitError', 'ServerError', 'TimeoutError', 'UnexpectedAnswerError'],
    'UnsupportedOperationError',
  ];
  expect(Object.keys(searches).sort()).toEqual([...errors, 'PelorusSearch', 'SearchIndex'].sort());
  expect(Object.keys(everything).sort()).toEqual([...Object.keys(searches), 'Index', 'Pelorus'].sort());
});
