import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { badRequest, error, holding, inBody, lateError, problems, root, unprocessable } from './errors.js';
import { create, field, own } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const day = 86_400;
const now = 20_000 * day;
const v = (...vector: number[]) => ({ vector, content: '' });
const documents = [
  { _id: 'a', v: v(1, 0), title: 'dogs', n: 3, m: { k: 2, 'x.y': 4 }, t: now },
  { _id: 'b', v: v(0.6, 0.8), title: 'dogs dogs dogs', n: -2, f: 0.5, t: now - 3.5 * day },
  { _id: 'c', v: v(0, 1), title: 'cats', f: 2, t: now - 70 * day },
  { _id: 'd', title: 'dogs cats', n: 5, s: '9', t: now + 2 * day },
];

type Hit = readonly [id: string, score?: number | undefined, rest?: object];
const hitOf = ([_id, score, rest]: Hit) =>
  expect.objectContaining({
    _id,
    ...(score !== undefined && { _score: expect.closeTo(score, 6) }),
    ...rest,
  });

/** A search that answers just these hits, in this order. */
const ranks = (index: string, body: object, hits: readonly Hit[], besides: object = {}): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body,
  status: 200,
  answer: expect.objectContaining({ hits: hits.map(hitOf), ...besides }),
});

const add_ = (field_name: string, weight?: number) => ({ add_to_score: [{ field_name, weight }] });
const times = (field_name: string, weight?: number) => ({ multiply_score_by: [{ field_name, weight }] });
const words = (rest: object) => ({ q: '*', searchMethod: 'LEXICAL', ...rest });
const vector = { customVector: { vector: [1, 0], content: 'dogs' } };
const near = (rest: object) => ({ q: vector, ...rest });
const hybrid = (rest: object, hybridParameters?: object) => ({
  q: vector,
  searchMethod: 'HYBRID',
  ...(hybridParameters && { hybridParameters }),
  ...rest,
});
const legs = (retrievalMethod: string, rankingMethod: string, rest: object = {}) => ({
  retrievalMethod,
  rankingMethod,
  ...rest,
});
const rrf = (...ranks: number[]) => ranks.reduce((sum, rank) => sum + 0.5 / (60 + rank), 0);
const wholly = 1 / (2 - 0.6);

const modifying: Case[] = [
  ...inBothKinds('search 7.2', 'a field is added to the scores of all matches, none ends below 0', (index) => [
    ranks(index, words({ scoreModifiers: add_('n') }), [
      ['d', 5],
      ['a', 3],
      ['b', 0],
      ['c', 0],
    ]),
  ]),
  ...inBothKinds('search 7.2', 'scores are multiplied, by 1 where a document has no such field', (index) => [
    ranks(index, near({ scoreModifiers: times('n', 2) }), [
      ['a', 6],
      ['c', 0.5],
      ['b', 0],
    ]),
  ]),
  ...inBothKinds('search 7.2', 'multiplying comes before adding', (index) => [
    ranks(index, near({ scoreModifiers: { ...times('n'), ...add_('f', 3) } }), [
      ['c', 6.5],
      ['a', 3],
      ['b', 1.5 - 2 * wholly],
    ]),
  ]),
  ...inBothKinds('search 7.1', 'the weight is 1 unless it is given, and the last of a field counts', (index) => [
    ranks(
      index,
      words({ scoreModifiers: { add_to_score: [{ field_name: 'n', weight: 9 }, { field_name: 'n' }] }, limit: 1 }),
      [['d', 5]],
    ),
  ]),
  ...inBothKinds('search 7.1', 'camelCase is another spelling', (index) => [
    ranks(
      index,
      words({ scoreModifiers: { addToScore: [{ fieldName: 'n', weight: 2 }], multiplyScoreBy: null }, limit: 2 }),
      [
        ['d', 10],
        ['a', 6],
      ],
    ),
  ]),
  ...inBothKinds('search 7.3', 'an entry of a map is named behind the first point', (index) => [
    ranks(index, words({ scoreModifiers: add_('m.k'), limit: 2 }), [
      ['a', 2],
      ['b', 0],
    ]),
    ranks(index, words({ scoreModifiers: add_('m.x.y'), limit: 1 }), [['a', 4]]),
  ]),
  {
    section: 'search 7.3',
    about: 'texts and unknown names are no numbers',
    exchanges: [
      ranks(U, words({ scoreModifiers: add_('s') }), [
        ['a', 0],
        ['b', 0],
        ['c', 0],
        ['d', 0],
      ]),
      ranks(U, words({ scoreModifiers: times('nobody'), limit: 1 }), [['a', 0]]),
    ],
  },
  {
    section: 'search 1.3',
    about: 'a declared field must have the feature score_modifier',
    exchanges: ['title', 'nobody', 'title.k'].map((name) => ({
      request: `POST /indexes/${S}/search`,
      body: words({ scoreModifiers: add_(name) }),
      ...error(
        400,
        'invalid_field_name',
        `Index ${S} has no score modifier field ${name}. Available score modifier fields are: n, f, m, t`,
      ),
    })),
  },
  ...inBothKinds('search 7.4', 'modifiers of a lexical search have a say over every match, not the first', (index) => [
    ranks(index, { q: 'dogs', searchMethod: 'LEXICAL', limit: 1, scoreModifiers: add_('n', 10) }, [['d']]),
  ]),
  ...inBothKinds('search 7.4', 'a tensor search changes as many scores as rerankDepth says', (index) => [
    ranks(index, near({ scoreModifiers: add_('f', 10), limit: 1, rerankDepth: 2 }), [['b', 5 + wholly]]),
    ranks(index, near({ scoreModifiers: add_('f', 10), limit: 1 }), [['c', 20.5]]),
  ]),
  ...inBothKinds('search 7.4', 'fused scores are changed after fusion and told beside', (index) => [
    ranks(index, hybrid({ scoreModifiers: add_('n') }), [
      ['d', 5 + rrf(3), { _pre_rerank_score: expect.closeTo(rrf(3), 6) }],
      ['a', 3 + rrf(1, 2), { _pre_rerank_score: expect.closeTo(rrf(1, 2), 6) }],
      ['c', rrf(3), { _pre_rerank_score: expect.closeTo(rrf(3), 6) }],
      ['b', 0, { _pre_rerank_score: expect.closeTo(rrf(2, 1), 6) }],
    ]),
  ]),
  ...inBothKinds('search 7.4', 'behind rerankDepth fused scores stay as they are', (index) => [
    ranks(index, hybrid({ scoreModifiers: add_('n'), rerankDepth: 1 }), [
      ['a', 3 + rrf(1, 2)],
      ['b', rrf(1, 2)],
      ['c'],
      ['d'],
    ]),
    ranks(index, hybrid({ scoreModifiers: add_('n'), rerankDepth: 0, limit: 1 }), [['a', rrf(1, 2)]]),
  ]),
  ...inBothKinds('search 6.2', 'modifiers of a leg change its ranks', (index) => [
    ranks(index, hybrid({ limit: 1 }, { scoreModifiersTensor: add_('f', 10), alpha: 1 }), [['c', 1 / 61]]),
    ranks(index, hybrid({ limit: 1 }, { scoreModifiersLexical: add_('n', 10), alpha: 0 }), [
      ['d', 1 / 61, { _lexical_score: expect.toSatisfy((score: number) => score > 50) }],
    ]),
  ]),
];

const single: Case[] = [
  ...inBothKinds('search 6.3', 'tensor candidates are ranked by their words, and these modified', (index) => [
    ranks(index, hybrid({}, legs('tensor', 'lexical', { scoreModifiersLexical: add_('f', 100) })), [
      ['c', 200],
      ['b'],
      ['a'],
    ]),
  ]),
  ...inBothKinds('search 6.3', 'modified words decide which documents go on to be ranked by vectors', (index) => [
    ranks(index, hybrid({ limit: 1 }, legs('lexical', 'tensor', { scoreModifiersLexical: add_('n', 10) })), [['d', 0]]),
    ranks(
      index,
      hybrid({ limit: 1 }, legs('lexical', 'tensor', { scoreModifiersLexical: add_('n', 10), rerankCount: 2 })),
      [['a', 1]],
    ),
    ranks(
      index,
      hybrid({ limit: 1 }, legs('lexical', 'tensor', { rerankCount: 3, scoreModifiersTensor: add_('n', 1) })),
      [['d', 5]],
    ),
  ]),
  ...inBothKinds('search 6.3', 'tensor candidates of rerankDepthTensor are ranked by words', (index) => [
    ranks(index, hybrid({ limit: 1 }, legs('tensor', 'lexical', { rerankDepthTensor: 2 })), [['b']]),
    ranks(index, hybrid({ limit: 1 }, legs('tensor', 'lexical')), [['a']]),
  ]),
  ...inBothKinds('search 6.3', 'modifiers of the second phase change the best rerankCount by words', (index) => [
    ranks(
      index,
      hybrid(
        {},
        legs('lexical', 'lexical', {
          ...{ scoreModifiersLexical: add_('n', 10), secondPhaseModifier: true, rerankCount: 2 },
          ...{ rerankDepthLexical: 100, weakAndParameters: { stopwordLimit: 0.5, allowDropAll: true } },
        }),
      ),
      [['a'], ['b', 0], ['d']],
    ),
  ]),
  ...inBothKinds('search 6.3', 'single legs answer as TENSOR and LEXICAL with the same modifiers', (index) => [
    ranks(index, hybrid({}, legs('tensor', 'tensor', { scoreModifiersTensor: times('n', 2) })), [
      ['a', 6],
      ['c', 0.5],
      ['b', 0],
    ]),
    ranks(index, { ...hybrid({}, legs('lexical', 'lexical', { scoreModifiersLexical: add_('n') })), q: '*' }, [
      ['d', 5],
      ['a', 3],
      ['b', 0],
      ['c', 0],
    ]),
  ]),
];

const everything = { ...legs('lexical', 'lexical') };
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
    about: 'what is relevant is sorted',
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

const refused = (section: string, about: string, body: object, expected: object, index: string = U): Case => ({
  section,
  about,
  exchanges: [{ request: `POST /indexes/${index}/search`, body, status: 422, ...expected }],
});
const gap = cut('gap_detection');
const sort = { sortBy: { fields: [{ fieldName: 'n' }] } };
const fresh = { recencyParameters: { recencyField: 't' } };
const hybridRoot = inBody('hybridParameters', '__root__');
const refusals: Case[] = [
  ...(
    [
      [
        'sortBy',
        sort,
        (method: string) => `sortBy can only be provided for 'HYBRID' search, but received search method ${method}`,
      ],
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
  refused(
    'search 1.3',
    'sortBy beside scoreModifiers',
    hybrid({ ...sort, scoreModifiers: add_('n') }),
    unprocessable(problems.rule(root, holding("'sortBy' cannot be used with 'scoreModifiers'"))),
  ),
  refused(
    'search 1.3',
    'sortBy beside recency of the last phase',
    hybrid({ ...sort, ...fresh }),
    unprocessable(problems.rule(root, holding("'sortBy' cannot be used with 'recencyParameters'"))),
  ),
  ...['TENSOR', 'LEXICAL', 'HYBRID'].map((searchMethod) =>
    refused(
      'search 7.1',
      `scoreModifiers without a list, ${searchMethod}`,
      { q: 'x', searchMethod, scoreModifiers: {} },
      {
        ...error(
          400,
          'invalid_argument',
          holding('At least one of multiply_score_by or add_to_score must be provided'),
        ),
      },
    ),
  ),
  refused(
    'search 7.1',
    'a list of scoreModifiers without an entry',
    words({ scoreModifiers: { add_to_score: [] } }),
    error(400, 'invalid_argument', holding('At least one ScoreModifierOperator is required in add_to_score')),
  ),
  refused(
    'search 7.1',
    'the id as a score modifier',
    words({ scoreModifiers: add_('_id') }),
    error(400, 'invalid_argument', holding('_id is not allowed as a field_name')),
  ),
  ...['tensor', 'lexical'].map((ranking) =>
    refused(
      'search 1.3',
      `scoreModifiers of a hybrid search ranked by ${ranking}`,
      hybrid({ scoreModifiers: add_('n') }, legs(ranking, ranking)),
      lateError(
        '__root__',
        `'scoreModifiers' is only supported for hybrid search if 'rankingMethod' is 'RRF'. For your 'rankingMethod': ${ranking}, define the 'scoreModifiersTensor' and/or 'scoreModifiersLexical' keys inside the 'hybridParameters' dict parameter.`,
      ),
    ),
  ),
  refused(
    'search 1.3',
    'rerankDepth of a LEXICAL search',
    words({ rerankDepth: 1 }),
    unprocessable(problems.rule(root, "'rerankDepth' is currently not supported for 'LEXICAL' search method.")),
  ),
  refused(
    'search 1.3',
    'rerankDepth below 0',
    near({ rerankDepth: -1 }),
    unprocessable(problems.rule(root, 'rerankDepth cannot be negative.')),
  ),
  refused(
    'search 6.1',
    'scoreModifiersTensor where words rank',
    hybrid({}, legs('tensor', 'lexical', { scoreModifiersTensor: add_('n') })),
    unprocessable(
      problems.rule(hybridRoot, "'scoreModifiersTensor' can only be defined for 'tensor', 'rrf', ranking methods"),
    ),
  ),
  refused(
    'search 6.1',
    'rerankDepthLexical where words do not find',
    hybrid({}, legs('tensor', 'tensor', { rerankDepthLexical: 1 })),
    unprocessable(
      problems.rule(
        hybridRoot,
        "'rerankDepthLexical' can only be set when 'retrievalMethod' is 'lexical' or 'disjunction'",
      ),
    ),
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

const recommending: Case[] = inBothKinds('search 7.4', 'a recommendation takes score modifiers', (index) => [
  {
    request: `POST /indexes/${index}/recommend`,
    body: { documents: ['a'], scoreModifiers: add_('f', 10), rerankDepth: 5 },
    status: 200,
    answer: expect.objectContaining({ hits: [hitOf(['c', 20.5]), hitOf(['b', 5 + wholly])] }),
  },
]);

/** What changes scores and the order of hits by numbers of their documents. */
export const ranking: Part = {
  title: 'ranking by numbers of documents',
  preparation: [
    create(U, own(2)),
    create(
      S,
      own(2, {
        type: 'structured',
        allFields: [
          field('title', 'text', 'lexical_search'),
          field('v', 'custom_vector'),
          field('s', 'text'),
          ...['n', 'f', 'm', 't'].map((name) =>
            field(name, { n: 'int', f: 'float', m: 'map<text, int>', t: 'double' }[name] ?? '', 'score_modifier'),
          ),
        ],
        tensorFields: ['v'],
      }),
    ),
    add(U, documents, { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } }),
    add(S, documents),
  ],
  cases: [...modifying, ...single, ...sorting, ...cutting, ...recencies, ...refusals, ...recommending],
};
