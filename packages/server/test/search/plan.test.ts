import type { engine } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { planOf } from '../../src/search/plan.js';
import { searchRequest, source, structured, unstructured } from './requests.js';

const planned = (body: object, index = unstructured, documents: engine.DocumentContext | null = null) =>
  planOf(searchRequest(body), source(JSON.stringify(body)), index, 2000, documents, null);
const plan = (body: object, index = unstructured) => planned(body, index).plan;
const parts = (body: object) => planned(body).parts;
const context = { tensor: [{ vector: [1, 2], weight: 0.5 }] };
const customVector = { vector: [3, 4], content: 'words' };

test('a plain text has one part, prefixed, and nothing to interpolate', () => {
  expect(parts({ q: 'red shoe' })).toEqual([{ input: { kind: 'text', text: 'query: red shoe' }, weight: 1 }]);
  expect(plan({ q: 'red shoe', filter: 'a:b' })).toEqual({
    limit: 10,
    offset: 0,
    filter: 'a:b',
    within: null,
    addedFilters: [],
    pinned: [],
    hidden: [],
    attributesToRetrieve: null,
    showHighlights: true,
    explain: false,
    lexicalHighlights: null,
    didYouMean: null,
    retrievalMethod: 'tensor',
    rankingMethod: 'tensor',
    rrf: null,
    context: null,
    tensor: {
      fields: null,
      boosts: null,
      efSearch: 2000,
      approximate: true,
      approximateThreshold: null,
      weights: [1],
      interpolation: null,
      scoreModifiers: null,
      rerankDepth: null,
    },
    lexical: null,
    rerankCount: null,
    rescoring: null,
    recency: null,
    relevanceCutoff: null,
    lateInteraction: null,
    diversity: null,
    sort: null,
    collapse: null,
    facets: null,
    trackTotalHits: false,
    distances: [],
  });
});

test('a key with a filter is told no words of documents that it does not reach', () => {
  const body = { q: 'kettel', searchMethod: 'LEXICAL', didYouMean: true };
  const of = (within: string | null) =>
    planOf(searchRequest(body), source(JSON.stringify(body)), unstructured, 2000, null, within).plan.didYouMean;
  expect(of(null)).toBe('kettel');
  expect(of('tenant:a')).toBeNull();
});

test('highlights have their defaults, and what the request says', () => {
  const defaults = { fields: null, fragmentSize: 150, numberOfFragments: 1, preTag: '<em>', postTag: '</em>' };
  const highlights = (lexicalHighlights: unknown) =>
    plan({ q: 'red', searchMethod: 'LEXICAL', lexicalHighlights }).lexicalHighlights;
  expect(highlights(true)).toEqual(defaults);
  expect(highlights({ fields: null, preTag: null })).toEqual(defaults);
  const said = { fields: ['a'], fragmentSize: 20, numberOfFragments: 0, preTag: '', postTag: '*' };
  expect(highlights(said)).toEqual(said);
  expect(highlights(false)).toBeNull();
});

test('the prefix of the request wins, an empty one too', () => {
  expect(parts({ q: 'a', textQueryPrefix: '' })).toEqual([{ input: { kind: 'text', text: 'a' }, weight: 1 }]);
  expect(parts({ q: 'a', textQueryPrefix: 'p ' })).toEqual([{ input: { kind: 'text', text: 'p a' }, weight: 1 }]);
  expect(parts({ q: 'a', textQueryPrefix: null })).toEqual([{ input: { kind: 'text', text: 'query: a' }, weight: 1 }]);
});

describe('parts are combined in the order texts, context, custom vector', () => {
  test('weighted texts as they stand in the request, names of digits too', () => {
    const texts = (json: string) =>
      planOf(searchRequest(JSON.parse(json)), source(json), unstructured, 2000, null, null).parts.map((part) =>
        'input' in part ? part.input.text : part.vector,
      );
    const weights = '{"pasta":1,"10":2,"2":3}';
    expect(texts(`{"limit":1,"q":${weights}}`)).toEqual(['query: pasta', 'query: 10', 'query: 2']);
    expect(texts(`{"searchMethod":"HYBRID","hybridParameters":{"queryLexical":"a","queryTensor":${weights}}}`)).toEqual(
      ['query: pasta', 'query: 10', 'query: 2'],
    );
  });

  test('weighted texts before context', () => {
    expect(plan({ q: { b: 2, a: -1 }, context }).tensor?.weights).toEqual([2, -1, 0.5]);
    expect(parts({ q: { b: 2, a: -1 }, context })).toEqual([
      { input: { kind: 'text', text: 'query: b' }, weight: 2 },
      { input: { kind: 'text', text: 'query: a' }, weight: -1 },
      { vector: [1, 2], weight: 0.5 },
    ]);
  });
  test('a text before context, as if it weighed 1', () => {
    for (const rest of [{}, { searchMethod: 'HYBRID' }]) {
      const { plan, parts } = planned({ q: 'b', context, ...rest });
      expect(plan.tensor).toEqual(planned({ q: { b: 1 }, context }).plan.tensor);
      expect(parts).toEqual(planned({ q: { b: 1 }, context }).parts);
    }
    const queryTensor = { searchMethod: 'HYBRID', hybridParameters: { queryTensor: 'b', queryLexical: 'c' }, context };
    expect(planned(queryTensor).parts).toEqual(planned({ q: 'b', context }).parts);
  });
  test('context before a custom vector, which weighs 1', () => {
    expect(parts({ q: { customVector }, context })).toEqual([
      { vector: [1, 2], weight: 0.5 },
      { vector: [3, 4], weight: 1 },
    ]);
  });
  test('context alone', () => {
    expect(parts({ context })).toEqual([{ vector: [1, 2], weight: 0.5 }]);
  });
});

test('documents join by slerp where embeddings are normalised, and are part of the plan', () => {
  const documents = {
    documents: [{ id: 'a', weight: 1 }],
    tensorFields: null,
    excludeInputDocuments: true,
    allowMissingDocuments: false,
    allowMissingEmbeddings: false,
  };
  const interpolated = (index: typeof unstructured) =>
    planned({ context }, index, documents).plan.tensor?.interpolation;
  expect(planned({ context }, unstructured, documents).plan.context).toBe(documents);
  expect(interpolated(unstructured)).toBe('slerp');
  expect(interpolated(structured)).toBe('lerp');
});

test('vectors are joined by nlerp where embeddings are normalised, by lerp elsewhere, unless the request says how', () => {
  expect(plan({ q: { a: 1 } }).tensor?.interpolation).toBe('nlerp');
  expect(plan({ q: { a: 1 } }, structured).tensor?.interpolation).toBe('lerp');
  expect(plan({ q: { a: 1 }, interpolationMethod: 'slerp' }).tensor?.interpolation).toBe('slerp');
});

test('a lexical search has words and no vectors', () => {
  expect(plan({ q: 'a "b"', searchMethod: 'lexical', searchableAttributes: ['t'] })).toMatchObject({
    retrievalMethod: 'lexical',
    rankingMethod: 'lexical',
    rrf: null,
    tensor: null,
    lexical: { text: 'a "b"', operand: 'or', fields: ['t'], language: null },
  });
});

test.each(['LEXICAL', 'HYBRID'])('the language of a %s search is that of its words', (searchMethod) => {
  expect(plan({ q: 'x', searchMethod, language: 'de' }).lexical).toMatchObject({ language: 'de' });
  expect(plan({ q: 'x', searchMethod, language: null }).lexical).toMatchObject({ language: null });
});

describe('a hybrid search', () => {
  const plannedHybrid = (hybridParameters: object, rest: object = { q: 'x' }) =>
    planned({ searchMethod: 'HYBRID', hybridParameters, ...rest });
  const hybrid = (hybridParameters: object, rest?: object) => plannedHybrid(hybridParameters, rest).plan;

  test('defaults to both legs fused by rank', () => {
    expect(plan({ q: 'x', searchMethod: 'HYBRID' })).toMatchObject({
      retrievalMethod: 'disjunction',
      rankingMethod: 'rrf',
      rrf: { alpha: 0.5, k: 60 },
      lexical: { text: 'x', operand: 'or', fields: null, language: null },
      tensor: { weights: [1] },
    });
    expect(parts({ q: 'x', searchMethod: 'HYBRID' })).toEqual([
      { input: { kind: 'text', text: 'query: x' }, weight: 1 },
    ]);
  });

  test.each([
    ['tensor', 'tensor', true, false],
    ['lexical', 'lexical', false, true],
    ['tensor', 'lexical', true, true],
    ['lexical', 'tensor', true, true],
  ])('%s retrieval ranked by %s has the legs it needs', (retrievalMethod, rankingMethod, tensor, lexical) => {
    const made = hybrid({ retrievalMethod, rankingMethod });
    expect([made.tensor !== null, made.lexical !== null]).toEqual([tensor, lexical]);
  });

  test('a leg without weight is left out, and nothing is embedded for it', () => {
    const words = plannedHybrid({ alpha: 0 });
    expect([words.plan.tensor, words.parts]).toEqual([null, []]);
    expect(words.plan.lexical).toMatchObject({ text: 'x', operand: 'or', fields: null, language: null });
    const vectors = plannedHybrid({ alpha: 1 });
    expect(vectors.plan.lexical).toBeNull();
    expect(vectors.parts).toEqual([{ input: { kind: 'text', text: 'query: x' }, weight: 1 }]);
  });

  test.each([
    ['and', 'and'],
    ['or', 'or'],
    ['weakAnd', 'or'],
    [null, 'or'],
  ])('the operand %s of the words is %s', (lexicalOperand, operand) => {
    expect(hybrid({ lexicalOperand }).lexical?.operand).toBe(operand);
  });

  test('each leg has its own fields and may have its own query', () => {
    const parameters = {
      queryTensor: { a: 1 },
      queryLexical: 'words',
      searchableAttributesTensor: ['v'],
      searchableAttributesLexical: ['w'],
    };
    const made = plannedHybrid(parameters, {});
    expect(made.plan.tensor).toMatchObject({ fields: ['v'], weights: [1], interpolation: 'nlerp' });
    expect(made.parts).toEqual([{ input: { kind: 'text', text: 'query: a' }, weight: 1 }]);
    expect(made.plan.lexical).toMatchObject({ text: 'words', operand: 'or', fields: ['w'], language: null });
  });

  test('the content of a custom vector is what the lexical leg looks for', () => {
    expect(hybrid({}, { q: { customVector } }).lexical?.text).toBe('words');
    expect(() => hybrid({}, { q: { customVector: { vector: [1, 2] } } })).toThrow(
      "Either 'hybridParameters.queryLexical' or just 'q' must be present",
    );
  });
});

test('a star alone means all fields', () => {
  expect(plan({ q: 'a', attributesToRetrieve: ['*'], searchableAttributes: ['*'] })).toMatchObject({
    attributesToRetrieve: null,
    tensor: { fields: null },
  });
});

describe('changes of scores and their order', () => {
  const snake = { multiply_score_by: [{ field_name: 'a', weight: 2 }], add_to_score: [{ field_name: 'm.k' }] };
  const camel = { multiplyScoreBy: [{ fieldName: 'a', weight: 2 }], addToScore: [{ fieldName: 'm.k' }] };
  const modifiers = { multiply: [{ field: 'a', weight: 2 }], add: [{ field: 'm.k', weight: 1 }] };
  const hybrid = (rest: object) => plan({ q: 'x', searchMethod: 'HYBRID', ...rest });

  test.each([snake, camel])('%j of the only leg', (scoreModifiers) => {
    expect(plan({ q: 'x', scoreModifiers, rerankDepth: 7 }).tensor).toMatchObject({
      scoreModifiers: modifiers,
      rerankDepth: 7,
    });
    const lexical = plan({ q: 'x', searchMethod: 'LEXICAL', scoreModifiers });
    expect(lexical.lexical).toMatchObject({ scoreModifiers: modifiers, modifiedCount: null });
    expect(lexical.rescoring).toBeNull();
  });

  test('modifiers of fused scores and of each leg', () => {
    const add = (field_name: string) => ({ add_to_score: [{ field_name }] });
    const made = hybrid({
      scoreModifiers: snake,
      rerankDepth: 5,
      hybridParameters: {
        scoreModifiersTensor: add('t'),
        scoreModifiersLexical: add('l'),
        rerankDepthTensor: 9,
        secondPhaseModifier: true,
      },
    });
    expect(made.rescoring).toEqual({ scoreModifiers: modifiers, depth: 5 });
    expect(made.tensor).toMatchObject({ scoreModifiers: { add: [{ field: 't', weight: 1 }] }, rerankDepth: 9 });
    expect(made.lexical).toMatchObject({ scoreModifiers: { add: [{ field: 'l', weight: 1 }] }, modifiedCount: 10 });
    expect(hybrid({ hybridParameters: { secondPhaseModifier: true, rerankCount: 3 } }).lexical?.modifiedCount).toBe(3);
  });

  test('recency has its defaults, and durations in seconds', () => {
    const day = 86_400;
    expect(hybrid({ recencyParameters: { recency_field: ' t ', center: 5 } }).recency).toEqual({
      field: 't',
      centerSeconds: 5,
      decay: { falloff: 'exponential', scaleSeconds: 7 * day, offsetSeconds: 0, floor: 0.5 },
      growth: null,
      addToScoreWeight: null,
      tensor: true,
      lexical: true,
      fused: true,
    });
    const grown = {
      ...{ recencyField: 't', scale: '0.5d', offset: '12h', decayFunction: 'linear', decayTo: 0.2 },
      ...{ growFrom: 0.1, growFunction: 'binary', growScale: '1h', growOffset: '0d' },
      ...{ addToScoreWeight: 3, applyInRankingPhase: 'exclude-global', applyToSubqueries: ['lexical'] },
    };
    expect(hybrid({ recencyParameters: grown }).recency).toMatchObject({
      decay: { falloff: 'linear', scaleSeconds: day / 2, offsetSeconds: day / 2, floor: 0.2 },
      growth: { falloff: 'binary', scaleSeconds: 3600, offsetSeconds: 0, floor: 0.1 },
      addToScoreWeight: 3,
      tensor: false,
      lexical: true,
      fused: false,
    });
    const global = { recencyField: 't', applyInRankingPhase: 'only-global' };
    expect(hybrid({ recencyParameters: global }).recency).toMatchObject({ tensor: false, lexical: false, fused: true });
  });

  test.each([null, 0])('the center %s is now', (center) => {
    const before = Date.now() / 1000;
    const now = hybrid({ recencyParameters: { recencyField: 't', center } }).recency?.centerSeconds ?? 0;
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test('methods besides HYBRID count where they are asked to, TENSOR over its rerankDepth', () => {
    const of = (request: object) => {
      const { trackTotalHits, tensor } = planned({ q: 'a', ...request }).plan;
      return [trackTotalHits, tensor?.rerankDepth ?? null];
    };
    expect(of({})).toEqual([false, null]);
    expect(of({ trackTotalHits: true })).toEqual([true, 1000]);
    expect(of({ trackTotalHits: true, rerankDepth: 50 })).toEqual([true, 50]);
    expect(of({ facets: { fields: {} } })).toEqual([false, 1000]);
    expect(of({ searchMethod: 'LEXICAL', trackTotalHits: true })).toEqual([true, null]);
    expect(of({ searchMethod: 'HYBRID' })).toEqual([true, null]);
  });

  test.each([
    [{}, null],
    [{ minSortCandidates: 5 }, 10],
    [{ minSortCandidates: 500 }, 500],
    [{ min_sort_candidates: 500 }, 500],
  ])('sorting with %j sorts %s documents of each leg together', (rest, candidates) => {
    const sortBy = { fields: [{ fieldName: 'a' }, { fieldName: 'b', order: 'asc', missing: 'first' }], ...rest };
    expect(hybrid({ sortBy, offset: 900 }).sort).toEqual({
      fields: [
        { field: 'a', dates: false, descending: true, missingFirst: false },
        { field: 'b', dates: false, descending: false, missingFirst: true },
      ],
      depth: null,
      candidates,
    });
  });

  test('with a cut-off as many are sorted as it leaves, unless the request says how many', () => {
    const relevanceCutoff = { method: 'gap_detection' };
    const sorted = (rest: object) =>
      hybrid({ sortBy: { fields: [{ fieldName: 'a' }], ...rest }, relevanceCutoff }).sort?.candidates;
    expect(sorted({})).toBeNull();
    expect(sorted({ minSortCandidates: 4 })).toBe(4);
  });

  test('the probe of a cut-off has the words and fields of the lexical leg, and none of its modifiers', () => {
    const hybridParameters = {
      retrievalMethod: 'disjunction',
      searchableAttributesLexical: ['t'],
      scoreModifiersLexical: snake,
      lexicalOperand: 'and',
    };
    const relevanceCutoff = { method: 'mean_std_dev', parameters: { stdDevFactor: -1 } };
    const probe = {
      ...{ text: 'x', operand: 'and', fields: ['t'], language: null, typing: null, fieldWeights: [] },
      ...{ scoreModifiers: null, modifiedCount: null, stopWords: null, phraseSlop: 0, sparse: null, textRanking: null },
    };
    expect(hybrid({ hybridParameters, relevanceCutoff }).relevanceCutoff).toEqual({
      ...{ method: 'meanStdDev', factor: -1, probe, probeDepth: 1000, legs: 'both', sortsRelevant: false },
      ...{ facetsRelevant: false, totalsRelevant: false },
    });
    const more = { lexicalOperand: 'or', applyInRetrieval: 'tensor', probeDepth: 7 };
    expect(
      hybrid({ hybridParameters, relevanceCutoff: { ...relevanceCutoff, ...more } }).relevanceCutoff,
    ).toMatchObject({
      ...{ probe: { operand: 'or' }, probeDepth: 7, legs: 'tensor' },
    });
  });

  test('the probe looks for the words where no leg does', () => {
    const hybridParameters = { retrievalMethod: 'tensor', rankingMethod: 'tensor' };
    const relevanceCutoff = { method: 'gap_detection' };
    const made = hybrid({ hybridParameters, relevanceCutoff });
    expect([made.lexical, made.relevanceCutoff?.probe.text]).toEqual([null, 'x']);
    expect(() => hybrid({ q: null, context, hybridParameters, relevanceCutoff })).toThrow(
      "'relevanceCutoff' needs words to judge relevance by",
    );
  });
});

test('a sparse vector stands in place of the words of the lexical leg', () => {
  const sparseQuery = { fieldName: 's', indices: [7, 1], values: [0.5, 2] };
  const sparse = { field: 's', indices: [7, 1], weights: [0.5, 2] };
  const lexical = plan({ searchMethod: 'LEXICAL', sparseQuery });
  expect(lexical).toMatchObject({ retrievalMethod: 'lexical', tensor: null, lexical: { text: '', sparse } });
  const hybrid = plan({ searchMethod: 'HYBRID', q: 'red', sparseQuery });
  expect(hybrid).toMatchObject({ retrievalMethod: 'disjunction', lexical: { text: '', sparse } });
  expect(hybrid.tensor).not.toBeNull();
  expect(plan({ searchMethod: 'LEXICAL', q: 'red' }).lexical?.sparse).toBeNull();
});

test('late interaction has its defaults, and what the request says', () => {
  const vectors = [[1, 2]];
  const late = (said: unknown) => plan({ q: 'red', lateInteraction: said }).lateInteraction;
  expect(late(null)).toBeNull();
  expect(late({ fieldName: 'm', vectors })).toEqual({ field: 'm', vectors, candidates: 100 });
  expect(late({ fieldName: 'm', vectors, candidates: 7 })).toEqual({ field: 'm', vectors, candidates: 7 });
});

test('the diversity of hits has its defaults, and what the request says', () => {
  const diversity = (said: unknown) => plan({ q: 'red', diversity: said }).diversity;
  expect(diversity(null)).toBeNull();
  expect(diversity({})).toEqual({ lambda: 0.5, candidates: 100 });
  expect(diversity({ lambda: 0, candidates: null })).toEqual({ lambda: 0, candidates: 100 });
  expect(diversity({ lambda: null, candidates: 7 })).toEqual({ lambda: 0.5, candidates: 7 });
});
