import { type Operation, operations } from '@pelorus/contract';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationsOf } from '../../src/app.js';
import { aliases } from './aliases.js';
import { createIndex } from './create-index.js';
import { curation } from './curation.js';
import {
  addBareLists,
  addDocuments,
  addOrUpdateDocuments,
  deleteAllDocuments,
  deleteDocuments,
  getDocument,
  getDocuments,
  getDocumentsBatch,
  scanDocuments,
} from './documents.js';
import { type Exchange, expectMatch, send } from './exchange.js';
import { indexBatches } from './index-batches.js';
import { judgements } from './judgements.js';
import { machine } from './machine.js';
import { multiSearches } from './multi-search.js';
import { readIndex } from './read-index.js';
import { documentedAnswers } from './response-check.js';
import { embeds, recommendations, searches } from './search.js';
import { openService, type Service } from './service.js';
import { suggestions } from './suggestions.js';
import { updateDocuments } from './update-documents.js';

const field = (name: string, type: string, ...features: string[]) => ({ name, type, features });

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`a_${i}`, 0]));

/** Indexes and documents that the exchanges speak of. */
const preparation: readonly (readonly [request: string, body: unknown])[] = [
  ['POST /indexes/plain', { model: 'random/small' }],
  ['POST /indexes/own', { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } }],
  [
    'POST /indexes/shop',
    {
      type: 'structured',
      model: 'random/small',
      allFields: [field('title', 'text', 'lexical_search')],
      tensorFields: ['title'],
    },
  ],
  [
    'POST /indexes/bare',
    { type: 'structured', model: 'random/small', allFields: [field('n', 'int', 'filter')], tensorFields: [] },
  ],
  ['POST /indexes/grouped', { model: 'random/small', collapseFields: [{ name: 'sku' }] }],
  [
    'POST /indexes/store',
    {
      type: 'structured',
      model: 'random/small',
      allFields: [
        field('title', 'text', 'lexical_search'),
        field('part', 'text'),
        { ...field('whole', 'multimodal_combination'), dependentFields: { part: 1 } },
        field('own', 'custom_vector'),
        field('note', 'text', 'lexical_search'),
        field('count', 'int', 'filter'),
        field('price', 'float', 'filter'),
        field('sold', 'bool', 'filter'),
        field('tags', 'array<text>', 'filter'),
        field('ratings', 'map<text, int>'),
      ],
      tensorFields: ['title', 'whole', 'own'],
    },
  ],
  [
    'POST /indexes/store/documents',
    { documents: [{ _id: 'lamp', title: 'a lamp', part: 'shade', count: 1, ratings: { light: 5, form: 3 } }] },
  ],
  ['POST /indexes/pictures', { model: 'random/small', treatUrlsAndPointersAsImages: true }],
  [
    'POST /indexes/plain/documents',
    {
      documents: [
        { _id: 'known', title: 'red shoe', color: 'red' },
        { _id: 'other', title: 'blue hat', color: 'blue' },
      ],
      tensorFields: ['title'],
    },
  ],
  [
    'POST /indexes/plain/documents',
    {
      documents: [
        {
          _id: 'changing',
          ...{ title: 'green cup', color: 'green', caption: 'a cup', count: 1, price: 1.5, sold: false, tags: ['new'] },
          ...{ sizes: { s: 1, m: 2 }, weights: { cup: 0.5 } },
        },
      ],
      tensorFields: ['title'],
      mappings: { both: { type: 'multimodal_combination', weights: { caption: 0.5, image: 0.5 } } },
    },
  ],
  [
    'POST /indexes/own/documents',
    {
      documents: [
        { _id: 'north', c: { vector: [0, 3], content: 'up' } },
        { _id: 'east', c: { vector: [2, 0] } },
        { _id: 'bare' },
      ],
      tensorFields: ['c'],
      mappings: { c: { type: 'custom_vector' } },
    },
  ],
];

/** Every operation as a page of another site would ask for it. */
const toOtherSites = operationsOf('search').map(
  ({ operationId, method, path }): Exchange => ({
    title: operationId,
    request: `${method} ${path.replaceAll(/[{}]/g, '')}`,
    headers: { 'sec-fetch-site': 'cross-site' },
    status: 403,
    code: 'forbidden',
  }),
);

const groups: readonly (readonly [operation: string, exchanges: readonly Exchange[]])[] = [
  ['createIndex and deleteIndex', createIndex],
  ['several indexes at once', indexBatches],
  ['reading an index', readIndex],
  ['addDocuments', addDocuments],
  ['bare lists of documents', addBareLists],
  ['updateDocuments', updateDocuments],
  ['addOrUpdateDocuments', addOrUpdateDocuments],
  ['getDocument', getDocument],
  ['getDocuments', getDocuments],
  ['getDocumentsBatch', getDocumentsBatch],
  ['deleteDocuments', deleteDocuments],
  ['deleteAllDocuments', deleteAllDocuments],
  ['search', searches],
  ['multiSearch', multiSearches],
  ['documents to start from', recommendations],
  ['scanDocuments', scanDocuments],
  ['suggestions', suggestions],
  ['embed', embeds],
  ['aliases', aliases],
  ['rules and synonyms', curation],
  ['sets of judgements', judgements],
  ['the machine and its models', machine],
  ['refusals to pages of other sites', toOtherSites],
];

/** Answers that need a state this suite does not make. */
const madeElsewhere = [
  // Servers that write to two engines: the end-to-end tests.
  ...['getDualWrite 200', 'getDualWrite 404', 'repairDualWrite 200', 'repairDualWrite 404'],
  // Backups that there are, those that are busy, and places that there are not: backup-handlers.test.ts.
  ...['listBackups 400', 'listBackups 503', 'createBackup 202', 'createBackup 400', 'createBackup 409'],
  ...['getBackup 200', 'getBackup 400', 'getBackup 503', 'deleteBackup 200', 'deleteBackup 400', 'deleteBackup 409'],
  ...['deleteBackup 503', 'verifyBackup 202', 'verifyBackup 400', 'verifyBackup 409', 'verifyBackup 503'],
  ...['restoreBackup 202', 'restoreBackup 400', 'restoreBackup 409', 'restoreBackup 503'],
  // Index changes at once: limits.test.ts.
  ...['updateIndexSettings 409', 'putCuration 409', 'rollBackCuration 409'],
  // A cluster, which has none, and files that are damaged: aliases.test.ts.
  ...['listAliases 400', 'getAlias 400', 'deleteAlias 400'],
  // A disk that is full.
  ...['putAlias 507', 'changeAliases 507', 'deleteAlias 507', 'putJudgementSet 507'],
  // Readings that were held for too long: cursors.test.ts, and the tests of the engine.
  'scanDocuments 410',
  'search 410',
  // More memory than the budget: memory.test.ts.
  'addDocuments 507',
  'addOrUpdateDocuments 507',
  'updateDocuments 507',
  // A disk that is full, or an index that is being mended: the tests of the engine.
  'createIndex 507',
  'createIndexes 507',
  ...['updateIndexSettings 503', 'updateIndexSettings 507', 'putCuration 503', 'putCuration 507'],
  ...['rollBackCuration 503', 'rollBackCuration 507'],
  'indexQueries 503',
  'indexQueries 507',
  'deleteQueries 503',
  'deleteQueries 507',
  'deleteAllQueries 503',
  'deleteAllQueries 507',
  'deleteDocuments 507',
  'addDocuments 503',
  'addOrUpdateDocuments 503',
  'updateDocuments 503',
  'deleteDocuments 503',
  'deleteAllDocuments 503',
  'deleteAllDocuments 507',
  // No room for a model: the tests of inference.
  'addDocuments 409',
  'addOrUpdateDocuments 409',
  'search 409',
  'embed 409',
  // An index that another request deletes meanwhile.
  'addOrUpdateDocuments 404',
  // A GPU.
  'getCudaInfo 200',
];

/** Everything that an operator can switch on. */
const switches = {
  MARQO_ENABLE_BATCH_APIS: 'TRUE',
  MARQO_ENABLE_OPS_API: 'true',
  MARQO_ENABLE_DEBUG_API: 'true',
};

let service: Service;
/** The response to each exchange. */
const responses = new Map<Exchange, LightMyRequestResponse>();

// All is said here, in its order, as one exchange may stand on what another one added. The tests look at what came
// of it and need no order: each may run alone.
beforeAll(async () => {
  service = await openService(switches);
  for (const [request, body] of preparation) {
    const response = await send(service.app, { request, body });
    expect(response.statusCode, `${request}: ${response.body}`).toBe(200);
    expect(response.json().errors ?? false, response.body).toBe(false);
  }
  for (const exchange of groups.flatMap(([, exchanges]) => exchanges)) {
    responses.set(exchange, await send(service.app, exchange));
  }
});

afterAll(() => service.close());

describe.each(groups)('%s', (_operation, exchanges) => {
  test.each(exchanges.map((exchange) => [exchange.title, exchange] as const))('%s', (_title, exchange) => {
    expectMatch(responses.get(exchange) as LightMyRequestResponse, exchange);
  });
});

test('the work of the event loop on a body is bounded, for every operation', () => {
  const parsed = Object.values<Operation>(operations).filter(({ rawBody }) => !rawBody);
  for (const { operationId, bodyLimitBytes, bodyPartsMax, bodyValuesMax } of parsed) {
    const largest = operationId === 'search' ? { bytes: 6 * 1024 * 1024, values: 300_000 } : { bytes: 4 * 1024 * 1024 };
    expect(bodyLimitBytes, operationId).toBeLessThanOrEqual(largest.bytes);
    expect(bodyPartsMax, operationId).toBeLessThanOrEqual(60_000);
    expect(bodyValuesMax, operationId).toBeLessThanOrEqual(largest.values ?? bodyPartsMax);
  }
});

test.each<[string, string, unknown]>([
  ['settings of the oldest form', 'POST /indexes/new', { index_defaults: members(10_000) }],
  ['members beside those', 'POST /indexes/new', { index_defaults: {}, ...members(10_000) }],
  [
    'fields',
    'POST /indexes/new',
    { type: 'structured', tensorFields: [], allFields: Array(2_000).fill(field('a b', 'text')) },
  ],
  ['queries', 'POST /indexes/plain/suggestions/queries', { queries: Array(2_000).fill({ query: ' ' }) }],
])('of %s by the thousand an answer lists a hundred problems', async (_what, request, body) => {
  const response = await send(service.app, { request, body });
  expect(response.json().detail).toHaveLength(100);
});

test('the largest search is within every bound', async () => {
  const context = { tensor: Array(64).fill({ vector: Array(4096).fill(-0.12345678901234566), weight: 1 }) };
  const response = await send(service.app, { request: 'POST /indexes/own/search', body: { context } });
  expect(response.json().message).toContain('Expected dimension 2 but got 4096');
});

test('numbers keep every digit on the way in and out', async () => {
  const response = await send(service.app, { request: 'GET /indexes/plain/documents/long' });
  expect(response.body).toContain('9007199254740993');
});

test('embedding echoes the content byte for byte', async () => {
  const body = '{"content":[{"b":1,"10":1.0}, "a"]}';
  const response = await send(service.app, { request: 'POST /indexes/plain/embed', body });
  expect(response.body).toMatch(/^\{"content":\[\{"b":1,"10":1\.0\}, "a"\],"embeddings":/);
});

test('the items of an answer are counted in its headers', async () => {
  const body = ['known', 'nope', ''];
  const { headers } = await send(service.app, { request: 'GET /indexes/plain/documents', body });
  expect(headers).toMatchObject({ 'x-count-success': '1', 'x-count-failure': '2', 'x-count-error': '0' });
  const update = {
    request: 'PATCH /indexes/plain/documents',
    body: { documents: [{ _id: 'known' }, { _id: 'nope' }] },
  };
  const updated = await send(service.app, update);
  expect(updated.headers).toMatchObject({ 'x-count-success': '1', 'x-count-failure': '1', 'x-count-error': '0' });
});

test('every answer had the shape that the contract gives it', () => {
  expect(service.responses.faults).toEqual([]);
});

test('every answer of the contract was given', () => {
  // Operations on keys, and their refusals: the tests of auth/.
  const ofKeys = / 401$|^(listKeys|createKey|updateKey|rotateKey|deleteKey) (?!403$)/;
  // Refusals for load, which all operations but two document: limits.test.ts, memory.test.ts, and the tests of http/.
  const ofLoad = / 429$/;
  const answers = documentedAnswers('search').filter((answer) => !ofKeys.test(answer) && !ofLoad.test(answer));
  const missing = answers.filter((answer) => !service.responses.seen.has(answer));
  expect(missing.toSorted()).toEqual(madeElsewhere.toSorted());
});

test('nothing of this polluted objects, and the server is alive', async () => {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect((await send(service.app, { request: 'GET /' })).statusCode).toBe(200);
});
