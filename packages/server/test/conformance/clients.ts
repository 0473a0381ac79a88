import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add, success, updating, written } from './documents.js';
import { error, holding } from './errors.js';
import { create, drop, field, small, structured } from './indexes.js';

const hits = (...ids: string[]) =>
  expect.objectContaining({ hits: ids.map((_id) => expect.objectContaining({ _id, _score: expect.any(Number) })) });
const one = (section: string, about: string, ...exchanges: readonly Exchange[]): Case => ({
  section,
  about,
  exchanges,
});
const ok = (request: string, body?: unknown, answer?: unknown): Exchange => ({
  request,
  body,
  headers: { 'x-marqo-index-name': request.includes('/shop') ? 'shop' : '' },
  status: 200,
  ...(answer !== undefined && { answer }),
});
const typeless = (exchange: Exchange): Exchange => ({
  ...exchange,
  headers: { ...exchange.headers, 'content-type': '' },
});

const indexes: Case[] = [
  one(
    'clients 2.2',
    'the version is what the newest client asks for, at least',
    ok(
      'GET /',
      undefined,
      expect.toSatisfy(({ version }: { version: string }) => {
        const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
        return major === 2 && (minor > 23 || (minor === 23 && patch >= 1));
      }, 'a version of at least 2.23.1'),
    ),
  ),
  one('clients 2.3', 'get_index', ok('GET /indexes/shop/stats')),
  one(
    'clients 2.3',
    'get_indexes',
    ok('GET /indexes', undefined, {
      results: expect.arrayContaining([expect.objectContaining({ indexName: 'shop' })]),
    }),
  ),
  one(
    'clients 2.3',
    'create_index and delete_index, the latter without a content type',
    create('fields', structured([field('t', 'text'), field('n', 'int')], ['t'])),
    typeless(drop('fields')),
  ),
  one(
    'clients 2.9',
    'create_index with a field to collapse by',
    create('collapsed', { type: 'unstructured', ...small, collapseFields: [{ name: 'sku', minGroups: 500 }] }),
    drop('collapsed'),
  ),
  one('clients 2.3', 'get_status', ok('GET /indexes/shop/status', undefined, { indexStatus: 'READY' })),
  one(
    'clients 2.3',
    'get_settings',
    ok('GET /indexes/shop/settings', undefined, expect.objectContaining({ type: 'unstructured' })),
  ),
  one('clients 2.3', 'health', ok('GET /indexes/shop/health', undefined, expect.objectContaining({ status: 'green' }))),
];

const added = { _id: 'client', title: 'x' };
const addBody = { documents: [added], useExistingTensors: false, mappings: null, modelAuth: null };
const documents: Case[] = [
  one('clients 2.4', 'add_documents of 3.2.0', {
    ...ok('POST /indexes/shop/documents', { ...addBody, imageDownloadHeaders: {}, tensorFields: [] }),
    ...written('shop', success('client')),
  }),
  one('clients 2.9', 'add_documents of 3.18.2, with all that may be given', {
    ...ok('POST /indexes/shop/documents?&device=cpu', {
      ...addBody,
      tensorFields: ['title'],
      mediaDownloadHeaders: { a: 'b' },
      textChunkPrefix: 'p: ',
    }),
    ...written('shop', success('client')),
  }),
  one('clients 2.3', 'add_documents in batches', {
    ...ok('POST /indexes/shop/documents?refresh=false&device=cpu', { ...addBody, tensorFields: [] }),
    ...written('shop', success('client')),
  }),
  one(
    'clients 2.3',
    'update_documents, without a content type',
    add('shop', [{ _id: 'changed', n: 1 }]),
    typeless({ ...updating('shop', [{ _id: 'changed', n: 2 }]), ...written('shop', success('changed')) }),
  ),
  ...['True', 'False'].map((word) =>
    one(
      'clients 2.3',
      `get_document with expose_facets ${word}`,
      ok(`GET /indexes/shop/documents/red?expose_facets=${word}`, undefined, expect.objectContaining({ _id: 'red' })),
    ),
  ),
  one(
    'clients 2.3',
    'get_documents',
    ok('GET /indexes/shop/documents?expose_facets=True', ['red'], {
      errors: false,
      results: [expect.objectContaining({ _id: 'red', _found: true, _tensor_facets: expect.any(Array) })],
    }),
  ),
  one(
    'clients 2.3',
    'delete_documents',
    ok(
      'POST /indexes/shop/documents/delete-batch',
      ['nobody'],
      expect.objectContaining({
        items: [{ _id: 'nobody', status: 404, result: 'not_found' }],
        details: { receivedDocumentIds: 1, deletedDocuments: 0 },
      }),
    ),
  ),
];

const nulls = { searchableAttributes: null, limit: 1, offset: 0, showHighlights: true, reRanker: null, boost: null };
const searches: Case[] = [
  ...['TENSOR', 'LEXICAL', 'tensor', 'lexical', 'Hybrid'].map((searchMethod) =>
    one(
      'clients 2.4',
      `search by ${searchMethod}, with all that 3.2.0 sends`,
      ok('POST /indexes/shop/search?&device=cpu', { q: 'red shoe', ...nulls, searchMethod }, hits('red')),
    ),
  ),
  one(
    'clients 2.4',
    'search with what may be given',
    ok(
      'POST /indexes/shop/search',
      {
        ...{ q: 'red shoe', ...nulls, searchMethod: 'TENSOR', attributesToRetrieve: ['title'], filter: 'color:red' },
        ...{
          image_download_headers: {},
          context: null,
          scoreModifiers: null,
          modelAuth: null,
          efSearch: 100,
          approximate: true,
        },
      },
      hits('red'),
    ),
  ),
  one(
    'clients 2.9',
    'search of 3.18.2, without nulls',
    ok(
      'POST /indexes/shop/search',
      {
        ...{ q: 'red shoe', limit: 1, offset: 0, searchMethod: 'HYBRID', showHighlights: true, textQueryPrefix: '' },
        ...{ hybridParameters: { retrievalMethod: 'disjunction', rankingMethod: 'rrf' }, image_download_headers: {} },
      },
      hits('red'),
    ),
  ),
  ...[['red'], { red: 1, blue: 0.5 }].map((from) =>
    one(
      'clients 2.4',
      `recommend from ${JSON.stringify(from)}`,
      ok(
        'POST /indexes/shop/recommend',
        {
          ...{ documents: from, excludeInputDocuments: true, limit: 1, offset: 0, showHighlights: true },
          ...{ allowMissingDocuments: false, allowMissingEmbeddings: false },
        },
        expect.objectContaining({ hits: expect.any(Array) }),
      ),
    ),
  ),
  ...['query', 'document', null].map((content_type) =>
    one(
      'clients 2.4',
      `embed with content_type ${content_type}`,
      ok(
        'POST /indexes/shop/embed?&device=cpu',
        {
          ...{ content: ['a', 'b'], content_type, image_download_headers: null, modelAuth: null },
        },
        expect.objectContaining({ embeddings: [expect.any(Array), expect.any(Array)], content: ['a', 'b'] }),
      ),
    ),
  ),
  one('clients 2.3', 'bulk_search, which is of another version', {
    request: 'POST /indexes/bulk/search?&device=cpu',
    body: { queries: [] },
    status: 404,
    answer: expect.objectContaining({
      message: expect.any(String),
      code: expect.any(String),
      type: 'invalid_request',
      link: null,
    }),
  }),
];

const machine: Case[] = [
  one('clients 2.3', 'get_loaded_models', ok('GET /models', undefined, { models: expect.any(Array) })),
  one(
    'clients 2.3',
    'eject_model, its name with a plain slash',
    create('ejected', { model: 'random/large' }),
    ok('POST /indexes/ejected/embed', { content: 'x' }),
    typeless(
      ok(
        'DELETE /models?model_name=random/large&model_device=cpu',
        undefined,
        expect.objectContaining({ result: 'success' }),
      ),
    ),
  ),
  one('clients 2.3', 'get_cpu_info', ok('GET /device/cpu')),
  one('clients 2.3', 'get_cuda_info', {
    request: 'GET /device/cuda',
    ...error(400, 'hardware_compatability_error', holding('CUDA')),
  }),
  ...['GET /', 'GET /indexes', 'GET /indexes/shop/stats', 'GET /indexes/shop/documents/red', 'GET /models'].map(
    (request) =>
      one(
        'clients 2.7',
        `${request} with telemetry`,
        ok(`${request}?telemetry=True`, undefined, expect.objectContaining({ telemetry: expect.any(Object) })),
      ),
  ),
];

/** Requests as the official Python client spells them. */
export const clients: Part = {
  title: 'the Python client',
  preparation: [
    create('shop', small),
    add(
      'shop',
      [
        { _id: 'red', title: 'red shoe', color: 'red' },
        { _id: 'blue', title: 'blue hat', color: 'blue' },
      ],
      { tensorFields: ['title'] },
    ),
  ],
  cases: [...indexes, ...documents, ...searches, ...machine],
};
