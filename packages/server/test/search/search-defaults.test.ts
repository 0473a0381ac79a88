import { schemas } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { beginningProblem } from '../../src/search/cursor-rules.js';
import { defaultsProblems, saidDefaults, withDefaults } from '../../src/search/search-defaults.js';
import { memberProblems, type SearchRequest } from '../../src/search/shape.js';
import { type Body, oneOf, randomBody, randomOf } from './random-bodies.js';
import { searchRequest } from './requests.js';

type Defaults = schemas.SearchDefaults;

/** By member a default, and another value that a search names itself. */
const values: {
  readonly [Name in Exclude<keyof Defaults, 'hybridParameters'>]-?: readonly [Defaults[Name], Defaults[Name]];
} = {
  language: ['de', 'en'],
  fieldWeights: [{ title: 3, plot: 2 }, { title: 1 }],
  stopWords: ['auto', 'none'],
  textRanking: [{ proximity: 1 }, false],
  prefix: ['last', { title: 'all' }],
  typoTolerance: [{ oneTypoFrom: 3 }, false],
  splitJoinTokens: [true, false],
  decompound: [true, false],
  phraseSlop: [2, 0],
  didYouMean: [true, false],
};
const fusion = { alpha: [0.3, 0], rrfK: [10, 0] } as const;
const everyOne: Defaults = {
  ...Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, value])),
  hybridParameters: { alpha: 0.3, rrfK: 10 },
};
const wordNames = Object.keys(values);
const fusionNames = ['hybridParameters.alpha', 'hybridParameters.rrfK'];
const byWords = { q: 'dogs', searchMethod: 'LEXICAL' };
const fused = { q: 'dogs', searchMethod: 'HYBRID' };
const byVectors = { retrievalMethod: 'tensor', rankingMethod: 'tensor' };

test('every member that may be a default has its case here', () => {
  const { hybridParameters: _, ...members } = schemas.SearchDefaults.properties;
  expect(Object.keys(members).toSorted()).toEqual(wordNames.toSorted());
  expect(Object.keys(schemas.DefaultHybridParameters.properties)).toEqual(Object.keys(fusion));
});

describe.each(Object.entries(values))('the default of %s', (name, [value, other]) => {
  const defaults = { [name]: value };

  test.each([byWords, fused])('counts where a search by words leaves it out, %j', (body) => {
    const expected = { request: searchRequest({ ...body, [name]: value }), names: [name] };
    expect(withDefaults(searchRequest(body), defaults)).toEqual(expected);
    const asNull = searchRequest({ ...body, [name]: null });
    expect(withDefaults(asNull, defaults)).toEqual(expected);
  });

  test('gives way to that of the search, as a whole', () => {
    const request = searchRequest({ ...byWords, [name]: other });
    expect(withDefaults(request, defaults)).toEqual({ request, names: [] });
  });

  test.each([
    { q: 'dogs' },
    // A search by vectors alone takes a language, which says nothing there.
    ...(name === 'language' ? [] : [{ ...fused, hybridParameters: byVectors }]),
    { searchMethod: 'LEXICAL', sparseQuery: { fieldName: 's', indices: [1], values: [1] } },
  ])('is nothing to a search that has no words, %j', (body) => {
    const request = searchRequest(body);
    expect(withDefaults(request, defaults)).toEqual({ request, names: [] });
  });
});

describe.each(Object.entries(fusion))('the default of hybridParameters.%s', (name, [value, other]) => {
  const defaults = { hybridParameters: { [name]: value } };
  const names = [`hybridParameters.${name}`];

  test.each([{}, { hybridParameters: {} }, { hybridParameters: { lexicalOperand: 'and', [name]: null } }])(
    'counts where a search that fuses its legs leaves it out, %j',
    (rest) => {
      const request = searchRequest({ ...fused, ...rest });
      const hybridParameters = { ...request.hybridParameters, [name]: value };
      expect(withDefaults(request, defaults)).toEqual({ request: { ...request, hybridParameters }, names });
    },
  );

  test('gives way to that of the search, while the other one counts', () => {
    const request = searchRequest({ ...fused, hybridParameters: { [name]: other } });
    const { hybridParameters } = withDefaults(request, everyOne).request;
    expect(hybridParameters).toEqual({ ...request.hybridParameters, alpha: 0.3, rrfK: 10, [name]: other });
  });

  test.each([byWords, { q: 'dogs' }, { ...fused, hybridParameters: byVectors }])(
    'is nothing to a search that fuses no legs, %j',
    (body) => {
      const request = searchRequest(body);
      expect(withDefaults(request, defaults)).toEqual({ request, names: [] });
    },
  );
});

test.each([
  ['textRanking', { sortBy: { fields: [{ fieldName: 'n' }] } }],
  ['textRanking', { lateInteraction: { fieldName: 'm', vectors: [[1, 2]] } }],
  ['didYouMean', { withCursor: true }],
])('the default of %s stays out where other members of the search exclude it, %j', (name, rest) => {
  const names = wordNames.filter((one) => one !== name);
  expect(withDefaults(searchRequest({ ...byWords, ...rest }), everyOne).names.toSorted()).toEqual(names.toSorted());
});

/** The member of a request that a name of an answer means. */
const memberOf = (request: SearchRequest, name: string): unknown =>
  name.split('.').reduce<unknown>((value, key) => (value as Body | null | undefined)?.[key], request);
const isSound = (request: SearchRequest) =>
  [...memberProblems(request)].length === 0 && beginningProblem(request) === undefined;

test('a search that may be made may be made with any defaults, and has each that it leaves out and takes', () => {
  let [sound, filled, kept] = [0, 0, 0];
  for (let seed = 0; seed < 3000; seed += 1) {
    const random = randomOf(seed);
    const body = randomBody(random);
    const request = searchRequest(body);
    if (!isSound(request)) continue;
    sound += 1;
    const chosen = Object.entries(values).filter(() => random() < 0.5);
    const defaults: Defaults = {
      ...Object.fromEntries(chosen.map(([name, both]) => [name, oneOf<unknown>(random, both)])),
      ...(random() < 0.5 && { hybridParameters: { alpha: oneOf(random, fusion.alpha), rrfK: 10 } }),
    };
    const result = withDefaults(request, defaults);
    expect(isSound(result.request), `${seed}`).toBe(true);
    for (const name of [...wordNames, ...fusionNames]) {
      const [given, value] = [memberOf(request, name), memberOf(result.request, name)];
      const fallback = memberOf(defaults as SearchRequest, name);
      if (result.names.includes(name)) {
        expect([given ?? null, value], `${seed}: ${name}`).toEqual([null, fallback]);
        filled += 1;
        continue;
      }
      expect(value, `${seed}: ${name}`).toEqual(given);
      if (given != null || fallback == null) continue;
      kept += 1;
      const { hybridParameters } = result.request;
      const [, inner] = name.split('.');
      const changed =
        inner === undefined ? { [name]: fallback } : { hybridParameters: { ...hybridParameters, [inner]: fallback } };
      expect(isSound({ ...result.request, ...changed } as SearchRequest), `${seed}: ${name}`).toBe(false);
    }
  }
  expect(Math.min(sound, filled, kept)).toBeGreaterThan(300);
});

test('members that say nothing are no defaults', () => {
  for (const none of [undefined, null, {}, { prefix: null }, { hybridParameters: { alpha: null } }]) {
    expect(saidDefaults(none)).toBeUndefined();
  }
  expect(saidDefaults({ prefix: null, didYouMean: false, hybridParameters: { alpha: 0, rrfK: null } })).toEqual({
    didYouMean: false,
    hybridParameters: { alpha: 0 },
  });
});

test('defaults have the problems of a search that takes them, at their place', () => {
  expect([...defaultsProblems(everyOne)]).toEqual([]);
  const problems = defaultsProblems({
    hybridParameters: { alpha: 1.5, rrfK: -1 },
    typoTolerance: { oneTypoFrom: 5, twoTyposFrom: 3 },
    textRanking: { fieldOrder: 1 },
  });
  expect([...problems].map(({ loc }) => loc)).toEqual([
    ['body', 'searchDefaults', 'hybridParameters', 'alpha'],
    ['body', 'searchDefaults', 'hybridParameters', 'rrfK'],
    ['body', 'searchDefaults', 'typoTolerance', 'twoTyposFrom'],
    ['body', 'searchDefaults', 'textRanking', 'fieldOrder'],
  ]);
});
