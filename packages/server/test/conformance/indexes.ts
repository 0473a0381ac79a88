import { expect } from 'vitest';
import type { Exchange } from './case.js';

export const annParametersDefault = { spaceType: 'prenormalized-angular', parameters: { efConstruction: 512, m: 16 } };

/** Members of the settings that both kinds of index have, as they are where nothing was asked for but the model. */
export const commonDefaults = {
  model: 'random/small',
  normalizeEmbeddings: true,
  textPreprocessing: { splitLength: 2, splitOverlap: 0, splitMethod: 'sentence' },
  imagePreprocessing: {},
  videoPreprocessing: { splitLength: 20, splitOverlap: 3 },
  audioPreprocessing: { splitLength: 10, splitOverlap: 3 },
  vectorNumericType: 'float',
  annParameters: annParametersDefault,
  textQueryPrefix: '',
  textChunkPrefix: '',
};

export const unstructuredDefaults = {
  type: 'unstructured',
  treatUrlsAndPointersAsImages: false,
  treatUrlsAndPointersAsMedia: false,
  filterStringMaxLength: 50,
  ...commonDefaults,
};

export const small = { model: 'random/small' };

/** An index without a model: its vectors are given. */
export const own = (dimensions: number, rest: object = {}) => ({
  model: 'no_model',
  modelProperties: { type: 'no_model', dimensions },
  ...rest,
});

export interface DeclaredField {
  readonly name: string;
  readonly type: string;
  readonly features?: readonly string[];
  readonly dependentFields?: Readonly<Record<string, number>>;
}

export const field = (name: string, type: string, ...features: string[]): DeclaredField => ({ name, type, features });

export const structured = (allFields: readonly unknown[], tensorFields: readonly string[] = [], rest: object = {}) => ({
  type: 'structured',
  ...small,
  allFields,
  tensorFields,
  ...rest,
});

/** A name for the index of one case, which is in no other's way and need not be deleted. */
export const nameAfter = (about: string) => `_${about.replaceAll(/[^a-zA-Z0-9]+/g, '_')}`;

export const create = (name: string, settings: unknown): Exchange => ({
  request: `POST /indexes/${name}`,
  body: settings,
  status: 200,
  answer: { acknowledged: true, index: decodeURIComponent(name) },
});

export const drop = (name: string): Exchange => ({
  request: `DELETE /indexes/${name}`,
  status: 200,
  answer: { acknowledged: true },
});

export const hasSettings = (name: string, answer: unknown): Exchange => ({
  request: `GET /indexes/${name}/settings`,
  status: 200,
  answer,
});

/** The numbers of documents and vectors of an index. Vectors of replaced documents count until they are reclaimed. */
export const counts = (name: string, numberOfDocuments: number, numberOfVectors: unknown): Exchange => ({
  request: `GET /indexes/${name}/stats`,
  status: 200,
  answer: expect.objectContaining({ numberOfDocuments, numberOfVectors }),
});
