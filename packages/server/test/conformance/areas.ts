import type { Case, Exchange, Part } from './case.js';
import { add, finds } from './documents.js';
import { error, holding, invalidArgument } from './errors.js';
import { create, field, small, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

/** Places, among them two on the sides of the antimeridian and one on a pole. */
const documents = [
  { _id: 'munich', name: 'Munich', place: { lat: 48.137, lon: 11.575 } },
  { _id: 'augsburg', name: 'Augsburg', place: { lat: 48.37, lon: 10.898 } },
  { _id: 'suva', name: 'Suva', place: { lat: -18.1416, lon: 178.4419 } },
  { _id: 'apia', name: 'Apia', place: { lat: -13.8333, lon: -171.7667 } },
  { _id: 'pole', name: 'North pole', place: { lat: 90, lon: 0 } },
  { _id: 'nowhere', name: 'Nowhere' },
];
const all = documents.map(({ _id }) => _id);
const but = (...ids: string[]) => all.filter((id) => !ids.includes(id));

/** A filter passes just these documents. */
const passes = (filter: string, ...ids: readonly string[]): Case[] =>
  inBothKinds('search 3.6', `the filter ${filter}`, (index) => [finds(index, { filter }, ...ids)]);

const searching = (index: string, filter: string): Pick<Exchange, 'request' | 'body'> => ({
  request: `POST /indexes/${index}/search`,
  body: { q: '*', searchMethod: 'LEXICAL', filter },
});

const refuses = (filter: string, reason: string): Case => ({
  section: 'search 3.6',
  about: `no area: ${filter}`,
  exchanges: [{ ...searching(U, filter), ...invalidArgument(holding(`Cannot read the area: ${reason}`)) }],
});

export const areas: Part = {
  title: 'areas',
  preparation: [
    create(U, small),
    create(
      S,
      structured([
        field('name', 'text', 'filter', 'lexical_search'),
        field('place', 'geo_point', 'filter'),
        field('n', 'int', 'filter'),
      ]),
    ),
    add(U, documents, { mappings: { place: { type: 'geo_point' } } }),
    add(S, documents),
  ],
  cases: [
    ...passes('place WITHIN (48.1, 11.5, 10km)', 'munich'),
    ...passes('place within (48.1, 11.5, 100 KM)', 'munich', 'augsburg'),
    ...passes('place WITHIN (48.1, 11.5, 10000m)', 'munich'),
    ...passes('place WITHIN (48.1, 11.5, 6.2mi)', 'munich'),
    ...passes('place WITHIN (48.137, 11.575, 0m)', 'munich'),
    ...passes('place NOT WITHIN (48.1, 11.5, 10km)', ...but('munich')),
    ...passes('place WITHIN (48.1, 11.5, 100km) AND NOT name:augsburg', 'munich'),
    ...passes('place WITHIN (-16, 180, 1200km)', 'suva', 'apia'),
    ...passes('place WITHIN (89, 120, 112km)', 'pole'),
    ...passes('place WITHIN BOX (48, 10, 49, 11)', 'augsburg'),
    ...passes('place WITHIN BOX (48.137, 11.575, 49, 12)', 'munich'),
    ...passes('place WITHIN BOX (-20, 170, 0, -170)', 'suva', 'apia'),
    ...passes('place WITHIN BOX (60, -180, 90, 180)', 'pole'),
    ...passes('place WITHIN POLYGON (48.2, 10, 48.2, 12, 49, 10)', 'augsburg'),
    ...passes('place WITHIN POLYGON (48.137, 11, 48.137, 12, 48, 11.5)', 'munich'),
    ...passes('place WITHIN POLYGON (-20, 175, -20, -170, -10, -170, -10, 175)', 'suva', 'apia'),
    ...inBothKinds('search 3.6', 'a point that moves is found where it is', (index) => [
      {
        request: `PATCH /indexes/${index}/documents`,
        body: { documents: [{ _id: 'apia', place: { lat: -13.8333, lon: -171.7667 } }] },
        status: 200,
      },
      finds(index, { filter: 'place WITHIN (-13.83, -171.77, 1km)' }, 'apia'),
    ]),
    refuses('place WITHIN 48.1, 11.5, 10km', 'no ( behind WITHIN'),
    refuses('place WITHIN (48.1, 11.5)', 'expected latitude, longitude and radius, but received 2'),
    refuses('place WITHIN (48.1, 11.5, 10)', "'10' is no radius, which is a number with km, m or mi behind it"),
    refuses('place WITHIN (11.5, 248.1, 1km)', 'a longitude is -180 to 180 degrees, but received 248.1'),
    refuses('place WITHIN BOX (49, 10, 48, 11)', 'the first corner of a box is the southern one'),
    refuses('place WITHIN POLYGON (48, 10, 49, 11)', 'a polygon has at least 3 different points, but received 2'),
    refuses('place WITHIN POLYGON (60, 0, 60, 120, 60, -120)', 'the polygon goes round a pole'),
    {
      section: 'search 3.6',
      about: 'values compared with geo points',
      exchanges: ['place:5', 'place:[1 TO 5]', 'place IN (1, 2)'].map((filter) => ({
        ...searching(U, filter),
        ...invalidArgument(holding("Field 'place' holds geo points, which areas hold and no value equals.")),
      })),
    },
    {
      section: 'search 3.6',
      about: 'areas over fields without geo points',
      exchanges: [
        {
          ...searching(S, 'n WITHIN (48.1, 11.5, 10km)'),
          ...error(
            400,
            'invalid_argument',
            "Field 'n' holds values of the type int, and no geo points that an area could hold",
          ),
        },
        {
          ...searching(U, '_id WITHIN (48.1, 11.5, 10km)'),
          ...error(400, 'invalid_argument', "Field '_id' holds ids, and no geo points that an area could hold"),
        },
      ],
    },
  ],
};
