import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { error, holding, inBody } from './errors.js';
import { create, field, own, structured } from './indexes.js';
import { S, U } from './kinds.js';

const vector = (...numbers: number[]) => ({ vector: numbers, content: '' });

const documents = [
  { _id: 'a', sku: 'one', title: 'red', price: 10, v: vector(1, 0) },
  { _id: 'b', sku: 'one', title: 'red red', price: 30, brand: 'Acme' },
  { _id: 'c', sku: 'two', title: 'red coat coat', price: 20, v: vector(0.6, 0.8) },
  { _id: 'd', sku: 'two', title: 'green', price: 20, brand: 'Acme' },
  { _id: 'e', sku: 'Two', title: 'red hat in a row of words', v: vector(0, 1) },
  { _id: 'f', sku: 'Two', title: 'green', price: 5, brand: 'Zed' },
];

const words = { retrievalMethod: 'lexical', rankingMethod: 'lexical' };
const sku = { name: 'sku' };
const by = (fieldName: string, rest: object = {}) => ({ ...sku, sortBy: { fields: [{ fieldName }], ...rest } });

const searching = (index: string, body: object) => ({
  request: `POST /indexes/${index}/search`,
  body: {
    searchMethod: 'HYBRID',
    q: 'red',
    hybridParameters: words,
    collapseFields: [sku],
    attributesToRetrieve: [],
    ...body,
  },
});

interface ExpectedHit {
  readonly _id: string;
  readonly _originalId?: string;
}

const hit = ({ _id, _originalId }: ExpectedHit) => ({
  _id,
  _score: expect.any(Number),
  _highlights: _originalId === undefined ? expect.any(Array) : [{}],
  ...(_originalId === undefined ? {} : { _originalId }),
});

const shows = (body: object, hits: readonly ExpectedHit[], rest: object = {}): Exchange => ({
  ...searching(U, body),
  status: 200,
  answer: expect.objectContaining({ hits: hits.map(hit), ...rest }),
});

/** Hits with the number of documents that each stands for. */
const counts = (body: object, hits: Readonly<Record<string, number>>, rest: object = {}): Exchange => ({
  ...searching(U, { collapseFields: [{ ...sku, groupCount: true }], ...body }),
  status: 200,
  answer: expect.objectContaining({
    hits: Object.entries(hits).map(([_id, _groupCount]) => expect.objectContaining({ _id, _groupCount })),
    ...rest,
  }),
});

const onCluster = error(400, 'invalid_argument', holding('groupLimit'));

/** Hits with the further documents of their groups. */
const groups = (body: object, hits: Readonly<Record<string, string>>, rest: object = {}): Exchange => ({
  ...searching(U, { collapseFields: [{ ...sku, groupLimit: 3 }], ...body }),
  status: 200,
  answer: expect.objectContaining({
    hits: Object.entries(hits).map(([_id, others]) =>
      expect.objectContaining({ _id, _groupHits: [...others].map((other) => hit({ _id: other })) }),
    ),
    ...rest,
  }),
  onCluster,
});

const refusedShape = (body: object, msg: string, loc: unknown = expect.anything()): Exchange => ({
  ...searching(U, body),
  status: 422,
  answer: expect.objectContaining({ detail: [expect.objectContaining({ loc, msg: expect.stringContaining(msg) })] }),
});

const refused = (index: string, body: object, message: string, code: string): Exchange => ({
  ...searching(index, body),
  status: 400,
  answer: { message, code, type: 'invalid_request', link: null },
});

const b = { _id: 'b' };
const c = { _id: 'c' };
const e = { _id: 'e' };

const cases: Case[] = [
  {
    section: 'search 8.6',
    about: 'the best hit stands for its group, and groups by their exact text',
    exchanges: [shows({}, [b, c, e], { totalHits: 3 })],
  },
  {
    section: 'search 8.6',
    about: 'a hit tells for how many documents that were found it stands, where that is asked for',
    exchanges: [
      counts({}, { b: 2, c: 1, e: 1 }),
      counts({ limit: 1, offset: 1 }, { c: 1 }),
      counts({ q: '*' }, { a: 2, c: 2, e: 2 }),
      counts({ filter: 'NOT _id:a' }, { b: 1, c: 1, e: 1 }),
      counts(
        { q: { customVector: { vector: [1, 0], content: 'coat' } }, hybridParameters: {} },
        { c: 1, a: 1, e: 1 },
        { totalHits: 3 },
      ),
      counts({ pinned: [{ _id: 'd', position: 1 }] }, { d: 2, b: 2, e: 1 }, { totalHits: 3 }),
      shows({ collapseFields: [{ ...sku, groupCount: false }] }, [b, c, e]),
    ],
  },
  {
    section: 'search 16',
    about: 'the depth of a sort and a cut-off count no hit of a group that a pinned document stands for',
    exchanges: [
      shows(
        {
          pinned: [{ _id: 'a', position: 3 }],
          sortBy: { fields: [{ fieldName: 'price', order: 'asc' }], minSortCandidates: 1 },
          ...{ limit: 1, attributesToRetrieve: [] },
        },
        [c],
        { _sortCandidates: 1 },
      ),
      shows(
        {
          pinned: [{ _id: 'a', position: 1 }],
          relevanceCutoff: { method: 'relative_max_score', parameters: { relativeScoreFactor: 1 } },
          limit: 2,
          offset: 1,
        },
        [c],
        { _probeCandidates: 2, _relevantCandidates: 1, _postProcessCandidates: 2 },
      ),
    ],
  },
  {
    section: 'search 8.6',
    about: 'a hit shows the best others of its group, where more than one is asked for',
    exchanges: [
      groups({}, { b: 'a', c: '', e: '' }, { totalHits: 3 }),
      groups({ q: '*' }, { a: 'b', c: 'd', e: 'f' }),
      groups({ q: '*', limit: 1, offset: 2 }, { e: 'f' }),
      groups({ q: '*', filter: 'NOT _id:b', hidden: ['d'] }, { a: '', c: '', e: 'f' }),
      groups(
        { q: { customVector: { vector: [1, 0], content: 'red' } }, hybridParameters: {} },
        { c: '', e: '', a: 'b' },
        { totalHits: 3 },
      ),
      groups({ q: '*', pinned: [{ _id: 'd', position: 1 }] }, { d: 'c', a: 'b', e: 'f' }),
      groups({ q: '*', sortBy: { fields: [{ fieldName: 'price', order: 'desc' }] } }, { c: 'd', a: 'b', e: 'f' }),
      // The hit in whose place another one is shown is one of the others.
      groups(
        { q: 'hat', collapseFields: [{ ...by('price', { alwaysFetchVariants: true }), groupLimit: 2 }] },
        { f: 'e' },
      ),
      {
        ...groups({ limit: 1, attributesToRetrieve: ['title'], showHighlights: false }, {}),
        answer: expect.objectContaining({
          hits: [
            {
              ...{ _id: 'b', title: 'red red', _score: expect.any(Number) },
              _groupHits: [{ _id: 'a', title: 'red', _score: expect.any(Number) }],
            },
          ],
        }),
      },
      {
        ...groups({ limit: 1, explain: true }, {}),
        answer: expect.objectContaining({
          hits: [
            expect.objectContaining({
              _id: 'b',
              _groupHits: [
                expect.objectContaining({ _id: 'a', _explanation: expect.objectContaining({ operation: 'sum' }) }),
              ],
            }),
          ],
        }),
      },
      shows({ collapseFields: [{ ...sku, groupLimit: 1 }] }, [b, c, e]),
      shows({ collapseFields: [{ ...sku, groupLimit: null }] }, [b, c, e]),
    ],
  },
  {
    section: 'search 8.6',
    about: 'a group shows one to ten documents, on a page that is ranked by itself',
    exchanges: [
      refusedShape({ collapseFields: [{ ...sku, groupLimit: 0 }] }, 'greater than or equal to 1'),
      refusedShape({ collapseFields: [{ ...sku, groupLimit: 11 }] }, 'less than or equal to 10'),
      refusedShape({ collapseFields: [{ ...sku, groupLimit: 2 }], limit: 101 }, "'limit' must be at most 100"),
      refusedShape(
        { collapseFields: [{ ...sku, groupLimit: 2 }], rerank: { model: 'm', fields: ['title'] } },
        "'rerank' cannot be used with a 'groupLimit' above 1",
      ),
      refused(
        U,
        { collapseFields: [{ ...sku, groupLimit: 2 }], withCursor: true },
        'groupLimit cannot be above 1 with withCursor: only a page that is ranked by itself shows more of its groups',
        'invalid_argument',
      ),
    ],
  },
  {
    section: 'search 8.6',
    about: 'limit and offset count groups',
    exchanges: [
      shows({ limit: 1 }, [b], { totalHits: 3 }),
      shows({ limit: 1, offset: 1 }, [c], { totalHits: 3 }),
      shows({ limit: 5, offset: 2 }, [e], { totalHits: 3 }),
    ],
  },
  {
    section: 'search 8.6',
    about: "the tensor leg's hit of a group counts where it does not count for less",
    exchanges: [
      shows(
        { q: { customVector: { vector: [1, 0], content: 'red' } }, hybridParameters: {} },
        [{ _id: 'c' }, { _id: 'e' }, { _id: 'a' }],
        { totalHits: 3 },
      ),
      shows({ q: { customVector: { vector: [1, 0], content: 'red' } }, hybridParameters: { alpha: 0.1 } }, [
        { _id: 'c' },
        { _id: 'e' },
        { _id: 'b' },
      ]),
    ],
  },
  {
    section: 'search 8.6',
    about: 'the collapse field comes with a hit only where it is asked for',
    exchanges: [
      shows({ limit: 1 }, [b]),
      {
        ...searching(U, { limit: 1, attributesToRetrieve: ['sku'] }),
        status: 200,
        answer: expect.objectContaining({ hits: [{ ...hit(b), sku: 'one' }] }),
      },
    ],
  },
  {
    section: 'search 8.6',
    about: 'a better document of the group is shown in place of a hit, which keeps its place and score',
    exchanges: [
      shows({ collapseFields: [by('price')] }, [b, c, e]),
      {
        ...searching(U, {
          limit: 1,
          collapseFields: [{ ...sku, sortBy: { fields: [{ fieldName: 'price', order: 'asc' }] } }],
          attributesToRetrieve: null,
        }),
        status: 200,
        answer: expect.objectContaining({
          hits: [
            {
              ...{ _id: 'a', sku: 'one', title: 'red', price: 10, v: '' },
              ...{ _originalId: 'b', _score: expect.any(Number), _highlights: [{}] },
            },
          ],
        }),
      },
    ],
  },
  {
    section: 'search 8.6',
    about: 'a document that does not match the words may be shown, one that does not pass the filter not',
    exchanges: [
      shows({ collapseFields: [by('price')], filter: 'NOT brand:acme', q: 'red' }, [{ _id: 'a' }, c, e]),
      shows({ collapseFields: [by('price', { alwaysFetchVariants: true })] }, [b, c, { _id: 'f', _originalId: 'e' }], {
        totalHits: 3,
      }),
    ],
  },
  {
    section: 'search 8.6',
    about: 'a hit without a number keeps its place unless variants are always fetched',
    exchanges: [
      shows({ q: 'hat', collapseFields: [by('price')] }, [e]),
      shows({ q: 'hat', collapseFields: [by('price', { alwaysFetchVariants: true })] }, [
        { _id: 'f', _originalId: 'e' },
      ]),
    ],
  },
  {
    section: 'search 8.6',
    about: 'an equal number is not better',
    exchanges: [shows({ q: 'coat', collapseFields: [by('price')] }, [c])],
  },
  {
    section: 'search 8.6',
    about: 'a sort of groups may give way to what the page is sorted by',
    exchanges: [[['price'], [c, b, e]] as const, [['stock'], [c, b, { _id: 'f', _originalId: 'e' }]] as const].map(
      ([disableIfMainSortByFields, found]) =>
        shows(
          {
            sortBy: { fields: [{ fieldName: 'price', order: 'asc' }] },
            collapseFields: [by('price', { alwaysFetchVariants: true, disableIfMainSortByFields })],
          },
          found,
        ),
    ),
  },
  {
    section: 'search 8.6',
    about: 'the older names of members',
    exchanges: [
      shows(
        {
          q: 'hat',
          collapseFields: [{ ...sku, sort_by: { fields: [{ field_name: 'price' }], always_fetch_variants: true } }],
        },
        [{ _id: 'f', _originalId: 'e' }],
      ),
    ],
  },
  {
    section: 'search 8.3',
    about: 'facets count groups',
    exchanges: [
      shows(
        { q: '*', facets: { fields: { brand: { type: 'string' }, price: { type: 'number' } } } },
        [{ _id: 'a' }, c, e],
        { facets: { brand: { Acme: { count: 2 }, Zed: { count: 1 } }, price: { count: 3 } }, totalHits: 3 },
      ),
    ],
  },
  {
    section: '4.4',
    about: 'filters compare the collapse field exactly',
    exchanges: [shows({ filter: 'sku:two' }, [c]), shows({ filter: 'sku:TWO' }, [], { totalHits: 0 })],
  },
  {
    section: 'search 1.3',
    about: 'a field that is not the collapse field of the index',
    exchanges: [
      refused(
        U,
        { collapseFields: [{ name: 'title' }] },
        "Field 'title' is not configured as a collapse field for this index",
        'invalid_argument',
      ),
    ],
  },
  {
    section: 'search 1.3',
    about: 'a structured index has no groups',
    exchanges: [
      refused(
        S,
        {},
        "The 'collapseFields' search parameter is only supported for unstructured indexes created with Marqo version 2.23.0 or later. This index is structured.",
        'bad_request',
      ),
    ],
  },
  {
    section: 'search 1.3',
    about: 'groups by another method, or none, or two',
    exchanges: [
      refusedShape(
        { searchMethod: 'LEXICAL', hybridParameters: null },
        "collapseFields can only be provided for 'HYBRID' search. Search method is LEXICAL.",
      ),
      refusedShape({ collapseFields: [] }, 'Exactly one collapse field must be provided'),
      refusedShape({ collapseFields: [sku, sku] }, 'Exactly one collapse field must be provided'),
    ],
  },
  {
    section: 'search 8.6',
    about: 'a sort of groups by none or two fields, or by no thread',
    exchanges: [
      refusedShape({ collapseFields: [{ ...sku, sortBy: { fields: [] } }] }, 'at least 1 items'),
      refusedShape(
        { collapseFields: [{ ...sku, sortBy: { fields: [{ fieldName: 'a' }, { fieldName: 'b' }] } }] },
        'at most 1 items',
      ),
      refusedShape({ collapseFields: [by('price', { numThreadsPerSearch: 0 })] }, 'greater than or equal to 1'),
      refusedShape(
        { collapseFields: [{ ...sku, sort_by: { fields: [{ field_name: 'price' }], num_threads_per_search: 0 } }] },
        'greater than or equal to 1',
        inBody('collapseFields', 0, 'sort_by', 'num_threads_per_search'),
      ),
    ],
  },
  {
    section: 'search 8.6',
    about: 'a sort of groups in two spellings, or by a name that no field has',
    exchanges: [
      refusedShape(
        { collapseFields: [{ ...by('price'), sort_by: { fields: [{ field_name: 'stock' }] } }] },
        'extra fields not permitted',
        inBody('collapseFields', 0, 'sort_by'),
      ),
      refusedShape(
        { collapseFields: [{ ...sku, sort_by: { fields: [{ field_name: '__chunks' }] } }] },
        'It is reserved',
        inBody('collapseFields', 0, 'sort_by', 'fields', 0, 'field_name'),
      ),
    ],
  },
];

export const collapsing: Part = {
  title: 'groups of hits',
  preparation: [
    create(U, own(2, { collapseFields: [sku] })),
    add(U, documents, { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } }),
    create(S, structured([field('title', 'text', 'lexical_search')])),
  ],
  cases,
};
