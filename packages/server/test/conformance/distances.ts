import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { holding, inBody, unprocessable } from './errors.js';
import { create, field, small, structured } from './indexes.js';
import { S, U } from './kinds.js';

const documents = [
  { _id: 'munich', text: 'cafe', place: { lat: 48.137, lon: 11.575 } },
  { _id: 'augsburg', text: 'cafe', place: { lat: 48.37, lon: 10.898 } },
  { _id: 'here', text: 'cafe', place: { lat: 48.1, lon: 11.5 } },
  { _id: 'nowhere', text: 'cafe' },
];
const from = { lat: 48.1, lon: 11.5 };
/** Metres from there, by an independent calculation. */
const metres = { munich: 6922.68, augsburg: 53_752.37, here: 0 };

const search = (index: string, body: object): Pick<Exchange, 'request' | 'body'> => ({
  request: `POST /indexes/${index}/search`,
  body: { q: 'cafe', searchMethod: 'LEXICAL', ...body },
});

/** The hits, in their order, with members that they must have. */
const hits = (...expected: readonly object[]) => ({
  status: 200,
  answer: expect.objectContaining({ hits: expected.map((hit) => expect.objectContaining(hit)) }),
});
const ids = (...names: readonly string[]) => hits(...names.map((_id) => ({ _id })));

const byDistance = (rest: object = {}) => ({ sortBy: { fields: [{ fieldName: 'place', from, ...rest }] } });

const sorting: Case[] = [
  {
    section: 'search 8.9',
    about: 'the nearest documents come first, those without a point last',
    exchanges: [
      { ...search(U, byDistance()), ...ids('here', 'munich', 'augsburg', 'nowhere') },
      { ...search(U, byDistance({ order: 'desc' })), ...ids('augsburg', 'munich', 'here', 'nowhere') },
      { ...search(U, byDistance({ missing: 'first' })), ...ids('nowhere', 'here', 'munich', 'augsburg') },
    ],
  },
  {
    section: 'search 8.9',
    about: 'a sort by distance of a pool, and of a hybrid search',
    exchanges: [
      {
        ...search(U, { sortBy: { fields: [{ fieldName: 'place', from }], minSortCandidates: 10 } }),
        ...ids('here', 'munich', 'augsburg', 'nowhere'),
      },
      {
        ...search(U, {
          ...byDistance(),
          searchMethod: 'HYBRID',
          hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' },
        }),
        ...ids('here', 'munich', 'augsburg', 'nowhere'),
      },
    ],
  },
  ...[U, S].map((index) => ({
    section: 'search 8.9',
    about: `hits tell distances that were asked for, in an index that is ${index}`,
    exchanges: [
      {
        ...search(index, { filter: '_id IN (munich, here, nowhere)', distances: [{ fieldName: 'place', from }] }),
        status: 200,
        answer: expect.objectContaining({
          hits: expect.toSatisfy(
            (found: { _id: string; _distances?: object }[]) =>
              JSON.stringify(
                found
                  .map(({ _id, _distances }) => [_id, _distances])
                  .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
              ) ===
              JSON.stringify([
                ['here', { place: 0 }],
                ['munich', { place: metres.munich }],
                ['nowhere', {}],
              ]),
            'the distances of each',
          ),
        }),
      },
    ],
  })),
  {
    section: 'search 8.9',
    about: 'places that are none',
    exchanges: [
      {
        ...search(U, { sortBy: { fields: [{ fieldName: 'place', from: { lat: 91, lon: 0 } }] } }),
        status: 422,
      },
      {
        ...search(U, { sortBy: { fields: [{ fieldName: 'map.key', from }] } }),
        status: 422,
      },
      {
        ...search(U, {
          distances: [
            { fieldName: 'place', from },
            { fieldName: 'place', from },
          ],
        }),
        status: 422,
      },
    ],
  },
];

const words = { searchMethod: 'HYBRID', hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' } };
const decays = (parameters: object, ...scores: readonly [string, number][]): Exchange => ({
  ...search(U, { ...words, distanceParameters: { distanceField: 'place', from, ...parameters } }),
  ...hits(...scores.map(([_id, score]) => ({ _id, _distance_score: expect.closeTo(score, 5) }))),
});
const half = (distance: number, scale: number) => 0.5 ** (distance / scale);

const decay: Case[] = [
  {
    section: 'search 8.10',
    about: 'scores fall with distance',
    exchanges: [
      decays(
        { scale: '100km' },
        ['here', 1],
        ['munich', half(metres.munich, 1e5)],
        ['augsburg', half(metres.augsburg, 1e5)],
        ['nowhere', 0.5],
      ),
    ],
  },
  {
    section: 'search 8.10',
    about: 'an offset, another function, another floor and unit',
    exchanges: [
      decays(
        { scale: '50mi', offset: '5km', decayFunction: 'linear', decayTo: 0.2 },
        ['here', 1],
        ['munich', 1 - (0.8 * (metres.munich - 5000)) / 80_467.2],
        ['augsburg', 1 - (0.8 * (metres.augsburg - 5000)) / 80_467.2],
        ['nowhere', 0.2],
      ),
    ],
  },
  {
    section: 'search 8.10',
    about: 'nearness that is added in the end alone',
    exchanges: [
      decays(
        { scale: '100km', addToScoreWeight: 2, applyInRankingPhase: 'only-global' },
        ['here', 1],
        ['munich', half(metres.munich, 1e5)],
        ['augsburg', half(metres.augsburg, 1e5)],
        ['nowhere', 0.5],
      ),
    ],
  },
  {
    section: 'search 8.10',
    about: 'parameters that are none',
    exchanges: [
      {
        ...search(U, { ...words, distanceParameters: { distanceField: 'place', from, scale: '10' } }),
        ...unprocessable({
          loc: inBody('distanceParameters', 'scale'),
          msg: holding("Invalid scale format: '10'. Expected a number and its unit, km, m or mi"),
          type: 'value_error',
        }),
      },
      { ...search(U, { distanceParameters: { distanceField: 'place', from } }), status: 422 },
      {
        ...search(U, {
          ...words,
          distanceParameters: { distanceField: 'place', from },
          recencyParameters: { recencyField: 'n' },
        }),
        status: 422,
      },
      {
        ...search(S, { ...words, distanceParameters: { distanceField: 'place', from } }),
        status: 400,
        answer: expect.objectContaining({ message: holding('distanceParameters are for unstructured indexes') }),
      },
    ],
  },
];

const counting: Case[] = [
  {
    section: 'search 8.11',
    about: 'documents are counted by ranges of distance',
    exchanges: [
      {
        ...search(U, {
          ...words,
          facets: {
            fields: {
              place: {
                type: 'distance',
                from,
                ranges: [{ to: 10_000, name: 'near' }, { from: 10_000, to: 100_000 }, { from: 100_000 }],
              },
            },
          },
        }),
        status: 200,
        answer: expect.objectContaining({
          facets: {
            place: {
              near: {
                sum: expect.closeTo(metres.munich, 1),
                avg: expect.closeTo(metres.munich / 2, 1),
                min: 0,
                max: expect.closeTo(metres.munich, 1),
                count: 2,
              },
              '10000.0:100000.0': expect.objectContaining({ count: 1 }),
            },
          },
        }),
      },
    ],
  },
  {
    section: 'search 8.11',
    about: 'a facet of distances without a place, and a place of another facet',
    exchanges: [
      { ...search(U, { ...words, facets: { fields: { place: { type: 'distance' } } } }), status: 422 },
      { ...search(U, { ...words, facets: { fields: { n: { type: 'number', from } } } }), status: 422 },
    ],
  },
];

export const distances: Part = {
  title: 'distances',
  preparation: [
    create(U, small),
    create(S, structured([field('text', 'text', 'filter', 'lexical_search'), field('place', 'geo_point', 'filter')])),
    add(U, documents, { mappings: { place: { type: 'geo_point' } } }),
    add(S, documents),
  ],
  cases: [...sorting, ...decay, ...counting],
};
