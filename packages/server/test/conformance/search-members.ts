import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import {
  badRequest,
  error,
  holding,
  inBody,
  invalidArgument,
  lateError,
  noIndex,
  problems,
  root,
  unprocessable,
} from './errors.js';
import { create, field, own } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const vector = { customVector: { vector: [1, 0], content: 'dogs' } };
const methods = ['TENSOR', 'LEXICAL', 'HYBRID'] as const;
type Method = (typeof methods)[number];
/** A body that the method takes. */
const body = (searchMethod: Method, rest: object = {}) => ({
  q: searchMethod === 'LEXICAL' ? 'dogs' : vector,
  searchMethod,
  ...rest,
});
const search = (request: unknown, expected: object, index: string = U, query = ''): Exchange =>
  ({ request: `POST /indexes/${index}/search${query}`, body: request, ...expected }) as Exchange;
const one = (section: string, about: string, request: unknown, expected: object, index?: string): Case => ({
  section,
  about,
  exchanges: [search(request, expected, index)],
});
const found = { status: 200, answer: expect.objectContaining({ hits: expect.any(Array) }) };
const finds = (...ids: string[]) => ({
  status: 200,
  answer: expect.objectContaining({ hits: ids.map((_id) => expect.objectContaining({ _id })) }),
});
const rule = (msg: unknown) => unprocessable(problems.rule(root, msg));
const count = (message: unknown) => error(400, 'illegal_requested_doc_count', message);
const invalidName = (message: unknown) => error(400, 'invalid_field_name', message);

const envelope: Case[] = [
  one(
    'search 1.1',
    'an unknown member',
    body('TENSOR', { limits: 1 }),
    unprocessable(problems.extra(inBody('limits'))),
  ),
  ...(
    [
      ['HYBRID', 'hybridParameters', { beta: 1 }],
      ['HYBRID', 'facets', { fields: { n: { type: 'number' } }, most: 1 }],
      ['HYBRID', 'sortBy', { fields: [{ fieldName: 'n' }], most: 1 }],
      ['HYBRID', 'relevanceCutoff', { method: 'gap_detection', most: 1 }],
      ['HYBRID', 'recencyParameters', { recencyField: 't', most: 1 }],
    ] as const
  ).map(([method, name, value]) =>
    one('search 1.1', `an unknown member of ${name}`, body(method, { [name]: value }), {
      ...unprocessable(problems.extra(inBody(name, name === 'hybridParameters' ? 'beta' : 'most'))),
    }),
  ),
  one(
    'search 1.1',
    'an unknown member of a vector',
    { q: { customVector: { vector: [1, 0], weight: 1 } } },
    unprocessable(problems.extra(inBody('q', 'customVector', 'weight'))),
  ),
  ...[
    [['x', 'y'], 0, 1],
    [[1, null, {}], 1, 2],
  ].map(([vector, ...wrong]) =>
    one(
      'search 2.4',
      `numbers of a vector that are none: ${JSON.stringify(vector)}`,
      { q: { customVector: { vector } } },
      {
        status: 422,
        answer: expect.objectContaining({
          detail: wrong.map((i) =>
            expect.objectContaining({ loc: inBody('q', 'customVector', 'vector', i as number) }),
          ),
        }),
      },
    ),
  ),
  one(
    'search 1.1',
    'unknown members of a context are ignored',
    { context: { tensor: [{ vector: [1, 0], weight: 1, note: 1 }], note: 1 }, limit: 1 },
    finds('a'),
  ),
  one(
    'search 1.1',
    'unknown members of the documents of a context are ignored',
    {
      context: { documents: { ids: { a: 1 }, note: 1, parameters: { excludeInputDocuments: false, note: 1 } } },
      limit: 1,
    },
    finds('a'),
  ),
  ...methods.map((method) =>
    one(
      'search 1.1',
      `the method in any case, ${method}`,
      { ...body(method), searchMethod: method.toLowerCase() },
      found,
    ),
  ),
  one('search 1.1', 'no method is TENSOR', { q: vector, searchMethod: null, limit: 1 }, finds('a')),
  one(
    'search 1.1',
    'an unknown method',
    { q: 'dogs', searchMethod: 'MAGIC' },
    unprocessable(expect.objectContaining({ loc: inBody('searchMethod') }) as never),
  ),
  ...['filter', 'searchableAttributes', 'attributesToRetrieve', 'reRanker', 'boost', 'context', 'scoreModifiers'].map(
    (name) => one('search 1.1', `${name} may be null`, body('TENSOR', { [name]: null, limit: 1 }), finds('a')),
  ),
  ...['efSearch', 'approximate', 'approximateThreshold', 'rerankDepth', 'modelAuth', 'textQueryPrefix', 'facets'].map(
    (name) => one('search 1.1', `${name} may be null`, body('TENSOR', { [name]: null, limit: 1 }), finds('a')),
  ),
  ...['limit', 'offset', 'showHighlights'].map((name) =>
    one(
      'search 1.1',
      `${name} may not be null`,
      body('TENSOR', { [name]: null }),
      unprocessable(problems.null(inBody(name))),
    ),
  ),
  one('search 1.1', 'integers as texts and floats', body('TENSOR', { limit: '1', offset: 1.0 }), finds('b')),
  one('search 1.1', 'truth values as texts', body('TENSOR', { limit: 1, showHighlights: 'false' }), {
    status: 200,
    answer: expect.objectContaining({ hits: [expect.not.objectContaining({ _highlights: expect.anything() })] }),
  }),
  one(
    'search 1.1',
    'an integer with a fraction',
    body('TENSOR', { limit: 1.5 }),
    unprocessable(problems.integer(inBody('limit'))),
  ),
  ...inBothKinds('search 1.1', 'snake_case where the interface says so', (index) => [
    search(body('TENSOR', { image_download_headers: {}, limit: 1 }), finds('a'), index),
  ]),
];

const order: Case[] = [
  one(
    'search 1.2',
    'the shape before the bounds',
    body('TENSOR', { limit: 0, most: 1 }),
    unprocessable(problems.extra(inBody('most'))),
  ),
  one('search 1.2', 'limit before offset', body('TENSOR', { limit: 0, offset: -1 }), count(holding('greater than 0'))),
  one('search 1.2', 'offset before the form of the query', { q: {}, offset: -1 }, count(holding('offset'))),
  one(
    'search 1.2',
    'the form of the query before the greatest limit',
    { q: {}, limit: 1_001 },
    invalidArgument(holding('empty dictionary')),
  ),
  one(
    'search 1.2',
    'the sum before the greatest limit',
    body('TENSOR', { limit: 1_001, offset: 10_000 }),
    count(holding('MARQO_MAX_RETRIEVABLE_DOCS')),
  ),
  one(
    'search 1.2',
    'bounds before names',
    body('TENSOR', { limit: 1_001, searchableAttributes: ['a.b'] }),
    count(holding('MARQO_MAX_SEARCH_LIMIT')),
  ),
  one(
    'search 1.2',
    'names before the index',
    body('TENSOR', { searchableAttributes: ['a.b'] }),
    invalidName(holding('Illegal character')),
    'nobody',
  ),
  one(
    'search 1.2',
    'the index before its fields',
    body('TENSOR', { searchableAttributes: ['zzz'] }),
    noIndex('nobody'),
    'nobody',
  ),
  one(
    'search 1.2',
    'the index before the reranker',
    body('TENSOR', { reRanker: 'owl/ViT-B/32' }),
    noIndex('nobody'),
    'nobody',
  ),
];

const query: Case[] = [
  one('search 1.3', 'LEXICAL without q', { searchMethod: 'LEXICAL' }, rule('Query(q) is required for lexical search')),
  one(
    'search 1.3',
    'TENSOR without q',
    {},
    rule('One of Query(q) or context is required for TENSOR search but both are missing'),
  ),
  one(
    'search 1.3',
    'HYBRID without q',
    { searchMethod: 'HYBRID' },
    rule(holding('is required for HYBRID search but all are missing')),
  ),
  ...['queryTensor', 'queryLexical'].map((name) =>
    one(
      'search 1.3',
      `q beside ${name}`,
      body('HYBRID', { hybridParameters: { [name]: 'dogs' } }),
      rule(
        'Query(q) cannot be provided for HYBRID search when hybridParameters.queryTensor or hybridParameters.queryLexical is provided',
      ),
    ),
  ),
  one(
    'search 1.3',
    'weighted texts of a LEXICAL search',
    { q: { dogs: 1 }, searchMethod: 'LEXICAL' },
    invalidArgument(holding('Multi-term query is not supported for search_method="LEXICAL"')),
  ),
  one(
    'search 1.3',
    'weighted texts of a HYBRID search',
    { q: { dogs: 1 }, searchMethod: 'HYBRID' },
    invalidArgument(holding('To use multi-term query with search_method="HYBRID"')),
  ),
  one(
    'search 1.3',
    'no weighted texts',
    { q: {} },
    invalidArgument('Multi-query search requires at least one query! Received empty dictionary.'),
  ),
  one(
    'search 1.3',
    'a weight that is a text',
    { q: { dogs: 'x' } },
    unprocessable(expect.objectContaining({ loc: inBody('q', 'dogs') }) as never),
  ),
  one(
    'search 1.3',
    'a vector of a LEXICAL search',
    { q: vector, searchMethod: 'LEXICAL' },
    invalidArgument(
      holding('Custom vector search is only supported for search_method="HYBRID" or search_method="TENSOR"'),
    ),
  ),
];

const paging: Case[] = methods.flatMap((method) => [
  one(
    'search 1.3',
    `limit 0, ${method}`,
    body(method, { limit: 0 }),
    count('result_count must be an integer greater than 0! Received 0'),
  ),
  one(
    'search 1.3',
    `limit below 0, ${method}`,
    body(method, { limit: -5 }),
    count('result_count must be an integer greater than 0! Received -5'),
  ),
  one(
    'search 1.3',
    `limit above the greatest, ${method}`,
    body(method, { limit: 1_001 }),
    count(
      'The search result limit must be less than or equal to the MARQO_MAX_SEARCH_LIMIT limit of [1000]. Received search result limit of `1001`.',
    ),
  ),
  one(
    'search 1.3',
    `offset below 0, ${method}`,
    body(method, { offset: -1 }),
    count('search result offset cannot be less than 0!'),
  ),
  one(
    'search 1.3',
    `limit and offset above the greatest, ${method}`,
    body(method, { limit: 10, offset: 9_991 }),
    count(
      'The search result limit + offset must be less than or equal to the MARQO_MAX_RETRIEVABLE_DOCS limit of [10000].  Received search result limit of `10` and offset of `9991`.',
    ),
  ),
  one('search 1.3', `the greatest limit and offset, ${method}`, body(method, { limit: 1_000, offset: 9_000 }), finds()),
]);

const rerankDepthOfLexical = "'rerankDepth' is currently not supported for 'LEXICAL' search method.";
const depths: Case[] = [
  one(
    'search 1.3',
    'efSearch of words',
    body('LEXICAL', { efSearch: 10 }),
    invalidArgument('efSearch is not a valid argument for lexical search'),
  ),
  one(
    'search 1.3',
    'approximate of words',
    body('LEXICAL', { approximate: true }),
    invalidArgument('approximate is not a valid argument for lexical search'),
  ),
  one('search 1.3', 'efSearch below the limit is raised', body('TENSOR', { efSearch: 1 }), finds('a', 'b', 'c')),
  ...[0, -1].map((efSearch) =>
    one(
      'search 1.3',
      `efSearch ${efSearch}`,
      body('TENSOR', { efSearch }),
      unprocessable(problems.above(inBody('efSearch'), 0)),
    ),
  ),
  ...(['TENSOR', 'HYBRID'] as const).flatMap((method) => [
    one('search 1.3', `efSearch, ${method}`, body(method, { efSearch: 100, limit: 1 }), finds('a')),
    one('search 1.3', `exact, ${method}`, body(method, { approximate: false, limit: 1 }), finds('a')),
    one('search 1.3', `a threshold, ${method}`, body(method, { approximateThreshold: 0.5, limit: 1 }), finds('a')),
    one(
      'search 1.3',
      `a threshold beside exact search, ${method}`,
      body(method, { approximateThreshold: 0.5, approximate: false }),
      rule("'approximateThreshold' cannot be set when 'approximate' is False"),
    ),
    ...[-0.1, 1.1].map((approximateThreshold) =>
      one(
        'search 1.3',
        `the threshold ${approximateThreshold}, ${method}`,
        body(method, { approximateThreshold }),
        rule(`'approximateThreshold' must be between 0 and 1, got ${approximateThreshold}.`),
      ),
    ),
  ]),
  one(
    'search 1.3',
    'a threshold of words',
    body('LEXICAL', { approximateThreshold: 0.5 }),
    rule("'approximateThreshold' is only valid for 'HYBRID' and 'TENSOR' search methods"),
  ),
  one('search 1.3', 'rerankDepth of words', body('LEXICAL', { rerankDepth: 1 }), rule(rerankDepthOfLexical)),
  one(
    'search 1.3',
    'rerankDepth where no ranks are fused',
    body('HYBRID', { rerankDepth: 1, hybridParameters: { retrievalMethod: 'tensor', rankingMethod: 'tensor' } }),
    rule("'rerankDepth' is currently only supported for 'HYBRID' search with the 'RRF' rankingMethod."),
  ),
  one(
    'search 1.3',
    'a language of vectors',
    body('TENSOR', { language: 'en' }),
    rule(holding('language parameter is not supported for TENSOR search method.')),
  ),
];

const illegalNames = [
  ['a.b', "Illegal character '.' detected in field name a.b"],
  ['a/b', "Illegal character '/' detected in field name a/b"],
  ['', "field name can't be empty! "],
  ['__vector_a', holding('__vector_')],
  ['__chunks', holding('__chunks')],
  ['_score', holding('_score')],
  ['_highlights', holding('_highlights')],
  ['_tensor_facets', holding('_tensor_facets')],
  ['a\nb', holding("Illegal character '\n' detected")],
  ...['_embedding', '_found', '__field_name', '__field_content'].map((name) => [name, holding(name)] as const),
] as const;
const names: Case[] = [
  ...['searchableAttributes', 'attributesToRetrieve'].flatMap((member) =>
    illegalNames.map(([name, message]) =>
      one(
        'search 1.3',
        `the name ${JSON.stringify(name)} in ${member}`,
        body('TENSOR', { [member]: [name] }),
        invalidName(message),
      ),
    ),
  ),
  one(
    'search 1.3',
    'searchableAttributes of a HYBRID search',
    body('HYBRID', { searchableAttributes: ['title'] }),
    lateError(
      '__root__',
      "'searchableAttributes' cannot be used for hybrid search. Instead, define the 'searchableAttributesTensor' and/or 'searchableAttributesLexical' keys inside the 'hybridParameters' dict parameter.",
    ),
  ),
  ...inBothKinds('search 1.3', 'a field without vectors', (index) => [
    search(
      body('TENSOR', { searchableAttributes: ['title'] }),
      invalidName(`Index ${index} has no tensor field title. Available tensor fields are: v`),
      index,
    ),
  ]),
  ...inBothKinds('search 1.3', 'a field without words', (index) => [
    search(
      body('LEXICAL', { searchableAttributes: ['n'] }),
      invalidName(
        holding(`Index ${index} has no lexically searchable field n. Available lexically searchable fields are: `),
      ),
      index,
    ),
  ]),
  ...inBothKinds('search 1.3', 'no fields to search', (index) => [
    search(body('TENSOR', { searchableAttributes: [] }), finds(), index),
    search(body('LEXICAL', { searchableAttributes: [] }), finds(), index),
  ]),
  ...inBothKinds('search 10', 'every field to search', (index) => [
    search(body('TENSOR', { searchableAttributes: ['*'], limit: 1 }), finds('a'), index),
  ]),
  one(
    'search 1.3',
    'an unknown field to return, of declared ones',
    body('TENSOR', { attributesToRetrieve: ['zzz'] }),
    invalidName(holding(`Index ${S} has no field zzz. Available fields are: `)),
    S,
  ),
  one(
    'search 1.3',
    'an unknown field to return',
    body('TENSOR', { attributesToRetrieve: ['zzz'], limit: 1 }),
    finds('a'),
  ),
  ...inBothKinds('search 1.3', 'the id among the fields to return', (index) => [
    search(body('TENSOR', { attributesToRetrieve: ['_id'], limit: 1 }), finds('a'), index),
  ]),
];

const other: Case[] = [
  ...(['LEXICAL', 'HYBRID'] as const).map((method) =>
    one(
      'search 1.3',
      `boost of a ${method} search`,
      body(method, { boost: { title: [1] } }),
      invalidArgument(holding('Boosting is only supported for search_method="TENSOR".')),
    ),
  ),
  one(
    'search 1.3',
    'both kinds of download headers',
    body('TENSOR', { imageDownloadHeaders: { a: 'b' }, mediaDownloadHeaders: { a: 'b' } }),
    rule(holding('Cannot set both imageDownloadHeaders and mediaDownloadHeaders.')),
  ),
  ...methods.map((method) =>
    one(
      'search 10',
      `a reranker of a ${method} search`,
      body(method, { reRanker: 'owl/ViT-B/32' }),
      invalidArgument(holding('reRanker needs searchableAttributes')),
    ),
  ),
  one(
    'search 1.3',
    'an unknown interpolation',
    body('TENSOR', { interpolationMethod: 'mean' }),
    unprocessable(problems.oneOf(inBody('interpolationMethod'), ['lerp', 'nlerp', 'slerp'])),
  ),
  {
    section: 'search 1.3',
    about: 'devices',
    exchanges: [
      search(body('TENSOR', { limit: 1 }), finds('a'), U, '?device=cpu'),
      search(body('TENSOR', { limit: 1 }), finds('a'), U, '?device=CPU'),
      search(body('TENSOR'), invalidArgument(holding("doesn't start with a known device type")), U, '?device=tpu'),
    ],
  },
  ...(['TENSOR', 'LEXICAL'] as const).flatMap((method) => [
    one(
      'search 1.3',
      `hybridParameters of a ${method} search`,
      body(method, { hybridParameters: {} }),
      rule(`Hybrid parameters can only be provided for 'HYBRID' search. Search method is ${method}.`),
    ),
    one(
      'search 1.3',
      `facets of a ${method} search`,
      body(method, { facets: { fields: { n: { type: 'number' } } } }),
      found,
    ),
    ...[true, false].map((trackTotalHits) =>
      one(
        'search 1.3',
        `trackTotalHits ${trackTotalHits} of a ${method} search`,
        body(method, { trackTotalHits }),
        found,
      ),
    ),
    one(
      'search 1.3',
      `collapseFields of a ${method} search`,
      body(method, { collapseFields: [{ name: 'sku' }] }),
      rule(`collapseFields can only be provided for 'HYBRID' search. Search method is ${method}.`),
    ),
  ]),
];

const bareKinds: Case[] = [
  one(
    'search 1.3',
    'no field with vectors is declared',
    body('TENSOR'),
    badOrInvalid('Index wordy has no tensor fields, thus tensor search cannot be performed.'),
    'wordy',
  ),
  one(
    'search 1.3',
    'no field with words is declared',
    body('LEXICAL'),
    badOrInvalid('Index numeric has no lexically searchable fields, thus lexical search cannot be performed.'),
    'numeric',
  ),
  ...['wordy', 'numeric'].map((index) =>
    one(
      'search 1.3',
      `either is missing in ${index}`,
      body('HYBRID'),
      badOrInvalid(
        `Index ${index} either has no tensor fields or no lexically searchable fields, thus hybrid search cannot be performed.`,
      ),
      index,
    ),
  ),
  ...methods.map((method) =>
    one('search 1.3', `an empty index that declares nothing, ${method}`, body(method), finds(), 'empty'),
  ),
];

function badOrInvalid(message: string) {
  const { status, answer } = badRequest(holding(message));
  return { status, answer: { ...(answer as object), code: expect.stringMatching(/^(bad_request|invalid_argument)$/) } };
}

/** The members that a search may have, and the refusals of others. */
export const searchMembers: Part = {
  title: 'members of a search',
  preparation: [
    create(U, own(2)),
    create(
      S,
      own(2, {
        type: 'structured',
        allFields: [field('title', 'text', 'lexical_search'), field('v', 'custom_vector'), field('n', 'int')],
        tensorFields: ['v'],
      }),
    ),
    create('empty', own(2)),
    create(
      'wordy',
      own(2, { type: 'structured', allFields: [field('title', 'text', 'lexical_search')], tensorFields: [] }),
    ),
    create(
      'numeric',
      own(2, { type: 'structured', allFields: [field('v', 'custom_vector'), field('n', 'int')], tensorFields: ['v'] }),
    ),
    ...[U, S].map((index) =>
      add(
        index,
        [
          { _id: 'a', v: { vector: [1, 0], content: '' }, title: 'dogs', n: 1 },
          { _id: 'b', v: { vector: [0.6, 0.8], content: '' }, title: 'dogs and cats' },
          { _id: 'c', v: { vector: [0, 1], content: '' }, title: 'cats' },
        ],
        index === U ? { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } } : {},
      ),
    ),
  ],
  cases: [...envelope, ...order, ...query, ...paging, ...depths, ...names, ...other, ...bareKinds],
};
