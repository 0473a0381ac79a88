import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { caseNotOnCluster, notOnCluster } from './cluster.js';
import { add } from './documents.js';
import { error, holding, invalidArgument } from './errors.js';
import { create, field, own, small } from './indexes.js';
import { inBothKinds, type Kind, S, U } from './kinds.js';
import { add_, day, legs, now } from './ranked.js';

const vector = { customVector: { vector: [1, 0], content: 'dogs' } };
/** As long as the vectors of the model of `mixed` are. */
const wide = [1, ...Array<number>(31).fill(0)];
const v = (...numbers: number[]) => ({ vector: numbers, content: '' });
const search = (index: string, body: object, answer: unknown, query = ''): Exchange => ({
  request: `POST /indexes/${index}/search${query}`,
  body: { q: vector, ...body },
  status: 200,
  answer,
});
const holds = (answer: object) => expect.objectContaining(answer);
/** The answer that has just these hits, in this order, with at least these members. */
const hits = (...expected: readonly object[]) => holds({ hits: expected.map(holds) });
const refuses = (index: string, body: object, expected: object): Exchange =>
  ({ request: `POST /indexes/${index}/search`, body: { q: vector, ...body }, ...expected }) as Exchange;
const hybrid = (rest: object = {}) => ({ searchMethod: 'HYBRID', ...rest });
const context = (...vectors: readonly number[][]) => ({
  q: null,
  context: { tensor: vectors.map((each) => ({ vector: each, weight: 1 })) },
});
const close = (score: number) => expect.closeTo(score, 5);

const pointers: Case[] = [
  {
    section: 'search 2.2',
    about: 'bytes of a picture are left out of the query that is told',
    exchanges: [
      search(
        'mixed',
        { q: 'data:image/png;base64,AAAA', searchMethod: 'LEXICAL' },
        holds({ query: 'data:image/[omitted]' }),
      ),
      search(
        'mixed',
        hybrid({ q: { customVector: { vector: wide, content: 'data:image/png;base64,AAAA' } } }),
        holds({ query: { customVector: { vector: wide, content: 'data:image/[omitted]' } } }),
      ),
      search(
        'mixed',
        hybrid({
          q: null,
          hybridParameters: { ...legs('lexical', 'lexical'), queryLexical: 'data:image/png;base64,A' },
        }),
        holds({ query: null }),
      ),
    ],
  },
  {
    section: 'search 2.2',
    about: 'a target of a query that cannot be fetched is told, without its bytes',
    exchanges: [
      ['https://127.0.0.1:99/a.png', 'https://127.0.0.1:99/a.png'],
      ['data:image/png;base64,AAAA', 'data:image/[omitted]'],
    ].flatMap(([pointer = '', told]) =>
      [pointer, { [pointer]: 1, boat: 2 }].map((q) =>
        refuses(
          'mixed',
          { q },
          invalidArgument(holding(`Could not process the media file found at \`${told}\`. Reason: `)),
        ),
      ),
    ),
  },
];

const boosts: Case[] = inBothKinds(
  'search 1.3',
  'boosts change the scores of a field before the best of a document counts',
  (index) => [
    search(
      index,
      { boost: { w: [1, 5] }, limit: 2 },
      hits({ _id: 'c', _score: close(5.5), _highlights: [{ w: '' }] }, { _id: 'a', _score: close(1) }),
    ),
    search(index, { boost: { v: [2] }, limit: 1 }, hits({ _id: 'a', _score: close(2) })),
    search(
      index,
      { boost: { v: [-1, 0.25] }, limit: 1 },
      hits({ _id: 'c', _score: close(0.5), _highlights: [{ w: '' }] }),
    ),
    search(index, { boost: { title: [9, 9] }, limit: 1 }, hits({ _id: 'a', _score: close(1) })),
    search(index, { boost: {}, limit: 1 }, hits({ _id: 'a', _score: close(1) })),
    search(
      index,
      { boost: { v: [Number.MAX_VALUE, Number.MAX_VALUE] }, limit: 1 },
      hits({ _id: 'a', _score: Number.MAX_VALUE }),
    ),
    search(
      index,
      { boost: { v: [-Number.MAX_VALUE, -Number.MAX_VALUE] }, searchableAttributes: ['v'], limit: 1, explain: true },
      hits({ _id: 'a', _score: -Number.MAX_VALUE, _explanation: holds({ value: -Number.MAX_VALUE }) }),
    ),
  ],
);

const vectors: Case[] = [
  ...inBothKinds('search 2.6', 'slerp of a vector of no length', (index) => [
    refuses(
      index,
      { ...context([0, 0], [1, 0]), interpolationMethod: 'slerp' },
      { status: 400, answer: holds({ message: 'SLERP cannot interpolate vectors with zero magnitude.' }) },
    ),
  ]),
  ...inBothKinds('search 2.6', 'no vector at all', (index) => [
    refuses(
      index,
      { q: null, context: { documents: { ids: { d: 1 }, parameters: { allowMissingEmbeddings: true } } } },
      invalidArgument(holding('could not collect any vectors from the search query')),
    ),
  ]),
  {
    section: 'search 2.6',
    about: 'vectors that are not normalised are joined by lerp unless another is asked for',
    exchanges: [
      search('dots', context([1, 0], [0, 1]), hits({ _id: 'a', _score: close(1) })),
      search(
        'dots',
        { ...context([1, 0], [0, 1]), interpolationMethod: 'nlerp' },
        hits({ _id: 'a', _score: close(Math.SQRT2) }),
      ),
    ],
  },
  caseNotOnCluster('spaceType', {
    section: 'search 5.2',
    about: 'scores in the space geodegrees are of kilometres on a great circle',
    exchanges: [
      search(
        'places',
        { q: { customVector: { vector: [0, 0] } } },
        hits({ _id: 'here', _score: 1 }, { _id: 'east', _score: close(1 / (1 + (6371.0088 * Math.PI) / 180)) }),
      ),
    ],
  }),
];

const shown: Case[] = [
  {
    section: 'search 5.3',
    about: 'the fields of a combination that are there, as JSON',
    exchanges: [
      search(
        'mixed',
        { q: 'a red shoe' },
        holds({
          hits: [
            {
              ...{ _id: 'a', title: 'a red shoe', part: 'of leather', _score: expect.any(Number) },
              _highlights: [{ whole: '{"title": "a red shoe", "part": "of leather"}' }],
            },
          ],
        }),
      ),
    ],
  },
  {
    section: 'search 5.3',
    about: 'the first declared of two fields that are as near, whatever the order they are searched in',
    exchanges: [undefined, ['w', 'v']].map((searchableAttributes) =>
      search(
        S,
        { q: { customVector: { vector: [0, 1] } }, searchableAttributes, filter: '_id:c' },
        hits({ _id: 'c', _highlights: [{ v: '' }] }),
      ),
    ),
  },
  ...inBothKinds('search 9', 'a map is told as the index stores it', (index) => [
    search(
      index,
      { limit: 1, attributesToRetrieve: ['m'] },
      holds({
        hits: [
          {
            ...{ _id: 'a', _score: close(1), _highlights: [] },
            ...(index === U ? { 'm.k': 2, 'm.x.y': 4 } : { m: { k: 2, 'x.y': 4 } }),
          },
        ],
      }),
    ),
  ]),
  ...inBothKinds('search 9', 'no hit has vectors or facets of its chunks', (index) => [
    search(
      index,
      { limit: 1, attributesToRetrieve: ['v'] },
      holds({ hits: [{ _id: 'a', v: 'first', _score: close(1), _highlights: [{ v: 'first' }] }] }),
    ),
    refuses(
      index,
      { attributesToRetrieve: ['_tensor_facets'] },
      error(400, 'invalid_field_name', holding('_tensor_facets')),
    ),
  ]),
  ...inBothKinds(
    'search 9',
    'an answer tells its query, page and time, and nothing that was not asked for',
    (index) => [
      search(
        index,
        { ...context([1, 0]), limit: 1, offset: 1, attributesToRetrieve: [] },
        {
          hits: [{ _id: 'b', _score: close(1 / (2 - 0.6)), _highlights: [] }],
          ...{ query: null, limit: 1, offset: 1, processingTimeMs: expect.any(Number) },
        },
      ),
    ],
  ),
  {
    section: 'search 9',
    about: 'method scores of listed fields come where they are listed too',
    exchanges: [
      search(
        U,
        hybrid({ limit: 1, attributesToRetrieve: ['n', '_tensor_score'] }),
        holds({ hits: [{ _id: 'a', n: 3, _tensor_score: 1, _score: expect.any(Number), _highlights: [] }] }),
      ),
    ],
  },
];

/** The times of a search that measured these parts of itself, and no others. */
const timed = (index: string, area: string, ...others: string[]) => {
  const parts = ['processing_before_vespa', 'store', 'vespa', 'postprocess'].map((part) => `search.${area}.${part}`);
  const names = [...parts, ...others, `POST /indexes/${index}/search`].toSorted();
  return holds({
    telemetry: {
      timesMs: expect.toSatisfy(
        (times: Record<string, number>) =>
          Object.keys(times).toSorted().join() === names.join() && Object.values(times).every((ms) => ms >= 0),
        names.join(),
      ),
    },
  });
};
const telemetry: Case[] = inBothKinds('search 9', 'telemetry has a time of each part of a search', (index) => [
  search(index, {}, timed(index, 'vector', 'search.vector_inference_full_pipeline'), '?telemetry=true'),
  search(index, { q: 'dogs', searchMethod: 'LEXICAL' }, timed(index, 'lexical'), '?telemetry=true'),
  search(index, hybrid(), timed(index, 'hybrid', 'search.hybrid.vector_inference_full_pipeline'), '?telemetry=true'),
]);

const byWords = { hybridParameters: legs('lexical', 'lexical'), q: '*' };
const byNumber = (rest: object = {}) => ({ sortBy: { fields: [{ fieldName: 'n' }], ...rest } });
const dogs = { ...hybrid(byWords), q: 'dogs' };
const every = { method: 'relative_max_score', parameters: { relativeScoreFactor: 0 } };
const ranked: Case[] = [
  {
    section: 'search 7.3',
    about: 'truth values are no numbers',
    exchanges: [
      search(
        U,
        { q: '*', searchMethod: 'LEXICAL', scoreModifiers: add_('b'), limit: 1 },
        hits({ _id: 'a', _score: 0 }),
      ),
    ],
  },
  {
    section: 'search 8.1',
    about: 'all pages are cut from one pool, of as many documents as is named',
    exchanges: [0, 3].flatMap((offset) => [
      search(U, hybrid({ ...byWords, ...byNumber(), limit: 1, offset }), holds({ _sortCandidates: 4 })),
      search(
        U,
        hybrid({ ...byWords, ...byNumber({ minSortCandidates: 2 }), limit: 1, offset }),
        holds({ _sortCandidates: 2 }),
      ),
    ]),
  },
  {
    section: 'search 8.2',
    about: 'relevant documents are ranked beyond the page too, whether that is asked for or not',
    exchanges: [true, false].map((overrideLimitPlusOffset) =>
      search(
        U,
        { ...dogs, limit: 1, relevanceCutoff: { ...every, overrideLimitPlusOffset } },
        holds({ hits: [holds({ _id: 'a' })], _relevantCandidates: 3, _postProcessCandidates: 3 }),
      ),
    ),
  },
  {
    section: 'search 8.2',
    about: 'all words must be found by the probe, where it says so',
    exchanges: [['or', 4] as const, ['and', 0] as const].map(([lexicalOperand, _probeCandidates]) =>
      search(
        U,
        { ...dogs, q: 'dogs cats', relevanceCutoff: { ...every, lexicalOperand } },
        holds({ _probeCandidates, _relevantCandidates: _probeCandidates }),
      ),
    ),
  },
  ...inBothKinds('search 8.3', 'truth values and lists of numbers are not counted', (index: Kind) => [
    search(
      index,
      hybrid({
        facets: {
          fields: {
            b: { type: 'string' },
            ...(index === S && { ns: { type: 'array' }, n: { type: 'string' } }),
          },
        },
      }),
      holds({ facets: { b: {}, ...(index === S && { ns: {}, n: {} }) } }),
    ),
  ]),
  {
    section: 'search 8.3',
    about: 'the order and the number of values for all facets, and for one',
    exchanges: [
      search(
        U,
        hybrid({
          ...byWords,
          facets: {
            fields: { tags: { type: 'array' }, title: { type: 'string', order: 'desc', maxResults: 2 } },
            ...{ order: 'asc', maxResults: 1 },
          },
        }),
        holds({ facets: { tags: { y: { count: 1 } }, title: { dogs: { count: 3 }, cats: { count: 1 } } } }),
      ),
    ],
  },
  {
    section: 'search 8.5',
    about: 'a document without a time, or with 0, is as old as can be',
    exchanges: [
      search(
        U,
        hybrid({
          ...{ hybridParameters: legs('lexical', 'lexical'), q: '*' },
          recencyParameters: { recencyField: 't', center: now, decayTo: 0.3, applyInRankingPhase: 'only-global' },
        }),
        holds({
          hits: expect.toSatisfy(
            (found: readonly { _id: string; _recency_score: number }[]) =>
              found
                .map(({ _id, _recency_score }) => `${_id} ${_recency_score}`)
                .toSorted()
                .join() === 'a 1,b 0.3,c 0.3,d 0.3',
            'the newest has 1, the others 0.3',
          ),
        }),
      ),
    ],
  },
  {
    section: 'search 8.5',
    about: 'a center of 0 is the present',
    exchanges: [
      search(
        U,
        hybrid({ recencyParameters: { recencyField: 't', center: 0, decayTo: 0.25 }, limit: 1 }),
        hits({ _id: 'a', _recency_score: 0.25 }),
      ),
    ],
  },
  {
    section: 'search 8.5',
    about: 'one leg of a disjunction may be aged alone, or none',
    exchanges: (['tensor', 'lexical'] as const)
      .map((leg) => [leg])
      .concat([[]])
      .map((applyToSubqueries) =>
        search(
          U,
          hybrid({
            ...{ limit: 1, filter: '_id:c' },
            recencyParameters: {
              ...{ recencyField: 't', center: now, decayTo: 0.25, applyToSubqueries },
              applyInRankingPhase: 'exclude-global',
            },
          }),
          hits({ _id: 'c', _tensor_score: close(applyToSubqueries.includes('tensor' as never) ? 0.125 : 0.5) }),
        ),
      ),
  },
];

const documents = [
  { _id: 'a', v: { vector: [1, 0], content: 'first' }, title: 'dogs', n: 3, b: true, m: { k: 2, 'x.y': 4 }, t: now },
  { _id: 'b', v: v(0.6, 0.8), title: 'dogs', n: -2, b: false, tags: ['x', 'y'], t: 0 },
  { _id: 'c', v: v(0, 1), w: v(0, 1), title: 'cats', tags: ['x'], t: now - 700 * day },
  { _id: 'd', title: 'dogs' },
];
const given = (...names: string[]) => ({
  tensorFields: names,
  mappings: Object.fromEntries(names.map((name) => [name, { type: 'custom_vector' }])),
});
const unnormalised = (spaceType: string) =>
  own(2, { normalizeEmbeddings: false, annParameters: { spaceType, parameters: { efConstruction: 64, m: 8 } } });

/** The members of a page of hits, and the way it was ranked. */
export const searchAnswers: Part = {
  title: 'answers of a search',
  preparation: [
    create(U, own(2)),
    create(
      S,
      own(2, {
        type: 'structured',
        allFields: [
          ...[field('title', 'text', 'lexical_search', 'filter'), field('v', 'custom_vector')],
          ...[field('w', 'custom_vector'), field('n', 'int', 'filter', 'score_modifier'), field('b', 'bool', 'filter')],
          ...[field('ns', 'array<int>', 'filter'), field('tags', 'array<text>', 'filter')],
          ...[field('m', 'map<text, int>', 'score_modifier'), field('t', 'double', 'score_modifier')],
        ],
        tensorFields: ['v', 'w'],
      }),
    ),
    create('mixed', { ...small, treatUrlsAndPointersAsImages: true }),
    create('dots', unnormalised('dotproduct')),
    add(U, documents, given('v', 'w')),
    add(
      S,
      documents.map((document, i) => ({ ...document, ns: [i, 7, 7] })),
    ),
    add('mixed', [{ _id: 'a', title: 'a red shoe', part: 'of leather' }], {
      tensorFields: ['whole'],
      mappings: { whole: { type: 'multimodal_combination', weights: { title: 0.5, part: 0.5 } } },
    }),
    add('dots', [{ _id: 'a', v: v(2, 0) }], given('v')),
    ...[
      create('places', unnormalised('geodegrees')),
      add(
        'places',
        [
          { _id: 'here', v: v(0, 0) },
          { _id: 'east', v: v(0, 1) },
        ],
        given('v'),
      ),
    ].map(notOnCluster('spaceType')),
  ],
  cases: [...pointers, ...boosts, ...vectors, ...shown, ...telemetry, ...ranked],
};
