import { expect } from 'vitest';
import type { Case, Part } from './case.js';
import { error, holding, inBody, lateError, problems, root, unprocessable } from './errors.js';
import { inBothKinds, S, U } from './kinds.js';
import { add_, hitOf, hybrid, legs, near, preparation, ranks, refused, rrf, times, wholly, words } from './ranked.js';

const modifying: Case[] = [
  ...inBothKinds('search 7.2', 'a field is added to the scores of all matches, none is shown below 0', (index) => [
    ranks(index, words({ scoreModifiers: add_('n') }), [
      ['d', 5],
      ['a', 3],
      ['c', 0],
      ['b', 0],
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
      ['c', 0],
      ['b', 0],
    ]),
  ]),
];

const hybridRoot = inBody('hybridParameters', '__root__');
const refusals: Case[] = [
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
  refused(
    'search 7.1',
    'a fault in scoreModifiers is told by the names that they were sent with',
    words({ scoreModifiers: { addToScore: [{ fieldName: '_id' }] } }),
    error(400, 'invalid_argument', holding('"loc": ["addToScore", 0, "fieldName"]')),
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
];

/** The BM25 of a title of so many words, `count` of them the one that is asked for, but for what is common to all. */
const titled = (count: number, length: number) => (2.2 * count) / (count + 1.2 * (0.25 + (0.75 * length) / (7 / 4)));
const scored = (about: string, scoreModifiers: object, ...hits: readonly (readonly [string, number])[]): Case => ({
  section: 'search 7.5',
  about,
  exchanges: [ranks(U, hybrid({ scoreModifiers }), hits)],
});
const most = titled(3, 3);
const byScores: Case[] = [
  ...['field_title', 'sum', 'max', 'avg'].map((of) =>
    scored(
      `the BM25 of ${of}, divided by the highest`,
      add_(`marqo__score_bm25_${of}`),
      ['b', 1 + rrf(2, 1)],
      ['a', titled(1, 1) / most + rrf(1, 2)],
      ['d', titled(1, 2) / most + rrf(3)],
      ['c', rrf(3)],
    ),
  ),
  ...['field_v', 'sum', 'max', 'avg'].map((of) =>
    scored(
      `the closeness of ${of}, divided by the highest`,
      times(`marqo__score_closeness_retrieval_vector_${of}`),
      ['a', rrf(1, 2)],
      ['b', rrf(2, 1) / 1.4],
      ['d', rrf(3)],
      ['c', rrf(3) / 2],
    ),
  ),
  ...['bm25_field_nobody', 'bm25_title', 'closeness_retrieval_vector_field_title'].map((of) =>
    scored(
      `a score that there is not, ${of}`,
      times(`marqo__score_${of}`, 9),
      ['a', rrf(1, 2)],
      ['b', rrf(2, 1)],
      ['c', rrf(3)],
      ['d', rrf(3)],
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

/** Members that change scores by numbers of their documents. */
export const scoreModifiers: Part = {
  title: 'scores changed by numbers of documents',
  preparation,
  cases: [...modifying, ...single, ...byScores, ...refusals, ...recommending],
};
