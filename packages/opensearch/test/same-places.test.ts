import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine, type SearchPlan, type StorageEngine } from '@pelorus/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  add,
  definition,
  fromJson,
  type Hit,
  lexicalPlan,
  randomNumbers,
  update,
} from '../../engine/conformance/fixtures.js';
import type { OpenSearchEngine } from '../src/index.js';
import { hasNoCluster, openSharedEngine } from './cluster.js';

/** Documents, and areas of each kind. */
const SIZE = 300;
const AREAS = 25;

const [random, MAPPINGS] = [
  randomNumbers('places'),
  { place: { type: 'geo_point' }, home: { type: 'geo_point' } } as const,
];
const between = (least: number, most: number) => least + random() * (most - least);
const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;

/** Regions, each south, west, north and east: a town, the antimeridian, the poles, and all of the earth. */
const REGIONS = [
  [48, 11, 48.3, 12],
  [-20, 179.9, -18, 180],
  [-20, -180, -18, -179.9],
  [89.9, -180, 90, 180],
  [-90, -180, -89.9, 180],
  [-90, -180, 90, 180],
] as const;

/** Coordinates of few digits are on edges and corners of areas. */
const digits = () => pick([0, 1, 2, 7]);
const placeIn = ([south, west, north, east]: readonly [number, number, number, number]) => ({
  lat: Number(between(south, north).toFixed(digits())),
  lon: Number(between(west, east).toFixed(digits())),
});
const placeNear = () => placeIn(pick(REGIONS));
type Place = ReturnType<typeof placeNear>;

const documents = Array.from({ length: SIZE }, (_, at) => ({
  _id: `d${at}`,
  title: 'a place',
  number: at,
  ...(at % 10 !== 3 && { place: placeNear() }),
  ...(at % 3 === 0 && { home: placeNear() }),
}));

const sine = (degrees: number) => Math.sin((degrees * Math.PI) / 180);
const cosine = (degrees: number) => Math.cos((degrees * Math.PI) / 180);

/** The distance of two places in metres. */
function distance(from: Place, to: Place): number {
  const cosines = cosine(from.lat) * cosine(to.lat);
  const haversine = sine((to.lat - from.lat) / 2) ** 2 + cosines * sine((to.lon - from.lon) / 2) ** 2;
  return 2 * 6_371_008.8 * Math.asin(Math.sqrt(Math.min(haversine, 1)));
}

/** Distances that are round, any, or just that of a document. */
const radius = (from: Place) => {
  const { place } = pick(documents);
  if (place !== undefined && random() < 0.4) return distance(from, place);
  return pick([0, 0.01, 1, 250, 20_000, 1e6, 1e7, 15e6, 20_015_100, 3e7]) * pick([1, between(0.5, 1)]);
};

const circle = () => {
  const center = pick(documents).home ?? placeNear();
  return `(${center.lat}, ${center.lon}, ${radius(center).toFixed(9)}m)`;
};

const box = () => {
  const [one, other] = [placeNear(), pick(documents).place ?? placeNear()];
  return `BOX (${Math.min(one.lat, other.lat)}, ${one.lon}, ${Math.max(one.lat, other.lat)}, ${other.lon})`;
};

/** Corners of a polygon are within half a turn of each other, or of a region. */
const polygon = () => {
  const [south, west, north, east] = pick([...REGIONS.slice(0, 3), [-60, 100, 70, 260], [-80, -80, 80, 90]] as const);
  const corners = Array.from({ length: pick([3, 4, 5, 40, 400]) }, () => {
    const { lat, lon } = placeIn([south, west, north, east]);
    return `${lat}, ${lon > 180 ? lon - 360 : lon}`;
  });
  return `POLYGON (${corners.join(', ')})`;
};

const filter = (area: () => string) => {
  const term = () => `${pick(['place', 'place', 'home', 'nothing'])} ${pick(['', '', 'NOT '])}WITHIN ${area()}`;
  return random() < 0.7 ? term() : `${term()} ${pick(['AND', 'OR'])} ${term()}`;
};

interface Answer {
  readonly hits: readonly Hit[];
  readonly facets?: unknown;
  readonly totalHits?: number;
}

/** Every document that passes, which all match alike. */
const everything: SearchPlan = { ...lexicalPlan('place'), limit: SIZE, trackTotalHits: true };
const FROM = 'place@-18.5,179.95';

const slope = { falloff: 'exponential', scaleSeconds: 1e6, offsetSeconds: 1000, floor: 0.2 } as const;
const nearness: NonNullable<SearchPlan['recency']> = {
  ...{ field: FROM, centerSeconds: 0, decay: slope, growth: slope, addToScoreWeight: null },
  ...{ tensor: false, lexical: false, fused: true },
};

/** Orders what is equally far. */
const number = { field: 'number', descending: false, missingFirst: false, dates: false };

/** Parts of plans that read distances. */
const ORDERS: Readonly<Record<string, Partial<SearchPlan>>> = {
  'sorted by distance': {
    sort: {
      fields: [{ field: FROM, descending: false, missingFirst: false, dates: false }, number],
      depth: null,
      candidates: null,
    },
  },
  'the farthest first, with distances of hits': {
    sort: {
      fields: [{ field: 'home@90,0', descending: true, missingFirst: true, dates: false }, number],
      ...{ depth: null, candidates: null },
    },
    distances: [FROM, 'home@0,0'],
  },
  'the nearest scored higher': { recency: nearness },
  'facets of distances': {
    facets: {
      maxDepth: null,
      fields: [
        {
          ...{ field: FROM, kind: 'number', maxResults: 10, order: 'desc', dates: null, excludeTerms: [] },
          ranges: [
            { name: 'near', from: null, to: 100_000 },
            { name: 'far', from: 100_000, to: null },
          ],
        },
      ],
    },
  },
};

describe.skipIf(hasNoCluster)('places on a cluster and in this process', () => {
  let cluster: OpenSearchEngine;
  let embedded: EmbeddedEngine;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pelorus-same-places-'));
    embedded = await EmbeddedEngine.open(directory);
    cluster = await openSharedEngine();
    for (const engine of [embedded, cluster] as StorageEngine[]) {
      await engine.createIndex('a', definition);
      await add(engine, 'a', documents, { tensorFields: [], mappings: MAPPINGS });
      // A point is changed, one goes, and one comes.
      await update(engine, 'a', [
        { _id: 'd0', place: { lat: 48.1, lon: 11.5 } },
        { _id: 'd1', place: null },
        { _id: 'd3', place: { lat: -90, lon: 12 } },
      ]);
    }
  });

  afterAll(async () => {
    await cluster.dropIndex('a').catch(() => undefined);
    await cluster.close();
    await embedded.close();
    await rm(directory, { recursive: true });
  });

  const answers = async (plan: SearchPlan): Promise<readonly [Answer, Answer]> => {
    const searched = [embedded, cluster].map((engine) => engine.search('a', plan, new Float32Array(0)));
    const [ours, theirs] = await Promise.all(searched);
    return [fromJson<Answer>(ours as Buffer), fromJson<Answer>(theirs as Buffer)];
  };
  const ids = ({ hits }: Answer) => hits.map(({ _id }) => _id).sort();

  it.each(Object.entries({ circle, box, polygon }))('are in the same areas: %s', async (_, area) => {
    let telling = 0;
    for (let count = 0; count < AREAS; count++) {
      const plan = { ...everything, filter: filter(area) };
      const [ours, theirs] = await answers(plan).catch((error: Error) => {
        // Both engines refuse it by the same code.
        expect(error.message, plan.filter).toMatch(/two insides|goes round the earth either way|wider than 360/);
        return [];
      });
      if (ours === undefined || theirs === undefined) continue;
      expect(ids(theirs), plan.filter).toEqual(ids(ours));
      expect(theirs.totalHits).toBe(ours.totalHits);
      if (ours.hits.length > 0 && ours.hits.length < SIZE) telling++;
    }
    expect(telling).toBeGreaterThan(AREAS / 3);
  });

  it.each(Object.entries(ORDERS))('are as far: %s', async (_, order) => {
    const [ours, theirs] = await answers({ ...everything, ...order });
    const told = ({ hits }: Answer) => hits.map(({ _score, ...hit }) => hit);
    if (order.sort == null) expect(ids(theirs)).toEqual(ids(ours));
    else expect(told(theirs)).toEqual(told(ours));
    expect(theirs.facets).toEqual(ours.facets);
  });
});
