import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { badRequest, error, holding, invalidArgument, problems, root, unprocessable } from './errors.js';
import { create, field, own, small } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

/** The score of a unit vector against a document of the same direction or another one. */
const closeness = (cosine: number) => expect.closeTo(1 / (2 - cosine), 5);

const search = (index: string, request: object, expected: object): Exchange =>
  ({ request: `POST /indexes/${index}/search`, body: request, ...expected }) as Exchange;
type Hit = readonly [id: string, score: unknown];
const ranks = (index: string, request: object, ...hits: readonly Hit[]): Exchange =>
  search(index, request, {
    status: 200,
    answer: expect.objectContaining({ hits: hits.map(([_id, _score]) => expect.objectContaining({ _id, _score })) }),
  });
const vector = (...numbers: number[]) => ({ customVector: { vector: numbers } });
const weighted = (...entries: readonly (readonly [weight: number, ...vector: number[]])[]) => ({
  tensor: entries.map(([weight, ...numbers]) => ({ vector: numbers, weight })),
});
const half = Math.SQRT1_2;

/** An index whose texts are embedded, with a document of the text `near` and one of a vector. */
const TEXTS = 'texts';
const toFar = (weight: number) => weighted([weight, 1, ...new Array(31).fill(0)]);
const finds = (id: string) => ({
  status: 200,
  answer: expect.objectContaining({ hits: [expect.objectContaining({ _id: id })] }),
});
/** Asks for the best hit alone, in which the words of a HYBRID search have no say. */
const vectorsAlone = (searchMethod: string) => ({
  limit: 1,
  ...(searchMethod === 'HYBRID' && { hybridParameters: { alpha: 1 } }),
});

const given: Case[] = [
  ...inBothKinds('search 2.4', 'a vector of its own', (index) => [
    ranks(index, { q: vector(1, 0) }, ['right', closeness(1)], ['half', closeness(half)], ['up', closeness(0)]),
  ]),
  ...inBothKinds('search 2.4', 'its content has no say among vectors', (index) => [
    ranks(index, { q: { customVector: { vector: [1, 0], content: 'up' } }, limit: 1 }, ['right', closeness(1)]),
  ]),
  ...inBothKinds('search 2.6', 'a vector of another length than the index', (index) => [
    search(
      index,
      { q: vector(1, 0, 0) },
      invalidArgument(
        'The dimension of the vectors returned by the model or given by the context vectors does not match the expected dimension. Expected dimension 2 but got 3',
      ),
    ),
  ]),
  {
    section: 'search 2.4',
    about: 'words of a vector without content',
    exchanges: [
      search(
        U,
        { q: vector(1, 0), searchMethod: 'HYBRID' },
        invalidArgument(
          "Either 'hybridParameters.queryLexical' or just 'q' must be present when 'disjunction' retrieval method is used.",
        ),
      ),
    ],
  },
];

const texts: Case[] = inBothKinds('search 2.1', 'texts need a model that embeds', (index) => [
  search(index, { q: 'dogs' }, { status: 400 }),
  search(index, { q: { dogs: 1 } }, { status: 400 }),
]);

const contexts: Case[] = [
  ...inBothKinds('search 2.5', 'vectors of a context alone', (index) => [
    ranks(index, { context: weighted([1, 0, 1]), limit: 1 }, ['up', closeness(1)]),
    ranks(index, { context: weighted([2, 1, 0], [2, 0, 1]), limit: 1 }, ['half', closeness(1)]),
  ]),
  ...inBothKinds('search 2.4', 'vectors of a context come before the one of the query', (index) => [
    // Slerp joins the first two of three vectors before the third.
    ranks(
      index,
      {
        q: vector(1, 0),
        context: weighted([1, 0, 1], [1, 0, 1]),
        interpolationMethod: 'slerp',
        limit: 1,
      },
      // (up, up) weighs 1 again, and so does the third: half way between them.
      ['half', closeness(1)],
    ),
  ]),
  ...inBothKinds('search 2.6', 'a negative weight leads away', (index) => [
    ranks(index, { q: vector(0, 1), context: weighted([-0.5, 1, 0]), limit: 1 }, ['up', expect.any(Number)]),
  ]),
  {
    section: 'search 2.5',
    about: 'no context at all',
    exchanges: [
      search(
        U,
        { q: vector(1, 0), context: {} },
        invalidArgument(holding('At least 1 form of context (tensor or documents) must be provided')),
      ),
    ],
  },
  ...[0, 65].map((count) => ({
    section: 'search 2.5',
    about: `a context of ${count} vectors`,
    exchanges: [
      search(
        U,
        { q: vector(1, 0), context: weighted(...Array.from({ length: count }, () => [1, 1, 0] as const)) },
        { status: 400, answer: expect.objectContaining({ code: 'invalid_argument', message: holding('tensor') }) },
      ),
    ],
  })),
  ...['vector', 'weight'].map((name) => ({
    section: 'search 2.5',
    about: `a context whose vector lacks its ${name}`,
    exchanges: [
      search(
        U,
        { q: vector(1, 0), context: { tensor: [{ ...(name === 'vector' ? { weight: 1 } : { vector: [1, 0] }) }] } },
        invalidArgument(holding(`"loc": ["tensor", 0, "${name}"], "msg": "field required"`)),
      ),
    ],
  })),
  ...(['TENSOR', 'HYBRID'] as const).map(
    (searchMethod): Case => ({
      section: 'search 2.5',
      about: `a context joins a text, ${searchMethod}`,
      exchanges: [
        search(TEXTS, { q: 'near', searchMethod, limit: 1 }, finds('near')),
        search(TEXTS, { q: 'near', searchMethod, context: toFar(100), ...vectorsAlone(searchMethod) }, finds('far')),
        search(TEXTS, { q: 'far', searchMethod, context: toFar(-2), ...vectorsAlone(searchMethod) }, finds('near')),
        search(
          TEXTS,
          { q: 'near', searchMethod, context: { documents: { ids: { far: 100 } } }, ...vectorsAlone(searchMethod) },
          finds('near'),
        ),
      ],
    }),
  ),
];

const interpolating: Case[] = [
  ...inBothKinds('search 2.6', 'lerp is not made as long as one, nlerp is', (index) => [
    ranks(index, { context: weighted([3, 1, 0], [1, 0, 1]), interpolationMethod: 'nlerp', limit: 1 }, [
      'right',
      closeness(3 / Math.sqrt(10)),
    ]),
    search(index, { context: weighted([3, 1, 0], [1, 0, 1]), interpolationMethod: 'lerp', limit: 1 }, { status: 200 }),
  ]),
  ...inBothKinds('search 2.6', 'nlerp is what normalised vectors get unless another is asked for', (index) => [
    ranks(index, { context: weighted([3, 1, 0], [1, 0, 1]), limit: 1 }, ['right', closeness(3 / Math.sqrt(10))]),
  ]),
  ...inBothKinds('search 2.6', 'slerp by the share of the weights', (index) => [
    ranks(index, { context: weighted([3, 1, 0], [1, 0, 1]), interpolationMethod: 'slerp', limit: 1 }, [
      'right',
      closeness(0.92387953),
    ]),
    ranks(index, { context: weighted([1, 1, 0], [1, 0, 1]), interpolationMethod: 'slerp', limit: 1 }, [
      'half',
      closeness(1),
    ]),
  ]),
  ...(['lerp', 'slerp'] as const).map((interpolationMethod) => ({
    section: 'search 2.6',
    about: `weights that are all 0, ${interpolationMethod}`,
    exchanges: [
      search(
        U,
        { context: weighted([0, 1, 0], [0, 0, 1]), interpolationMethod },
        {
          status: 400,
          answer: expect.objectContaining({
            message: holding(`${interpolationMethod.toUpperCase()} cannot interpolate vectors with all zero weights.`),
          }),
        },
      ),
    ],
  })),
  {
    section: 'search 2.6',
    about: 'nlerp of what takes itself away',
    exchanges: [
      search(
        U,
        { context: weighted([1, 1, 0], [-1, 1, 0]), interpolationMethod: 'nlerp' },
        badRequest(holding('Interpolated vector has zero magnitude. Cannot normalize a vector with zero magnitude')),
      ),
    ],
  },
];

const byDocuments = (ids: object, parameters?: object) => ({
  context: { documents: { ids, ...(parameters && { parameters }) } },
});
const everything = { excludeInputDocuments: false };
const documentContexts: Case[] = [
  ...inBothKinds('search 2.5', 'documents that are liked, left out of the answer', (index) => [
    ranks(index, byDocuments({ right: 1 }), ['half', closeness(half)], ['up', closeness(0)]),
    ranks(index, { ...byDocuments({ right: 1 }, everything), limit: 1 }, ['right', closeness(1)]),
  ]),
  {
    section: 'search 2.5',
    about: 'ids that would end or part a list are left out by themselves',
    exchanges: [
      create('odd', own(2)),
      add(
        'odd',
        ['one) OR (two, three', 'one', 'two'].map((_id, i) => ({ _id, v: { vector: [1, i], content: '' } })),
        { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } },
      ),
      ranks(
        'odd',
        byDocuments({ 'one) OR (two, three': 1 }),
        ['one', closeness(half)],
        ['two', closeness(1 / Math.sqrt(5))],
      ),
    ],
  },
  ...inBothKinds('search 2.6', 'documents are joined by slerp unless another is asked for', (index) => [
    ranks(index, { ...byDocuments({ right: 3, up: 1 }, everything), limit: 1 }, ['right', closeness(0.92387953)]),
    ranks(index, { ...byDocuments({ right: 3, up: 1 }, everything), interpolationMethod: 'nlerp', limit: 1 }, [
      'right',
      closeness(3 / Math.sqrt(10)),
    ]),
  ]),
  ...inBothKinds('search 2.5', 'a weight of 0 has no say and is left out', (index) => [
    ranks(index, byDocuments({ right: 1, half: 0 }), ['up', closeness(0)]),
  ]),
  ...inBothKinds('search 2.5', 'no weight that is not 0', (index) => [
    search(index, byDocuments({ right: 0 }), invalidArgument(holding('No documents with non-zero weight provided'))),
  ]),
  ...inBothKinds('search 2.5', 'documents that are not there', (index) => [
    search(
      index,
      byDocuments({ right: 1, x: 1, y: 1 }),
      invalidArgument(holding('The following document IDs were not found: x, y')),
    ),
    ranks(index, { ...byDocuments({ right: 1, x: 1 }, { allowMissingDocuments: true }), limit: 1 }, [
      'half',
      closeness(half),
    ]),
  ]),
  ...inBothKinds('search 2.5', 'documents without vectors', (index) => [
    search(
      index,
      byDocuments({ right: 1, bare: 1 }),
      invalidArgument(holding('The following documents do not have embeddings: bare')),
    ),
    ranks(index, { ...byDocuments({ right: 1, bare: 1 }, { allowMissingEmbeddings: true }), limit: 1 }, [
      'half',
      closeness(half),
    ]),
  ]),
  ...inBothKinds('search 2.5', 'fields of the documents', (index) => [
    ranks(index, { ...byDocuments({ right: 1 }, { tensorFields: ['v'] }), limit: 1 }, ['half', closeness(half)]),
    search(
      index,
      byDocuments({ right: 1 }, { tensorFields: [] }),
      invalidArgument(holding('context document tensorFields parameter must be non-empty list.')),
    ),
  ]),
  {
    section: 'search 2.5',
    about: 'a field that is not declared',
    exchanges: [
      search(
        S,
        byDocuments({ right: 1 }, { tensorFields: ['nobody'] }),
        error(400, 'invalid_field_name', holding(`Tensor field "nobody" not found in index "${S}".`)),
      ),
    ],
  },
  ...[{}, undefined].map((ids) => ({
    section: 'search 2.5',
    about: `documents ${ids === undefined ? 'without ids' : 'without any'}`,
    exchanges: [
      search(
        U,
        { context: { documents: ids === undefined ? {} : { ids } } },
        invalidArgument(holding('must be present and a non-empty dict of document id to weight pairs.')),
      ),
    ],
  })),
  {
    section: 'search 1.3',
    about: 'more documents than allowed',
    exchanges: [
      search(
        U,
        byDocuments(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`d${i}`, 1]))),
        error(
          400,
          'illegal_requested_doc_count',
          "Search context documents limit exceeded. Maximum allowed is 10, but got 11. To increase, set the environment variable 'MARQO_MAX_SEARCH_CONTEXT_DOCS'",
        ),
      ),
    ],
  },
  {
    section: 'search 1.3',
    about: 'documents where no vector has a say',
    exchanges: [
      search(
        U,
        { q: 'dogs', searchMethod: 'LEXICAL', ...byDocuments({ right: 1 }) },
        unprocessable(problems.rule(root, 'Context is not supported for lexical search')),
      ),
      search(
        U,
        {
          q: 'dogs',
          searchMethod: 'HYBRID',
          hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' },
          ...byDocuments({ right: 1 }),
        },
        unprocessable(problems.rule(root, 'Context is not supported for lexical/lexical hybrid search')),
      ),
    ],
  },
  ...inBothKinds('search 2.5', 'a filter holds beside what is left out', (index) => [
    ranks(index, { ...byDocuments({ right: 1 }), filter: 'NOT _id:half' }, ['up', closeness(0)]),
  ]),
  ...inBothKinds('search 2.5', 'documents beside vectors', (index) => [
    ranks(index, { q: vector(0, 1), ...byDocuments({ right: 1 }, everything), limit: 1 }, ['half', closeness(1)]),
  ]),
];

const echoing: Case[] = inBothKinds('search 9', 'the query is told as it was sent', (index) => [
  search(
    index,
    { q: { customVector: { vector: [1, 0.5], content: 'x' } } },
    {
      status: 200,
      answer: expect.objectContaining({
        query: { customVector: { vector: [1, 0.5], content: 'x' } },
        limit: 10,
        offset: 0,
      }),
    },
  ),
  search(
    index,
    { context: weighted([1, 1, 0]), limit: 2, offset: 1 },
    {
      status: 200,
      answer: expect.objectContaining({ query: null, limit: 2, offset: 1, processingTimeMs: expect.any(Number) }),
    },
  ),
]);

/** The vector that a search looks for, and how several become one. */
export const queryVectors: Part = {
  title: 'vectors of a query',
  preparation: [
    create(U, own(2, { normalizeEmbeddings: true })),
    create(
      S,
      own(2, {
        type: 'structured',
        normalizeEmbeddings: true,
        allFields: [field('v', 'custom_vector'), field('title', 'text', 'lexical_search')],
        tensorFields: ['v'],
      }),
    ),
    ...[U, S].map((index) =>
      add(
        index,
        [
          { _id: 'right', v: { vector: [1, 0], content: '' } },
          { _id: 'half', v: { vector: [half, half], content: '' } },
          { _id: 'up', v: { vector: [0, 1], content: '' } },
          { _id: 'bare', title: 'dogs' },
        ],
        index === U ? { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } } : {},
      ),
    ),
    create(TEXTS, small),
    add(
      TEXTS,
      [
        { _id: 'near', t: 'near' },
        { _id: 'far', v: { vector: [1, ...new Array(31).fill(0)] } },
      ],
      { tensorFields: ['t', 'v'], mappings: { v: { type: 'custom_vector' } } },
    ),
  ],
  cases: [...given, ...texts, ...contexts, ...interpolating, ...documentContexts, ...echoing],
};
