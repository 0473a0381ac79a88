import { schemas } from '@pelorus/contract';
import { defaultResources, type HostedIndex } from '@pelorus/hosted';
import { expect, test } from 'vitest';
import { type RecordNumbers, recordOf } from '../../src/hosted/index-records.js';

/** The values that client 3.18.2 knows: with another one in any record it refuses the whole list. */
const clientSpaceTypes = ['euclidean', 'angular', 'dotproduct', 'prenormalized-angular', 'geodegrees', 'hamming'];
const clientPatchMethods = ['simple', 'frcnn'];

type Settings = schemas.IndexSettingsResponse;
type SpaceType = Settings['annParameters']['spaceType'];

const spaceTypes = schemas.AnnParameters.properties.spaceType.enum;
const patchMethods = schemas.IndexSettingsResponse.properties.imagePreprocessing.properties.patchMethod.enum;

const index: HostedIndex = {
  ...{ id: '0123456789abcdef', name: 'shoes', state: 'READY', failure: null, settings: {}, shop: null },
  ...{ resources: defaultResources, createdAt: '2026-01-01T00:00:00Z', changedAt: '2026-01-01T00:00:00Z' },
};

function record(change: Partial<Settings>, numbers: RecordNumbers = 'string'): Record<string, any> {
  const settings: Settings = {
    type: 'unstructured',
    model: 'random/small',
    normalizeEmbeddings: true,
    textPreprocessing: { splitLength: 2, splitOverlap: 0, splitMethod: 'sentence' },
    imagePreprocessing: {},
    videoPreprocessing: { splitLength: 20, splitOverlap: 3 },
    audioPreprocessing: { splitLength: 10, splitOverlap: 3 },
    vectorNumericType: 'float',
    annParameters: { spaceType: 'angular', parameters: { efConstruction: 512, m: 16 } },
    ...change,
  };
  const endpoint = 'http://localhost/e/0123456789abcdef';
  return recordOf({ index, settings, counts: null, searches: 0, endpoint, interfaceVersion: '2.26.0', numbers });
}

const ofSpaceType = (spaceType: SpaceType, numbers?: RecordNumbers) =>
  record({ annParameters: { spaceType, parameters: { efConstruction: 512, m: 16 } } }, numbers).annParameters;

test.each(spaceTypes)('the record of an index of %s is one that clients parse', (spaceType) => {
  for (const numbers of ['string', 'number'] as const) {
    const { spaceType: shown = 'angular', parameters, ...others } = ofSpaceType(spaceType, numbers);
    expect(clientSpaceTypes).toContain(shown);
    expect(others).toEqual({});
    expect(Object.keys(parameters)).toHaveLength(2);
  }
});

test('a distance has the name that clients have for it, and none where they have none', () => {
  const shown = Object.fromEntries(spaceTypes.map((spaceType) => [spaceType, ofSpaceType(spaceType).spaceType]));
  expect(shown).toEqual({
    ...Object.fromEntries(clientSpaceTypes.map((name) => [name, name])),
    'prenormalized-anglar': 'prenormalized-angular',
    cosinesimil: 'angular',
    l2: 'euclidean',
    l1: undefined,
    linf: undefined,
  });
});

test.each(patchMethods)('the record of an index that cuts pictures by %s is one that clients parse', (patchMethod) => {
  const { imagePreprocessing } = record({ imagePreprocessing: { patchMethod } });
  expect(imagePreprocessing).toEqual(clientPatchMethods.includes(patchMethod) ? { patchMethod } : {});
});
