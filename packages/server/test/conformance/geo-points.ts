import type { Case, Part } from './case.js';
import {
  add,
  adding,
  failure,
  finds,
  isMissing,
  reads,
  refuse,
  success,
  unchanged,
  updating,
  written,
} from './documents.js';
import { holding, invalidArgument } from './errors.js';
import { create, field, small, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const mappings = { place: { type: 'geo_point' } };
const rest = (index: string) => (index === U ? { mappings } : {});

const stored: Case[] = [
  ...inBothKinds('6.16', 'a geo point comes back as it was sent, latitude first', (index) => [
    add(index, [{ _id: 'one', place: { lon: 11.5, lat: 48 } }], rest(index)),
    reads(index, { _id: 'one', place: { lat: 48, lon: 11.5 } }),
  ]),
  ...inBothKinds('6.16', 'a PATCH sets, changes and removes a geo point', (index) => [
    add(
      index,
      [
        { _id: 'one', name: 'one' },
        { _id: 'other', place: { lat: 3, lon: 4 } },
      ],
      rest(index),
    ),
    { ...updating(index, [{ _id: 'one', place: { lat: 1, lon: 2 } }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', name: 'one', place: { lat: 1, lon: 2 } }),
    { ...updating(index, [{ _id: 'one', place: { lat: 1, lon: -2.5 } }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', name: 'one', place: { lat: 1, lon: -2.5 } }),
    finds(index, { filter: 'name:one AND place EXISTS' }, 'one'),
    { ...updating(index, [{ _id: 'one', place: null }]), ...written(index, success('one')) },
    finds(index, { filter: 'name:one AND place EXISTS' }),
  ]),
  ...inBothKinds('6.16', 'a PATCH to what is no geo point', (index) => [
    add(index, [{ _id: 'one', place: { lat: 1, lon: 2 } }], rest(index)),
    {
      ...updating(index, [{ _id: 'one', place: { lat: 1, lon: 200 } }]),
      ...written(
        index,
        unchanged('one', holding("Field 'place': a longitude is -180 to 180 degrees, but received 200")),
      ),
    },
    reads(index, { _id: 'one', place: { lat: 1, lon: 2 } }),
  ]),
  ...(
    [
      [[11.5, 48.1], '{"lat": 48.1, "lon": 11.5}, as a list in the order of GeoJSON means'],
      ['48.1,11.5', '{"lat": 48.1, "lon": 11.5}, as latitude before longitude means'],
      [{ lat: 48.1, lng: 11.5 }, 'an object such as {"lat": 48.1, "lon": 11.5}'],
      [{ lat: '48.1', lon: 11.5 }, 'an object such as {"lat": 48.1, "lon": 11.5}'],
    ] as const
  ).flatMap(([value, expected]) =>
    inBothKinds('6.16', `the geo point ${JSON.stringify(value)}`, (index) => [
      refuse(
        index,
        { _id: 'bad', place: value },
        failure('bad', holding(`is none. Expected ${expected}`)),
        rest(index),
      ),
      isMissing(index, 'bad'),
    ]),
  ),
  ...inBothKinds('6.16', 'a latitude beyond the poles', (index) => [
    refuse(
      index,
      { _id: 'bad', place: { lat: 90.5, lon: 0 } },
      failure('bad', "Field 'place': a latitude is -90 to 90 degrees, but received 90.5"),
      rest(index),
    ),
  ]),
  {
    section: '6.16',
    about: 'without a mapping it is a map of numbers',
    exchanges: [
      add(U, [{ _id: 'map', spot: { lat: 1.5, lon: 2 } }]),
      reads(U, { _id: 'map', 'spot.lat': 1.5, 'spot.lon': 2 }),
    ],
  },
  {
    section: '6.16',
    about: 'a document that brings its tensors, as a scan shows it',
    exchanges: [
      add(U, [{ _id: 'given', place: { lat: 1.5, lon: 2 }, _tensors: [] }], { useGivenTensors: true }),
      reads(U, { _id: 'given', place: { lat: 1.5, lon: 2 } }),
      finds(U, { filter: '_id:given AND place EXISTS' }, 'given'),
    ],
  },
  {
    section: '6.16',
    about: 'a mapping with more than its type',
    exchanges: [
      {
        ...adding(U, [{ _id: 'a' }], { mappings: { place: { type: 'geo_point', x: 1 } } }),
        ...invalidArgument(holding('Error validating geo point mappings object. Reason: mappings.place: ')),
      },
    ],
  },
];

const preparation = [
  create(U, small),
  create(S, structured([field('name', 'text', 'filter', 'lexical_search'), field('place', 'geo_point', 'filter')])),
];

export const geoPoints: Part = { title: 'geo points', preparation, cases: stored };
