import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody, problems, unprocessable } from './errors.js';
import { create, field, own, structured } from './indexes.js';
import { S, U } from './kinds.js';

const v = (...vector: number[]) => ({ vector, content: '' });

/** In the order of their dates, which `none` and `list` lack. */
const documents = [
  { _id: 'zero', text: 'storm', d: '0000-01', v: v(1, 0) },
  { _id: 'before', text: 'storm', d: '1969-12-31T23:59:59.999999999', v: v(1, 0) },
  { _id: 'epoch', text: 'storm', d: 0, v: v(0.8, 0.6) },
  { _id: 'year', text: 'storm', d: '2024', sku: 'one' },
  { _id: 'leap', text: 'storm', d: '2024-02-29', sku: 'one', v: v(0, 1) },
  { _id: 'offset', text: 'storm storm', d: '2024-02-29 12:30+02:00', sku: 'one', v: v(0, 1) },
  { _id: 'seconds', text: 'storm', d: 1_709_202_600.5, sku: 'two' },
  { _id: 'thousandths', text: 'storm', d: 1_709_202_601_000 },
  { _id: 'fraction', text: 'storm', d: '2024-02-29T10:30:01.000000001Z', sku: 'two' },
  { _id: 'last', text: 'storm', d: '9999-12-31T23:59:59Z' },
  { _id: 'list', text: 'storm', d: ['2024'] },
  { _id: 'none', text: 'storm', d: '2023-02-29' },
];
const ids = documents.map(({ _id }) => _id);
const dated = ids.slice(0, -2);

const search = (body: object): Pick<Exchange, 'request' | 'body'> => ({
  request: `POST /indexes/${U}/search`,
  body: { q: 'storm', searchMethod: 'LEXICAL', limit: 20, attributesToRetrieve: [], ...body },
});
const finds = (body: object, expected: readonly string[], besides: object = {}): Exchange => ({
  ...search(body),
  status: 200,
  answer: expect.objectContaining({ hits: expected.map((_id) => expect.objectContaining({ _id })), ...besides }),
});

const by = (rest: object = {}, besides: object = {}) => ({
  sortBy: { fields: [{ fieldName: 'd', type: 'date', ...rest }, { fieldName: 'd' }], ...besides },
});
const words = { searchMethod: 'HYBRID', hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' } };
const vector = { q: { customVector: { vector: [1, 0], content: 'storm' } } };
/** Without those that no key tells apart. */
const filtered = { filter: 'NOT _id:list' };
const none = ['none'];

const sorting: Case[] = [
  {
    section: 'search 8.12',
    about: 'texts and numbers that are dates are sorted by their instants, the others are missing',
    exchanges: [
      finds({ ...by({ order: 'asc' }), ...filtered }, [...dated, ...none]),
      finds({ ...by({}), ...filtered }, [...dated.toReversed(), ...none]),
      finds({ ...by({ missing: 'first' }), ...filtered }, [...none, ...dated.toReversed()]),
      finds({ ...by({ order: 'asc', missing: 'first' }), ...filtered }, [...none, ...dated]),
      finds({ ...by({ order: 'asc' }), limit: 3, offset: 3 }, dated.slice(3, 6)),
    ],
  },
  {
    section: 'search 8.12',
    about: 'the type number is what a field has without one, and texts are missing then',
    exchanges: [
      finds({ ...by({ type: 'number', order: 'asc' }), ...filtered, limit: 3 }, ['epoch', 'seconds', 'thousandths']),
      finds({ ...by({ type: null, order: 'asc' }), ...filtered, limit: 3 }, ['epoch', 'seconds', 'thousandths']),
    ],
  },
  {
    section: 'search 8.12',
    about: 'a pool, a depth, and searches by vectors and by both',
    exchanges: [
      finds({ ...by({ order: 'asc' }, { minSortCandidates: 20 }), ...filtered }, [...dated, ...none]),
      finds({ ...by({ order: 'asc' }, { sortDepth: 1 }), limit: 1 }, ['offset']),
      finds({ ...words, ...by({ order: 'asc' }), ...filtered }, [...dated, ...none]),
      finds({ ...vector, searchMethod: 'TENSOR', ...by({}) }, ['offset', 'leap', 'epoch', 'before', 'zero']),
      finds({ ...vector, searchMethod: 'HYBRID', ...by({ order: 'asc' }), ...filtered }, [...dated, ...none]),
    ],
  },
  {
    section: 'search 8.12',
    about: 'an explanation tells the date that a document was sorted by',
    exchanges: [
      finds({ ...by({ order: 'asc' }), explain: true, limit: 1, filter: '_id:fraction' }, ['fraction'], {
        hits: [
          expect.objectContaining({
            _explanation: expect.toSatisfy(
              (told: object) => JSON.stringify(told).includes('sorted by, ascending, a date in Unix seconds'),
              'it tells the date',
            ),
          }),
        ],
      }),
    ],
  },
  {
    section: 'search 8.12',
    about: 'the document of a group with the best date is shown in place of its hit',
    exchanges: [
      finds(
        {
          ...words,
          collapseFields: [{ name: 'sku', sortBy: { fields: [{ fieldName: 'd', type: 'date', order: 'asc' }] } }],
          filter: 'sku:one OR sku:two',
        },
        ['year', 'seconds'],
      ),
      finds(
        {
          ...words,
          collapseFields: [{ name: 'sku', sortBy: { fields: [{ fieldName: 'd', type: 'date' }] } }],
          filter: 'sku:one OR sku:two',
        },
        ['offset', 'fraction'],
      ),
    ],
  },
  {
    section: 'search 8.12',
    about: 'pages of a cursor go on in the order of dates',
    exchanges: [
      finds({ ...by({ order: 'asc' }), ...filtered, limit: 6, withCursor: true }, dated.slice(0, 6), {
        cursor: expect.any(String),
      }),
      {
        request: `POST /indexes/${U}/search`,
        body: (cursor: string) => ({ cursor }),
        status: 200,
        answer: expect.objectContaining({
          hits: [...dated.slice(6), ...none].map((_id) => expect.objectContaining({ _id })),
        }),
      },
    ],
  },
  {
    section: 'search 8.12',
    about: 'several searches of one call',
    exchanges: [
      {
        request: 'POST /multi-search',
        body: {
          queries: ['asc', 'desc'].map((order) => ({
            indexName: U,
            q: 'storm',
            searchMethod: 'LEXICAL',
            limit: 1,
            ...by({ order }),
          })),
        },
        status: 200,
        answer: expect.objectContaining({
          results: ['zero', 'last'].map((_id) => ({
            indexName: U,
            status: 200,
            response: expect.objectContaining({ hits: [expect.objectContaining({ _id })] }),
          })),
        }),
      },
    ],
  },
  {
    section: 'search 8.12',
    about: 'another type, and a place beside dates',
    exchanges: [
      { ...search(by({ type: 'text' })), status: 422 },
      {
        ...search(by({ from: { lat: 1, lon: 2 } })),
        ...unprocessable(
          problems.rule(inBody('sortBy', 'fields', 0, 'type'), "'from' cannot be used with the type 'date'"),
        ),
      },
    ],
  },
];

const facet = (config: object, counts: object, rest: object = {}): Exchange => ({
  ...search({ ...words, facets: { fields: { d: { type: 'date', ...config } } }, ...rest }),
  status: 200,
  answer: expect.objectContaining({ facets: { d: counts } }),
});
const count = (of: number) => ({ count: of });
const ofMonth = { filter: 'd:[2024-02 TO 2024-02]' };

const counting: Case[] = [
  {
    section: 'search 8.13',
    about: 'dates are counted by parts of the calendar, named by their starts',
    exchanges: [
      facet({ interval: 'year' }, { '0000': count(1), 1969: count(1), 1970: count(1), 2024: count(6), 9999: count(1) }),
      facet({ interval: 'quarter' }, { '2024-01': count(5) }, ofMonth),
      facet({ interval: 'month' }, { '2024-02': count(5) }, ofMonth),
      facet({ interval: 'week' }, { '2024-02-26': count(5) }, ofMonth),
      facet({ interval: 'day' }, { '2024-02-29': count(5) }, ofMonth),
      facet({ interval: 'hour' }, { '2024-02-29T00:00Z': count(1), '2024-02-29T10:00Z': count(4) }, ofMonth),
    ],
  },
  {
    section: 'search 8.13',
    about: 'dates are counted by ranges, whose limits are first moments',
    exchanges: [
      facet(
        {
          ranges: [
            { from: '2024-02-29T10:30:01', name: 'late' },
            { from: '2024', to: '2024-02-29' },
            { from: '2024-02-29', to: '2024-02-29T10:30:01' },
            { to: '1970' },
          ],
        },
        {
          '-Inf:1970': count(2),
          '2024:2024-02-29': count(1),
          '2024-02-29:2024-02-29T10:30:01': count(3),
          late: count(3),
        },
      ),
      facet({ ranges: [{ to: '1900', name: 'none' }] }, {}, { filter: 'sku:one' }),
    ],
  },
  {
    section: 'search 8.13',
    about: 'without parts the first and the last date are told, and how many there are',
    exchanges: [
      facet({}, { min: '0000-01-01T00:00:00Z', max: '9999-12-31T23:59:59Z', count: 10 }),
      facet(
        {},
        { min: '2024-02-29T10:30:00.5Z', max: '2024-02-29T10:30:01.000000001Z', count: 2 },
        { filter: 'sku:two' },
      ),
      facet({}, { count: 0 }, { filter: '_id:none OR _id:list' }),
    ],
  },
  {
    section: 'search 8.13',
    about: 'groups are counted where hits are grouped',
    exchanges: [
      facet(
        { interval: 'month' },
        { '2024-01': count(1), '2024-02': count(2) },
        {
          collapseFields: [{ name: 'sku' }],
          filter: 'sku:one OR sku:two',
        },
      ),
      facet({}, { count: 2 }, { collapseFields: [{ name: 'sku' }], filter: 'sku:one OR sku:two' }),
    ],
  },
  {
    section: 'search 8.13',
    about: 'terms of the filter that do not count',
    exchanges: [
      facet(
        { interval: 'year', excludeTerms: ['sku:two'] },
        { 2024: count(5) },
        { filter: 'sku:two AND d:[2024-02 TO 2024-02-29]' },
      ),
    ],
  },
  {
    section: 'search 8.13',
    about: 'a structured index counts dates of fields that filters read',
    exchanges: [
      {
        request: `POST /indexes/${S}/search`,
        body: {
          q: 'storm',
          searchMethod: 'LEXICAL',
          facets: { fields: { d: { type: 'date', interval: 'month' }, t: { type: 'date' } } },
        },
        status: 200,
        answer: expect.objectContaining({
          facets: {
            d: { '2024-02': count(2), '2024-03': count(1) },
            t: { min: '1970-01-01T00:00:01.5Z', max: '1970-01-01T00:00:02Z', count: 2 },
          },
        }),
      },
    ],
  },
  {
    section: 'search 8.13',
    about: 'facets of dates that are none',
    exchanges: [
      {
        ...facet({ interval: 'day', ranges: [{ to: '2024' }] }, {}),
        ...unprocessable(
          problems.rule(inBody('facets', 'fields', 'd', 'interval'), "'interval' cannot be used with 'ranges'"),
        ),
      },
      {
        ...facet({ ranges: [{ to: '2023-02-29' }] }, {}),
        ...unprocessable(
          problems.rule(
            inBody('facets', 'fields', 'd', 'ranges', 0, 'to'),
            "'to' must be a date such as 2024-02-29, received '2023-02-29'",
          ),
        ),
      },
      { ...facet({ interval: 'decade' }, {}), status: 422, answer: expect.anything() },
    ],
  },
];

/** The recency of each document at the moment of `offset`, halved by a day. */
const recencies: Readonly<Record<string, number>> = {
  zero: 0.5,
  before: 0.5,
  epoch: 0.5,
  year: 0.5,
  leap: 0.5 ** (10.5 / 24),
  offset: 1,
  seconds: 1,
  thousandths: 1,
  fraction: 1,
  last: 1,
  list: 0.5,
  none: 0.5,
};

const recent: Case[] = [
  {
    section: 'search 8.5',
    about: 'texts that are dates are times, others are none, and numbers are seconds',
    exchanges: (['all', 'only-global', 'exclude-global'] as const).map((applyInRankingPhase) => ({
      ...search({
        ...words,
        recencyParameters: { recencyField: 'd', center: 1_709_202_600, scale: '1d', applyInRankingPhase },
        explain: true,
        attributesToRetrieve: null,
      }),
      status: 200,
      answer: expect.objectContaining({
        hits: expect.toSatisfy(
          (hits: readonly { readonly _id: string; readonly _recency_score: number }[]) =>
            hits.length === documents.length &&
            hits.every(({ _id, _recency_score }) => Math.abs(_recency_score - (recencies[_id] ?? 0)) < 1e-9),
          'the recency of each',
        ),
      }),
    })),
  },
];

export const dates: Part = {
  title: 'dates',
  preparation: [
    create(U, own(2, { collapseFields: [{ name: 'sku' }] })),
    create(
      S,
      structured([
        field('text', 'text', 'lexical_search'),
        field('d', 'text', 'filter'),
        field('t', 'double', 'score_modifier'),
      ]),
    ),
    add(S, [
      { _id: 'a', text: 'storm', d: '2024-02', t: 2 },
      { _id: 'b', text: 'storm', d: '2024-02-29T23:59Z', t: 1.5 },
      { _id: 'c', text: 'storm', d: '2024-02-29T23:59-01:00' },
      { _id: 'd', text: 'storm', d: 'soon' },
    ]),
    add(
      U,
      documents.map((document) => ({ sku: document._id, ...document })),
      { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } },
    ),
  ],
  cases: [...sorting, ...counting, ...recent],
};
