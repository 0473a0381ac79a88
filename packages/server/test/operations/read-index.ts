import { expect } from 'vitest';
import type { Exchange } from './exchange.js';

const missing = (target: string): Exchange => ({
  title: `${target} of no index`,
  request: `GET /indexes/nope/${target}`,
  status: 404,
  code: 'index_not_found',
  message: 'Index nope not found',
});

export const readIndex: Exchange[] = [
  { ...missing(''), request: 'GET /indexes/nope' },
  missing('settings'),
  missing('status'),
  missing('stats'),
  missing('health'),
  ...['GET', 'POST'].map((method) => ({
    title: `${method} of a second engine where there is one alone`,
    request: `${method} /indexes/plain/dual-write`,
    status: 400,
    code: 'bad_request',
    message: 'This server writes to one engine',
  })),
  {
    title: 'all indexes, under both names',
    request: 'GET /indexes',
    status: 200,
    answer: { results: expect.arrayContaining([{ indexName: 'plain', index_name: 'plain' }]) },
  },
  {
    title: 'settings with their defaults',
    request: 'GET /indexes/plain/settings',
    status: 200,
    answer: {
      type: 'unstructured',
      treatUrlsAndPointersAsImages: false,
      treatUrlsAndPointersAsMedia: false,
      filterStringMaxLength: 50,
      model: 'random/small',
      normalizeEmbeddings: true,
      textPreprocessing: { splitLength: 2, splitOverlap: 0, splitMethod: 'sentence' },
      imagePreprocessing: {},
      videoPreprocessing: { splitLength: 20, splitOverlap: 3 },
      audioPreprocessing: { splitLength: 10, splitOverlap: 3 },
      vectorNumericType: 'float',
      annParameters: { spaceType: 'prenormalized-angular', parameters: { efConstruction: 512, m: 16 } },
      textQueryPrefix: '',
      textChunkPrefix: '',
    },
  },
  {
    title: 'settings with a collapse field',
    request: 'GET /indexes/grouped/settings',
    status: 200,
    answer: { collapseFields: [{ name: 'sku', minGroups: 500 }] },
  },
  { title: 'its state', request: 'GET /indexes/plain/status', status: 200, answer: { indexStatus: 'READY' } },
  {
    title: 'its record',
    request: 'GET /indexes/plain',
    status: 200,
    answer: {
      indexName: 'plain',
      index_name: 'plain',
      indexStatus: 'READY',
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      numberOfDocuments: expect.any(Number),
      numberOfVectors: expect.any(Number),
      settings: { type: 'unstructured', model: 'random/small' },
    },
  },
  {
    title: 'settings of a model of one’s own',
    request: 'GET /indexes/own/settings',
    status: 200,
    answer: { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } },
  },
  {
    title: 'counts',
    request: 'GET /indexes/plain/stats',
    status: 200,
    answer: { numberOfDocuments: expect.any(Number), numberOfVectors: expect.any(Number), backend: expect.any(Object) },
  },
  { title: 'health', request: 'GET /indexes/plain/health', status: 200, answer: { inference: { status: 'green' } } },
];
