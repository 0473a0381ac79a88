import { expect } from 'vitest';
import type { Case, Part } from './case.js';
import {
  badRequest,
  error,
  holding,
  inBody,
  invalidArgument,
  modelError,
  problems,
  root,
  unprocessable,
} from './errors.js';
import { S, U } from './kinds.js';
import {
  add_,
  everything,
  hybrid,
  legs,
  near,
  now,
  preparation,
  ranks,
  refused,
  rrf,
  vector,
  wholly,
  words,
} from './ranked.js';

const counted = { facets: { fields: { n: { type: 'number' } } } };
const sorted = (fields: readonly object[], rest: object = {}) => ({
  ...hybrid({ sortBy: { fields, ...rest } }, everything),
  q: '*',
});
const sorting: Case[] = [
  {
    section: 'search 8.1',
    about: 'hits are in the order of a field, their scores one over the place',
    exchanges: [
      ranks(
        U,
        sorted([{ fieldName: 'n' }]),
        [
          ['d', 1],
          ['a', 1 / 2],
          ['b', 1 / 3],
          ['c', 1 / 4],
        ],
        { _sortCandidates: 4 },
      ),
      ranks(U, sorted([{ field_name: 'n', order: 'asc' }]), [['b'], ['a'], ['d'], ['c']]),
    ],
  },
  {
    section: 'search 8.1',
    about: 'missing values stand first or last in either order',
    exchanges: (['asc', 'desc'] as const).map((order) =>
      ranks(
        U,
        sorted([{ fieldName: 'n', order, missing: 'first' }]),
        order === 'asc' ? [['c'], ['b'], ['a'], ['d']] : [['c'], ['d'], ['a'], ['b']],
      ),
    ),
  },
  {
    section: 'search 8.1',
    about: 'texts and truth values are missing, entries of maps are values',
    exchanges: [
      ranks(U, sorted([{ fieldName: 's' }]), [['a'], ['b'], ['c'], ['d']]),
      ranks(U, sorted([{ fieldName: 'm.k', missing: 'first', order: 'asc' }]), [['b'], ['c'], ['d'], ['a']]),
    ],
  },
  {
    section: 'search 8.1',
    about: 'later keys order what is equal by earlier ones, relevance the rest',
    exchanges: [
      ranks(U, sorted([{ fieldName: 's' }, { fieldName: 'f', order: 'asc' }]), [['b'], ['c'], ['a'], ['d']]),
      ranks(U, hybrid({ sortBy: { fields: [{ fieldName: 'nobody' }] } }), [['a'], ['b'], ['c'], ['d']]),
    ],
  },
  {
    section: 'search 8.1',
    about: 'a search by words sorts all that matches, one by vectors the nearest, facets and totals with them',
    exchanges: [
      ranks(U, words({ sortBy: { fields: [{ fieldName: 'n' }] } }), [['d', 1], ['a', 1 / 2], ['b'], ['c']], {
        _sortCandidates: 4,
      }),
      ranks(
        U,
        {
          ...words({ ...counted, trackTotalHits: true, sortBy: { fields: [{ fieldName: 'n', order: 'asc' }] } }),
          ...{ q: 'dogs', limit: 1 },
        },
        [['b', 1]],
        { totalHits: 3, facets: { n: { sum: 6, avg: 2, min: -2, max: 5, count: 3 } }, _sortCandidates: 3 },
      ),
      ranks(
        U,
        near({ ...counted, trackTotalHits: true, sortBy: { fields: [{ fieldName: 'n', order: 'asc' }] } }),
        [['b', 1], ['a', 1 / 2], ['c']],
        { totalHits: 3, facets: { n: { sum: 1, avg: 0.5, min: -2, max: 3, count: 2 } }, _sortCandidates: 3 },
      ),
      ranks(
        U,
        near({ limit: 1, ...counted, sortBy: { fields: [{ fieldName: 'n', order: 'asc' }], minSortCandidates: 1 } }),
        [['a', 1]],
        { facets: { n: expect.objectContaining({ count: 2 }) }, _sortCandidates: 1 },
      ),
    ],
  },
  {
    section: 'search 8.1',
    about: 'only the first sortDepth hits are sorted',
    exchanges: [ranks(U, sorted([{ fieldName: 'n' }], { sortDepth: 3 }), [['a'], ['b'], ['c'], ['d']])],
  },
  {
    section: 'search 8.1',
    about: 'pages join to the long list',
    exchanges: [0, 1, 2, 3, 4].map((offset) =>
      ranks(
        U,
        { ...sorted([{ fieldName: 'n' }], { minSortCandidates: 100 }), limit: 1, offset },
        [[['d', 1] as const], [['a', 1 / 2] as const], [['b', 1 / 3] as const], [['c', 1 / 4] as const], []][offset] ??
          [],
      ),
    ),
  },
];

const dogs = (rest: object, hybridParameters: object = everything) => ({
  ...hybrid(rest, hybridParameters),
  q: 'dogs',
});
const cut = (method: string, parameters?: object, rest: object = {}) => ({
  relevanceCutoff: { method, ...(parameters && { parameters }), ...rest },
});
const told = (_probeCandidates: number, _relevantCandidates: number) => ({ _probeCandidates, _relevantCandidates });
const counts = (totalHits: number, numbers: number, _postProcessCandidates: number) => ({
  totalHits,
  facets: { n: expect.objectContaining({ count: numbers }) },
  _postProcessCandidates,
});
const cutting: Case[] = [
  {
    section: 'search 8.2',
    about: 'a share of the best score is the least that is relevant',
    exchanges: [
      ranks(U, dogs(cut('relative_max_score', { relativeScoreFactor: 1 })), [['b']], told(3, 1)),
      ranks(U, dogs(cut('relative_max_score', { relative_score_factor: 0 })), [['b'], ['a'], ['d']], told(3, 3)),
    ],
  },
  {
    section: 'search 8.2',
    about: 'the mean and deviations from it',
    exchanges: [
      ranks(U, dogs(cut('mean_std_dev', { stdDevFactor: -9 })), [['b'], ['a'], ['d']], told(3, 3)),
      ranks(U, dogs(cut('mean_std_dev', { stdDevFactor: 9 })), [], told(3, 0)),
    ],
  },
  {
    section: 'search 8.2',
    about: 'the widest gap',
    exchanges: [
      ranks(U, dogs(cut('gap_detection')), [['b'], ['a']], told(3, 2)),
      ranks(U, dogs(cut('gap_detection', undefined, { probeDepth: 1 })), [['b']], told(1, 1)),
    ],
  },
  {
    section: 'search 8.2',
    about: 'pages are cut from what is relevant, by offset too',
    exchanges: [0, 1, 2].map((offset) =>
      ranks(U, { ...dogs(cut('relative_max_score', { relativeScoreFactor: 0 })), limit: 1, offset }, [
        ([['b'], ['a'], ['d']] as const)[offset] ?? [''],
      ]),
    ),
  },
  {
    section: 'search 8.2',
    about: 'each leg of a disjunction gives the relevant number, or only the tensor leg',
    exchanges: [
      ranks(U, hybrid(cut('gap_detection')), [['a'], ['b']], told(3, 2)),
      ranks(
        U,
        hybrid(cut('gap_detection', undefined, { applyInRetrieval: 'tensor' }), { retrievalMethod: 'disjunction' }),
        [['a'], ['b'], ['d']],
      ),
    ],
  },
  {
    section: 'search 8.2',
    about: 'without a word that matches nothing is relevant',
    exchanges: [
      ranks(
        U,
        { ...hybrid(cut('gap_detection')), q: { customVector: { ...vector.customVector, content: 'none' } } },
        [],
        told(0, 0),
      ),
    ],
  },
  {
    section: 'search 8.2',
    about: 'facets and totals count what was found, or what the cut-off leaves',
    exchanges: [
      ranks(U, dogs({ ...cut('gap_detection'), ...counted }), [['b'], ['a']], counts(3, 3, 2)),
      ranks(
        U,
        dogs({ ...cut('gap_detection', undefined, { affectFacets: true }), ...counted }),
        [['b'], ['a']],
        counts(2, 2, 2),
      ),
      ranks(
        U,
        dogs({
          ...cut('gap_detection', undefined, { override_total_hits_with_post_process_candidates: true }),
          ...counted,
        }),
        [['b'], ['a']],
        counts(2, 3, 2),
      ),
      ranks(
        U,
        dogs({ ...cut('gap_detection', undefined, { affectFacets: true }), ...counted, limit: 1, offset: 1 }),
        [['a']],
        counts(2, 2, 2),
      ),
    ],
  },
  {
    section: 'search 8.2',
    about: 'the hits of the legs count where nothing is relevant, too',
    exchanges: [
      ranks(U, dogs({ ...cut('mean_std_dev', { stdDevFactor: 9 }), ...counted }), [], counts(3, 3, 0)),
      ranks(
        U,
        dogs({ ...cut('mean_std_dev', { stdDevFactor: 9 }), ...counted, sortBy: { fields: [{ fieldName: 'n' }] } }),
        [],
        counts(3, 3, 0),
      ),
      ranks(
        U,
        hybrid({ ...cut('mean_std_dev', { stdDevFactor: 9 }), ...counted }, { retrievalMethod: 'disjunction' }),
        [],
        counts(4, 3, 0),
      ),
      ranks(
        U,
        hybrid(
          { ...cut('mean_std_dev', { stdDevFactor: 9 }, { applyInRetrieval: 'tensor' }), ...counted },
          { retrievalMethod: 'disjunction' },
        ),
        [['b'], ['a'], ['d']],
        counts(4, 3, 3),
      ),
    ],
  },
  {
    section: 'search 8.2',
    about: 'relevant documents are sorted',
    exchanges: [
      ranks(
        U,
        dogs({ ...cut('relative_max_score', { relativeScoreFactor: 0 }), sortBy: { fields: [{ fieldName: 'n' }] } }),
        [['d', 1], ['a'], ['b']],
        { _sortCandidates: 3, ...told(3, 3) },
      ),
    ],
  },
];

const recent = (recencyParameters: object, rest: object = {}) => ({
  ...hybrid(rest, everything),
  q: 'dogs',
  recencyParameters: { recencyField: 't', center: now, ...recencyParameters },
});
const half = 0.5 ** 0.5;
const recency = (value: number) => ({ _recency_score: expect.closeTo(value, 6) });
const falloffs: readonly (readonly [string, number])[] = [
  ['exponential', half],
  ['linear', 0.75],
  ['gaussian', 0.5 ** 0.25],
  ['binary', 1],
];
const recencies: Case[] = [
  ...falloffs.map(([decayFunction, value]) => ({
    section: 'search 8.5',
    about: `recency falls in the manner ${decayFunction}`,
    exchanges: [
      ranks(
        U,
        {
          ...recent({ decayFunction, applyInRankingPhase: 'only-global' }),
          q: vector,
          hybridParameters: legs('tensor', 'tensor'),
        },
        [
          ['a', 1, recency(1)],
          ['b', wholly * value, recency(value)],
          ['c', 0.25, recency(0.5)],
        ],
      ),
    ],
  })),
  {
    section: 'search 8.5',
    about: 'scores are multiplied by recency, twice in all phases of a single leg, or it is added',
    exchanges: [
      ranks(
        U,
        { ...recent({ applyInRankingPhase: 'only-global' }), q: vector, hybridParameters: legs('tensor', 'tensor') },
        [
          ['a', 1],
          ['b', wholly * half],
          ['c', 0.25],
        ],
      ),
      ranks(U, { ...recent({}), q: vector, hybridParameters: legs('tensor', 'tensor') }, [
        ['a', 1],
        ['b', wholly * 0.5],
        ['c', 0.125],
      ]),
      ranks(
        U,
        {
          ...recent({ applyInRankingPhase: 'exclude-global', addToScoreWeight: 2 }),
          q: vector,
          hybridParameters: legs('tensor', 'tensor'),
        },
        [
          ['a', 3],
          ['b', wholly + 2 * half],
          ['c', 1.5],
        ],
      ),
    ],
  },
  {
    section: 'search 8.5',
    about: 'after modifiers, on fused scores',
    exchanges: [
      ranks(
        U,
        hybrid({
          scoreModifiers: add_('n'),
          recencyParameters: { recencyField: 't', center: now, decayTo: 0.2, applyInRankingPhase: 'only-global' },
        }),
        [
          ['d', 5 + rrf(3), recency(1)],
          ['a', 3 + rrf(1, 2), recency(1)],
          ['c', rrf(3) * 0.2, recency(0.2)],
          ['b', 0, recency(0.2 ** 0.5)],
        ],
      ),
    ],
  },
  {
    section: 'search 8.5',
    about: 'grows where a document lies ahead',
    exchanges: [
      {
        ...ranks(
          U,
          {
            ...recent({ growFrom: 0.5, growFunction: 'linear', growScale: '4d', growOffset: '0d' }),
            filter: '_id:d',
          },
          [['d', undefined, recency(0.75)]],
        ),
      },
    ],
  },
  {
    section: 'search 9',
    about: 'recency scores are dropped from hits whose fields are listed, unless listed too',
    exchanges: [
      {
        ...ranks(U, { ...recent({}), limit: 1, attributesToRetrieve: ['n'] }, [['d']]),
        answer: expect.objectContaining({ hits: [expect.not.objectContaining({ _recency_score: expect.anything() })] }),
      },
      ranks(U, { ...recent({}), limit: 1, attributesToRetrieve: ['_recency_score'] }, [
        [expect.any(String) as unknown as string, undefined, { _recency_score: expect.any(Number) }],
      ]),
    ],
  },
];

const gap = cut('gap_detection');
const sort = { sortBy: { fields: [{ fieldName: 'n' }] } };
const fresh = { recencyParameters: { recencyField: 't' } };
const refusals: Case[] = [
  ...(
    [
      [
        'relevanceCutoff',
        gap,
        (method: string) =>
          `relevanceCutoff can only be provided for 'HYBRID' search, but received search method '${method}'`,
      ],
      [
        'recencyParameters',
        fresh,
        (method: string) => `Recency parameters can only be provided for 'HYBRID' search. Search method is ${method}.`,
      ],
    ] as const
  ).flatMap(([name, members, message]) => [
    ...['TENSOR', 'LEXICAL'].map((searchMethod) =>
      refused(
        'search 1.3',
        `${name} of a ${searchMethod} search`,
        { q: 'x', searchMethod, ...members },
        unprocessable(problems.rule(root, message(searchMethod))),
      ),
    ),
    refused(
      'search 1.3',
      `${name} in an index that is structured`,
      hybrid(members),
      badRequest(holding('only supported for unstructured indexes')),
      S,
    ),
  ]),
  ...['HYBRID', 'LEXICAL', 'TENSOR'].map((searchMethod) =>
    refused(
      'search 1.3',
      `sortBy in an index that is structured, ${searchMethod}`,
      { ...hybrid(sort), q: 'dogs', searchMethod },
      badRequest(holding('only supported for unstructured indexes')),
      S,
    ),
  ),
  ...['HYBRID', 'LEXICAL', 'TENSOR'].map((searchMethod) =>
    refused(
      'search 1.3',
      `sortBy beside scoreModifiers, ${searchMethod}`,
      { ...hybrid({ ...sort, scoreModifiers: add_('n') }), q: 'dogs', searchMethod },
      unprocessable(problems.rule(root, holding("'sortBy' cannot be used with 'scoreModifiers'"))),
    ),
  ),
  refused(
    'search 1.3',
    'sortBy beside recency of the last phase',
    hybrid({ ...sort, ...fresh }),
    unprocessable(problems.rule(root, holding("'sortBy' cannot be used with 'recencyParameters'"))),
  ),
  refused(
    'search 8.2',
    'a cut-off without its parameter',
    hybrid(cut('relative_max_score')),
    unprocessable(
      problems.rule(
        inBody('relevanceCutoff', 'parameters'),
        "You must provide '['relativeScoreFactor']' as parameters for method 'relative_max_score'",
      ),
    ),
  ),
  ...(
    [
      [
        '8.1',
        'sortBy',
        { fields: [{ field_name: 'a b' }] },
        ['fields', 0, 'field_name'],
        holding("Invalid field name 'a b'"),
      ],
      [
        '8.2',
        'relevanceCutoff',
        { method: 'gap_detection', apply_in_retrieval: 'both' },
        ['apply_in_retrieval'],
        holding('can only be set when'),
      ],
      ['8.5', 'recencyParameters', { recency_field: ' ' }, ['recency_field'], 'recency_field cannot be empty'],
    ] as const
  ).map(([section, name, value, path, message]) =>
    refused(
      `search ${section}`,
      `a fault in ${name} is where its sender put it, by the name that it was sent with`,
      hybrid({ [name]: value }),
      unprocessable(problems.rule(inBody(name, ...path), message)),
    ),
  ),
  refused(
    'search 8.1',
    'a depth that is no number, by the name that it was sent with',
    hybrid({ sortBy: { fields: [{ fieldName: 'n' }], sort_depth: 'all' } }),
    unprocessable(problems.integer(inBody('sortBy', 'sort_depth'))),
  ),
  refused(
    'search 8.5',
    'a duration without a unit',
    hybrid({ recencyParameters: { recencyField: 't', scale: '7' } }),
    unprocessable(
      problems.rule(
        inBody('recencyParameters', 'scale'),
        "Invalid scale format: Invalid duration format: '7'. Expected format: {number}{unit} where unit is 'd' (days) or 'h' (hours). Examples: '1d', '6h', '0.5d'",
      ),
    ),
  ),
];

const rerank = { model: 'cross-encoder/nobody', fields: ['title'] };
const rerankOf = (said: object, rest: object = {}) => ({ ...near({}), rerank: { ...rerank, ...said }, ...rest });
const reranks: Case[] = [
  ...[
    [{ fields: [] }, 'fields', 'ensure this value has at least 1 items'],
    [{ depth: 0 }, 'depth', 'ensure this value is greater than or equal to 1'],
    [{ depth: 1001 }, 'depth', 'ensure this value is less than or equal to 1000'],
    [{ top: 3 }, 'top', 'extra fields not permitted'],
  ].map(([said, member, msg]) =>
    refused('search 8.8', `${JSON.stringify(said)} in rerank`, rerankOf(said as object), {
      answer: expect.objectContaining({
        detail: [expect.objectContaining({ loc: inBody('rerank', member as string), msg })],
      }),
    }),
  ),
  ...[
    { diversity: {} },
    { sortBy: { fields: [{ fieldName: 'n' }] } },
    { withCursor: true },
    { reRanker: 'owl/ViT-B/32' },
  ].map((other) => {
    const [name] = Object.keys(other);
    return refused('search 8.8', `${name} beside rerank`, rerankOf({}, other), {
      answer: expect.objectContaining({
        detail: [
          expect.objectContaining({
            loc: root,
            msg: `'rerank' cannot be used with '${name}': it orders the first hits itself`,
          }),
        ],
      }),
    });
  }),
  {
    section: 'search 8.8',
    about: 'a search without a text to read, a model of another kind, and a name that no field can have',
    exchanges: (
      [
        [
          { q: { customVector: { vector: [1, 0] } }, rerank },
          invalidArgument(
            "rerank needs a text to read with those of hits: give 'rerank.query', or a 'q' that is a text",
          ),
        ],
        [rerankOf({}), modelError(holding('The model of rerank must be one of cross-encoder/ms-marco'))],
        [
          rerankOf({ fields: ['a.b'] }),
          error(400, 'invalid_field_name', holding("Illegal character '.' detected in field name a.b")),
        ],
      ] as const
    ).map(([body, expected]) => ({ request: `POST /indexes/${U}/search`, body, ...expected })),
  },
];

/** Members that sort hits, cut them off, age their scores, and rank them anew. */
export const ordering: Part = {
  title: 'hits sorted, cut off, aged and ranked anew',
  preparation,
  cases: [...sorting, ...cutting, ...recencies, ...refusals, ...reranks],
};
