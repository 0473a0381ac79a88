import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { error, holding, inBody, invalidArgument, type Problem, problems, root, unprocessable } from './errors.js';
import { kinds, S, U } from './kinds.js';
import { add_, hybrid, legs, near, preparation, refused, vector } from './ranked.js';

const found = { status: 200, answer: expect.objectContaining({ hits: expect.any(Array) }) };
const search = (body: object, expected: object, index: string = U): Exchange =>
  ({ request: `POST /indexes/${index}/search`, body, ...expected }) as Exchange;
/** A search whose body has not the shape, in both kinds of index: the shape comes before the index. */
const misshapen = (section: string, about: string, body: object, problem: Problem): Case => ({
  section,
  about,
  exchanges: kinds.map((index) => search(body, unprocessable(problem), index)),
});
const rule = (msg: unknown, ...path: (string | number)[]) => problems.rule(inBody(...path), msg);

const sortBy = (rest: object) => hybrid({ sortBy: { fields: [{ fieldName: 'n' }], ...rest } });
const cutoff = (rest: object, hybridParameters?: object) =>
  hybrid({ relevanceCutoff: { method: 'gap_detection', ...rest } }, hybridParameters);
const recency = (rest: object, hybridParameters?: object) =>
  hybrid({ recencyParameters: { recencyField: 't', ...rest } }, hybridParameters);
const facet = (field: object, rest: object = {}) => hybrid({ facets: { fields: { n: field }, ...rest } });
const numbers = { type: 'number' };
const contextAlone = { context: { tensor: [{ vector: [1, 0], weight: 1 }] } };
const grown = { growFrom: 0.5, growFunction: 'linear', growScale: '1d', growOffset: '0d' };

const unknown: Case[] = (
  [
    ['an entry of sortBy', sortBy({ fields: [{ fieldName: 'n', most: 1 }] }), ['sortBy', 'fields', 0]],
    ['parameters of a cut-off', cutoff({ parameters: { most: 1 } }), ['relevanceCutoff', 'parameters']],
    ['collapseFields', hybrid({ collapseFields: [{ name: 'n', most: 1 }] }), ['collapseFields', 0]],
    ['a facet', facet({ ...numbers, most: 1 }), ['facets', 'fields', 'n']],
    ['a range', facet({ ...numbers, ranges: [{ to: 1, most: 1 }] }), ['facets', 'fields', 'n', 'ranges', 0]],
    [
      'weakAndParameters',
      hybrid({}, { rerankDepthLexical: 1, weakAndParameters: { most: 1 } }),
      ['hybridParameters', 'weakAndParameters'],
    ],
  ] as const
).map(([what, body, path]) =>
  misshapen('search 1.1', `an unknown member of ${what}`, body, problems.extra(inBody(...path, 'most'))),
);

const spellings: Case[] = [
  misshapen(
    'search 1.1',
    'facets have one spelling',
    facet({ ...numbers, max_results: 1 }),
    problems.extra(inBody('facets', 'fields', 'n', 'max_results')),
  ),
  misshapen(
    'search 1.1',
    'hybridParameters have one spelling',
    hybrid({}, { retrieval_method: 'disjunction' }),
    problems.extra(inBody('hybridParameters', 'retrieval_method')),
  ),
  {
    section: 'search 1.1',
    about: 'sortBy, relevanceCutoff and recencyParameters are taken in snake_case',
    exchanges: [
      search(hybrid({ sortBy: { fields: [{ field_name: 'n' }], sort_depth: 1, min_sort_candidates: 2 } }), found),
      search(
        hybrid({
          relevanceCutoff: {
            ...{ method: 'mean_std_dev', parameters: { std_dev_factor: 1 }, probe_depth: 5, lexical_operand: 'or' },
            ...{ affect_facets: true, override_sort_candidates_with_relevant_candidates: true },
            override_limit_plus_offset: true,
          },
        }),
        found,
      ),
      search(
        hybrid({
          recencyParameters: {
            ...{ recency_field: 't', decay_function: 'linear', decay_to: 0.2, apply_in_ranking_phase: 'all' },
            ...{ add_to_score_weight: 1, apply_to_subqueries: ['tensor'] },
            ...{ grow_from: 0.5, grow_function: 'linear', grow_scale: '1d', grow_offset: '0d' },
          },
        }),
        found,
      ),
    ],
  },
  ...['q', 'hybridParameters', 'language', 'sortBy', 'relevanceCutoff', 'interpolationMethod', 'collapseFields']
    .concat('recencyParameters', 'trackTotalHits', 'explain', 'lexicalHighlights', 'withCursor', 'cursor')
    .concat(
      'fieldWeights',
      'stopWords',
      'textRanking',
      'prefix',
      'typoTolerance',
      'splitJoinTokens',
      'decompound',
      'phraseSlop',
      'didYouMean',
      'imageDownloadHeaders',
      'image_download_headers',
      'mediaDownloadHeaders',
      'searchMethod',
    )
    .map((name) => ({
      section: 'search 1.1',
      about: `${name} may be null`,
      exchanges: [search({ ...near({}), context: null, [name]: null, ...(name === 'q' && contextAlone) }, found)],
    })),
  misshapen('search 1.1', 'a truth value is no integer', near({ limit: true }), problems.integer(inBody('limit'))),
];

const order: Case[] = [
  refused(
    'search 1.2',
    'the page before boost',
    { q: 'x', ...contextAlone, limit: 1001, boost: { title: [] } },
    error(400, 'illegal_requested_doc_count', holding('MARQO_MAX_SEARCH_LIMIT')),
  ),
  refused(
    'search 1.2',
    'boost before names',
    near({ boost: { title: [] }, searchableAttributes: ['a.b'] }),
    invalidArgument(holding('Boost dictionaries have structure')),
  ),
  refused(
    'search 1.2',
    'fields to search before fields to return',
    near({ searchableAttributes: ['a.b'], attributesToRetrieve: ['a/b'] }),
    error(400, 'invalid_field_name', holding("Illegal character '.'")),
  ),
  refused(
    'search 1.2',
    'the number of documents of a context before rules of the method',
    hybrid({
      q: null,
      context: { documents: { ids: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`${i}`, 1])) } },
      searchableAttributes: ['title'],
    }),
    error(400, 'illegal_requested_doc_count', holding('Search context documents limit exceeded.')),
  ),
];

const atDevice = (body: object, index: string, expected: object): Exchange => ({
  ...search(body, expected, index),
  request: `POST /indexes/${index}/search?device=tpu`,
});
const late = (text: string) => error(400, 'invalid_argument', holding(text), '');
const noDevice = invalidArgument(holding("doesn't start with a known device type"));
const deviceOrder: Case[] = [
  {
    section: 'search 1.2',
    about: 'the device before the shape, the bounds and the index, but not before JSON',
    exchanges: [
      atDevice(near({ most: 1 }), U, noDevice),
      atDevice(near({ limit: 0 }), U, noDevice),
      atDevice(near({}), 'nobody', noDevice),
      { ...atDevice({}, U, { status: 422 }), body: '{"q":' },
    ],
  },
  {
    section: 'search 1.2',
    about: 'faults that need no index before the groups of an index',
    exchanges: kinds.map((index) =>
      search(
        hybrid({ collapseFields: [{ name: 'title' }], searchableAttributes: ['title'] }),
        late("'searchableAttributes' cannot be used for hybrid search."),
        index,
      ),
    ),
  },
];

const ranked = (section: string, name: string, rules: readonly (readonly [string, object, string])[]): Case[] =>
  rules.map(([about, hybridParameters, msg]) =>
    misshapen(section, about, hybrid({}, hybridParameters), rule(msg, name, '__root__')),
  );
const legRules: Case[] = [
  ...ranked('search 6.1', 'hybridParameters', [
    [
      'scoreModifiersLexical where words have no say',
      legs('tensor', 'tensor', { scoreModifiersLexical: add_('n') }),
      "'scoreModifiersLexical' can only be defined for 'lexical', 'rrf' ranking methods or 'lexical' retrieval method.",
    ],
  ]),
  ...['stopwordLimit', 'adjustTarget', 'filterThreshold'].map((name) =>
    misshapen(
      'search 6.1',
      `${name} above 1`,
      hybrid({}, { rerankDepthLexical: 1, weakAndParameters: { [name]: 1.1 } }),
      problems.atMost(inBody('hybridParameters', 'weakAndParameters', name), 1),
    ),
  ),
  refused(
    'search 6.1',
    'words alone where vectors have a say',
    hybrid({ q: null }, { queryLexical: 'dogs' }),
    invalidArgument(holding('could not collect any vectors from the search query')),
  ),
];

const listed = (message: string) => error(400, 'invalid_argument', message);
const modifiers: Case[] = [
  refused(
    'search 7.1',
    'an unknown member of a modifier',
    near({ scoreModifiers: { add_to_score: [{ field_name: 'n', most: 1 }] } }),
    listed(
      'Error validating score_modifiers: [{"loc": ["add_to_score", 0, "most"], "msg": "extra fields not permitted", "type": "value_error.extra"}]',
    ),
  ),
  refused(
    'search 7.1',
    'a weight that is no number',
    hybrid({}, { scoreModifiersTensor: { multiply_score_by: [{ field_name: 'n', weight: 'x' }] } }),
    listed(
      'Error validating score_modifiers_tensor: [{"loc": ["multiply_score_by", 0, "weight"], "msg": "value is not a valid float", "type": "type_error.float"}]',
    ),
  ),
  ...['bm25_field_title', 'closeness_retrieval_vector_max'].map((suffix) => ({
    section: 'search 7.5',
    about: `the score ${suffix} is no field of a structured index`,
    exchanges: [
      search(
        hybrid({ scoreModifiers: { add_to_score: [{ field_name: 'n' }, { field_name: `marqo__score_${suffix}` }] } }),
        error(400, 'bad_request', holding(`cannot name the score 'marqo__score_${suffix}'`)),
        S,
      ),
    ],
  })),
];

const sorting: Case[] = [
  ...([0, 4] as const).map((count) =>
    misshapen(
      'search 8.1',
      `${count} fields to sort by`,
      sortBy({ fields: Array.from({ length: count }, () => ({ fieldName: 'n' })) }),
      {
        loc: inBody('sortBy', 'fields'),
        msg: `ensure this value has at ${count === 0 ? 'least 1' : 'most 3'} items`,
        type: `value_error.list.${count === 0 ? 'min' : 'max'}_items`,
        ctx: { limit_value: count === 0 ? 1 : 3 },
      },
    ),
  ),
  ...['sortDepth', 'minSortCandidates'].map((name) =>
    misshapen('search 8.1', `${name} of 0`, sortBy({ [name]: 0 }), problems.atLeast(inBody('sortBy', name), 1)),
  ),
  misshapen(
    'search 8.1',
    'an unknown order',
    sortBy({ fields: [{ fieldName: 'n', order: 'up' }] }),
    problems.oneOf(inBody('sortBy', 'fields', 0, 'order'), ['asc', 'desc']),
  ),
  misshapen(
    'search 8.1',
    'an unknown place of missing values',
    sortBy({ fields: [{ fieldName: 'n', missing: 'mid' }] }),
    problems.oneOf(inBody('sortBy', 'fields', 0, 'missing'), ['first', 'last']),
  ),
  ...['1n', 'a-b', '_id', '_score'].map((fieldName) =>
    misshapen(
      'search 8.1',
      `the field ${fieldName}`,
      sortBy({ fields: [{ fieldName }] }),
      rule(holding(`Invalid field name '${fieldName}'.`), 'sortBy', 'fields', 0, 'fieldName'),
    ),
  ),
];

const disjunction = { retrievalMethod: 'disjunction' };
const inRetrieval = (msg: string) => rule(msg, 'relevanceCutoff', 'applyInRetrieval');
const cutting: Case[] = [
  misshapen(
    'search 8.2',
    'a gap with parameters',
    cutoff({ parameters: { stdDevFactor: 1 } }),
    rule(
      "gap_detection does not require any parameters, but received {'stdDevFactor': 1}",
      'relevanceCutoff',
      'parameters',
    ),
  ),
  ...[undefined, { relativeScoreFactor: 1 }].map((parameters) =>
    misshapen(
      'search 8.2',
      `deviations with the parameters ${JSON.stringify(parameters)}`,
      cutoff({ method: 'mean_std_dev', parameters }),
      rule("You must provide '['stdDevFactor']' as parameters for mean_std_dev", 'relevanceCutoff', 'parameters'),
    ),
  ),
  misshapen(
    'search 8.2',
    'more than the best score',
    cutoff({ method: 'relative_max_score', parameters: { relativeScoreFactor: 1.1 } }),
    problems.atMost(inBody('relevanceCutoff', 'parameters', 'relativeScoreFactor'), 1),
  ),
  misshapen(
    'search 8.2',
    'a probe of none',
    cutoff({ probeDepth: 0 }),
    problems.atLeast(inBody('relevanceCutoff', 'probeDepth'), 1),
  ),
  misshapen(
    'search 8.2',
    'one leg alone where no disjunction is named',
    cutoff({ applyInRetrieval: 'tensor' }),
    inRetrieval(
      "relevanceCutoff.applyInRetrieval can only be set when hybridParameters.retrievalMethod is 'disjunction'",
    ),
  ),
  misshapen(
    'search 8.2',
    'the leg of words alone',
    cutoff({ applyInRetrieval: 'lexical' }, disjunction),
    inRetrieval("applyInRetrieval='lexical' is not currently supported. Only 'tensor' and 'both' are available."),
  ),
  misshapen(
    'search 8.2',
    'one leg alone beside what is sorted',
    cutoff({ applyInRetrieval: 'tensor', overrideSortCandidatesWithRelevantCandidates: true }, disjunction),
    inRetrieval("applyInRetrieval='tensor' cannot be used with overrideSortCandidatesWithRelevantCandidates"),
  ),
];

const inField = ['facets', 'fields', 'n'] as const;
const counting: Case[] = [
  misshapen(
    'search 8.3',
    'facets without fields',
    hybrid({ facets: {} }),
    problems.missing(inBody('facets', 'fields')),
  ),
  misshapen('search 8.3', 'a facet without a type', facet({}), problems.missing(inBody(...inField, 'type'))),
  misshapen(
    'search 8.3',
    'a maxDepth of 0',
    facet(numbers, { maxDepth: 0 }),
    rule("'maxDepth' must be greater than 0", 'facets', 'maxDepth'),
  ),
  misshapen(
    'search 8.3',
    'maxResults of all facets',
    facet(numbers, { maxResults: 0 }),
    rule("'maxResults' must be greater than 0", 'facets', 'maxResults'),
  ),
  ...(
    [
      [[{ from: 1 }, { from: 2, to: 3 }], "Open-ended ranges (missing 'to' value) will overlap with subsequent ranges"],
      [[{ to: 1 }, { to: 0 }], "Open-ended ranges (missing 'from' value) will overlap with previous ranges"],
    ] as const
  ).map(([ranges, msg]) =>
    misshapen(
      'search 8.3',
      `the ranges ${JSON.stringify(ranges)}`,
      facet({ ...numbers, ranges }),
      rule(msg, ...inField, 'ranges'),
    ),
  ),
];

const inRecency = (name: string) => inBody('recencyParameters', name);
const aging: Case[] = [
  misshapen(
    'search 8.5',
    'no field of times',
    hybrid({ recencyParameters: {} }),
    problems.missing(inRecency('recencyField')),
  ),
  misshapen(
    'search 8.5',
    'a field of blanks',
    recency({ recencyField: ' ' }),
    rule('recency_field cannot be empty', 'recencyParameters', 'recencyField'),
  ),
  ...['decayTo', 'addToScoreWeight', 'growFrom'].map((name) =>
    misshapen('search 8.5', `${name} of 0`, recency({ ...grown, [name]: 0 }), problems.above(inRecency(name), 0)),
  ),
  ...['decayTo', 'growFrom'].map((name) =>
    misshapen('search 8.5', `${name} above 1`, recency({ ...grown, [name]: 1.1 }), problems.atMost(inRecency(name), 1)),
  ),
  misshapen('search 8.5', 'a center before 1970', recency({ center: -1 }), problems.atLeast(inRecency('center'), 0)),
  ...(['scale', 'growScale'] as const).map((name) =>
    misshapen(
      'search 8.5',
      `${name} of no time`,
      recency({ ...grown, [name]: '0d' }),
      rule(`${name === 'scale' ? 'scale' : 'grow_scale'} must be greater than 0`, 'recencyParameters', name),
    ),
  ),
  misshapen(
    'search 8.5',
    'an unknown manner',
    recency({ decayFunction: 'cubic' }),
    problems.oneOf(inRecency('decayFunction'), ['exponential', 'linear', 'gaussian', 'binary']),
  ),
  misshapen(
    'search 8.5',
    'some of what growth needs',
    recency({ growFrom: 0.5 }),
    rule(
      "Grow parameters must be either all provided or all omitted. Provided: ['grow_from']. Missing: ['grow_function', 'grow_scale', 'grow_offset'].",
      'recencyParameters',
      '__root__',
    ),
  ),
  misshapen(
    'search 8.5',
    'one leg alone where there is no other',
    recency({ applyToSubqueries: ['lexical'] }, legs('lexical', 'lexical')),
    problems.rule(
      root,
      "'applyToSubqueries' can only be used with 'disjunction' retrieval method. Retrieval method is 'lexical'.",
    ),
  ),
];

const legacy: Case[] = [
  misshapen(
    'search 10',
    'the member filterableAttributes of before 2.0',
    { q: vector, filterableAttributes: null },
    problems.extra(inBody('filterableAttributes')),
  ),
  misshapen(
    'search 10',
    'an older name of showHighlights that is no truth value',
    { q: vector, highlight: 'perhaps' },
    problems.boolean(inBody('highlight')),
  ),
  misshapen('search 1.3', 'boosts that are no object', near({ boost: [1, 0] }), problems.object(inBody('boost'))),
  ...kinds.flatMap((index) => [
    ...[[], [1, 2, 3], ['1'], [1, null], 2, null, { weight: 1 }].map((numbers) =>
      refused(
        'search 1.3',
        `a boost of ${JSON.stringify(numbers)} in an index that is ${index}`,
        near({ boost: { title: numbers } }),
        invalidArgument(
          holding('Boost dictionaries have structure <attribute (string)>: <[weight (float), bias (float)]>'),
        ),
        index,
      ),
    ),
    refused(
      'search 1.3',
      `a boost by a name that no field has, in an index that is ${index}`,
      near({ boost: { 'a.b': [1, 0] } }),
      error(400, 'invalid_field_name', holding("Illegal character '.'")),
      index,
    ),
  ]),
];

/** The values that a search may not have, member by member. */
export const searchRules: Part = {
  title: 'rules of the members of a search',
  preparation,
  cases: [
    ...[...unknown, ...spellings, ...order, ...deviceOrder, ...legRules, ...modifiers],
    ...[...sorting, ...cutting, ...counting, ...aging, ...legacy],
  ],
};
