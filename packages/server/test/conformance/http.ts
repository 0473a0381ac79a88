import { expect } from 'vitest';
import type { Case, Expected, Part } from './case.js';
import { add, adding, success, written } from './documents.js';
import { error, holding, invalidArgument, noIndex, problems, unprocessable } from './errors.js';
import { create, small } from './indexes.js';

/** A request of every operation that takes a body, with a body that is accepted. */
const bodies: readonly (readonly [request: string, body: unknown, kind: 'object' | 'list'])[] = [
  ['POST /indexes/a/documents', { documents: [{ _id: 'written' }] }, 'object'],
  ['PATCH /indexes/a/documents', { documents: [{ _id: 'known' }] }, 'object'],
  ['GET /indexes/a/documents', ['known'], 'list'],
  ['POST /indexes/a/documents/get-batch', { documentIds: ['known'] }, 'object'],
  ['POST /indexes/a/documents/delete-batch', ['nobody'], 'list'],
  ['POST /indexes/a/search', { q: 'x', searchMethod: 'LEXICAL' }, 'object'],
  ['POST /indexes/a/embed', { content: 'x' }, 'object'],
];
/** The same, and a creation, which is refused for its name once its body was read. */
const withCreation = [...bodies, ['POST /indexes/a', small, 'object'] as const];
const statusOf = (request: string) => (request === 'POST /indexes/a' ? 409 : 200);

const contentTypes: Case[] = withCreation.flatMap(([request, body, kind]) => [
  ...['', 'application/json', 'application/json; charset=utf-8', 'application/vnd.api+json'].map((type) => ({
    section: '1.1',
    about: `${request} with ${type === '' ? 'no content type' : type}`,
    exchanges: [{ request, body, headers: { 'content-type': type }, status: statusOf(request) }],
  })),
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].map((type) => ({
    section: '1.1',
    about: `${request} with ${type}`,
    exchanges: [
      {
        request,
        body,
        headers: { 'content-type': type },
        ...unprocessable({
          ...problems[kind](['body']),
          msg: holding(`value is not a valid ${kind === 'list' ? 'list' : 'dict'}`),
        }),
      },
    ],
  })),
]);

const malformed: Case[] = withCreation.flatMap(([request]) => [
  {
    section: '10.3',
    about: `${request} with a name without quotes`,
    exchanges: [{ request, body: '{x', ...unprocessable(problems.malformed(1)) }],
  },
  {
    section: '10.3',
    about: `${request} with a body that breaks off`,
    exchanges: [{ request, body: '{"x": [1, ', ...unprocessable(problems.malformed(10)) }],
  },
]);

const detailed: Case = {
  section: '10.3',
  about: 'where JSON is malformed, in lines and columns, without an echo of it',
  exchanges: [
    {
      request: 'POST /indexes/a/search',
      body: '{"q": "secret",\n x}',
      status: 422,
      answer: {
        detail: [
          {
            loc: ['body', 17],
            msg: holding('line 2 column 2 (char 17)'),
            type: 'value_error.jsondecode',
          },
        ],
        message: expect.not.stringContaining('secret'),
        code: 'unprocessable_entity',
        type: 'invalid_request',
        link: '',
      },
    },
  ],
};

const queries: Case[] = [
  ...['refresh=false', '&', '&&device=cpu', 'nonsense=1&nonsense=2', 'telemetry', '%zz'].map((query) => ({
    section: '1.1',
    about: `the query ?${query} is no hindrance`,
    exchanges: [
      {
        ...adding('a', [{ _id: 'queried' }]),
        request: `POST /indexes/a/documents?${query}`,
        ...written('a', success('queried')),
      },
    ],
  })),
  ...['GET //indexes', 'GET /indexes//a/stats'].map((request) => ({
    section: '1.1',
    about: `slashes in a row are one: ${request}`,
    exchanges: [{ request, status: 200 }],
  })),
  ...['GET /indexes', 'GET /indexes/a/settings', 'GET /health'].map((request) => ({
    section: '1.1',
    about: `unknown members of the query of ${request}`,
    exchanges: [{ request: `${request}?refresh=true&x`, status: 200 }],
  })),
];

const unrouted = (status: number, code: string, detail: string): Expected => ({
  status,
  answer: { detail, message: expect.any(String), code, type: 'invalid_request', link: null },
});
const notFound = unrouted(404, 'not_found', 'Not Found');
const notAllowed = unrouted(405, 'method_not_allowed', 'Method Not Allowed');

const paths: Case[] = [
  ...[
    ...['GET /nope', 'POST /nope', 'GET /indexes/a/nope', 'POST /indexes/a/refresh', 'GET /indexes/a/b/c'],
    ...['POST /indexes/bulk/nope', 'GET /INDEXES', 'GET //nope'],
  ].map((request) => ({ section: '10.2', about: `${request} is no path`, exchanges: [{ request, ...notFound }] })),
  ...[
    ...['POST /', 'PUT /indexes/a', 'PATCH /indexes/a', 'POST /indexes', 'DELETE /indexes', 'POST /indexes/a/settings'],
    ...['POST /health', 'GET /indexes/a/search', 'DELETE /indexes/a/documents', 'GET /indexes/a/embed'],
    ...['PUT /models', 'POST /device/cpu', 'DELETE /indexes/a/stats'],
  ].map((request) => ({
    section: '10.2',
    about: `${request} is no method of its path`,
    exchanges: [{ request, ...notAllowed, answerHeaders: { allow: expect.any(String) } }],
  })),
  {
    section: '1.2',
    about: 'OPTIONS is no method of any path',
    exchanges: [{ request: 'OPTIONS /indexes', ...notAllowed }],
  },
  { section: '1.2', about: 'HEAD is no method of any path', exchanges: [{ request: 'HEAD /indexes', status: 405 }] },
  ...[
    ['GET /indexes/', '/indexes'],
    ['GET /health/?x=1', '/health?x=1'],
    ['POST /indexes/a/', '/indexes/a'],
    ['POST /indexes/a/documents/?device=cpu', '/indexes/a/documents?device=cpu'],
    ['GET /indexes/a/settings/', '/indexes/a/settings'],
  ].map(([request, location]) => ({
    section: '1.1',
    about: `${request} is sent on to ${location}`,
    exchanges: [{ request: request as string, status: 307, answerHeaders: { location } }],
  })),
  {
    section: '1.1',
    about: 'an encoded slash is a part of the name of an index, which none has',
    exchanges: [{ request: 'GET /indexes/a%2Fb/settings', ...error(404, 'index_not_found', holding('a/b not found')) }],
  },
  {
    section: '3.1',
    about: 'names of indexes have a case',
    exchanges: [{ request: 'GET /indexes/A/settings', ...noIndex('A') }],
  },
];

const timed = (...names: string[]) => ({
  timesMs: expect.objectContaining(Object.fromEntries(names.map((name) => [name, expect.any(Number)]))),
});
const answers: Case[] = [
  ...[
    ['GET', '/', 200],
    ['GET', '/indexes', 200],
    ['GET', '/indexes/nope/stats', 404],
    ['GET', '/nope', 404],
    ['PUT', '/indexes', 405],
  ].map(([method, path, status]) => ({
    section: '1.2',
    about: `${method} ${path} answers JSON without a charset, and nothing of CORS or compression`,
    exchanges: [
      {
        request: `${method} ${path}`,
        headers: { 'accept-encoding': 'gzip, br' },
        status: status as number,
        answerHeaders: {
          'content-type': 'application/json',
          'access-control-allow-origin': undefined,
          'content-encoding': undefined,
        },
      },
    ],
  })),
  {
    section: '1.2',
    about: 'answers are compact, with other scripts as they are',
    exchanges: [
      add('a', [{ _id: 'compact', t: 'é文' }]),
      { request: 'GET /indexes/a/documents/compact', status: 200, text: holding('"t":"é文"') },
    ],
  },
  ...['true', 'True', 'TRUE'].map((word) => ({
    section: '1.2',
    about: `telemetry=${word} adds what was measured`,
    exchanges: [
      {
        request: `POST /indexes/a/search?telemetry=${word}`,
        body: { q: 'x' },
        status: 200,
        answer: expect.objectContaining({
          telemetry: {
            ...timed('search.vector_inference_full_pipeline', 'search.vector.vespa', 'POST /indexes/a/search'),
            counter: { 'query_cache.hits': expect.any(Number), 'query_cache.misses': expect.any(Number) },
          },
        }),
      },
    ],
  })),
  ...['1', 'yes', 'false', ''].map((word) => ({
    section: '1.2',
    about: `telemetry=${word} adds nothing`,
    exchanges: [{ request: `GET /indexes/a/status?telemetry=${word}`, status: 200, answer: { indexStatus: 'READY' } }],
  })),
  {
    section: '1.2',
    about: 'telemetry of documents that are added',
    exchanges: [
      {
        request: 'POST /indexes/a/documents?telemetry=true',
        body: { documents: [{ _id: 'x', t: 'x' }], tensorFields: ['t'] },
        status: 200,
        answer: expect.objectContaining({
          telemetry: timed(
            'add_documents.create_vectors',
            'add_documents.processing_before_vespa',
            'add_documents.vespa._bulk',
            'POST /indexes/a/documents',
          ),
        }),
      },
    ],
  },
  ...[
    ['GET /indexes', 200],
    ['GET /indexes/a/settings', 200],
    ['GET /indexes/nope/settings', 404],
    ['GET /nope', 404],
    ['PUT /indexes', 405],
    ['POST /indexes/a/search', 422],
  ].map(([request, status]) => ({
    section: '1.2',
    about: `telemetry of ${request}, where nothing was measured`,
    exchanges: [
      {
        request: `${request}?telemetry=true`,
        status: status as number,
        answer: expect.objectContaining({ telemetry: {} }),
      },
    ],
  })),
];

const documentation: Case[] = [
  {
    section: '1.2',
    about: 'telemetry leaves an answer that is no object as it is',
    exchanges: [
      {
        request: 'DELETE /indexes/a/suggestions/queries?telemetry=true',
        body: ['x'],
        status: 200,
        answer: 'Queries deleted successfully',
      },
    ],
  },
  {
    section: '1.2',
    about: 'a page shows the interface, under its older name too',
    exchanges: [
      {
        request: 'GET /docs',
        status: 200,
        text: holding('<!DOCTYPE html>'),
        answerHeaders: { 'content-type': holding('text/html') },
      },
      { request: 'GET /redoc', status: 307, answerHeaders: { location: '/docs' } },
    ],
  },
  {
    section: '12.26',
    about: 'the interface as an OpenAPI document, with every path of it',
    exchanges: [
      {
        request: 'GET /openapi.json',
        status: 200,
        answer: expect.objectContaining({
          openapi: '3.1.0',
          paths: expect.objectContaining({ '/indexes/{indexName}/documents': expect.anything() }),
        }),
        answerHeaders: { 'content-type': 'application/json' },
      },
    ],
  },
];

const order: Case[] = [
  {
    section: '1.3',
    about: 'the shape of settings and their model come before the name that is taken',
    exchanges: [
      { request: 'POST /indexes/a', body: { model: [] }, ...unprocessable(problems.text(['body', 'model'])) },
      {
        request: 'POST /indexes/a',
        body: { model: 'nope' },
        ...invalidArgument(holding('Could not find model properties for model=nope.')),
      },
      { request: 'POST /indexes/a', body: small, ...error(409, 'index_already_exists', 'Index a already exists') },
    ],
  },
  {
    section: '1.3',
    about: 'malformed JSON comes before the device',
    exchanges: [
      { request: 'POST /indexes/a/documents?device=gpu', body: '{', ...unprocessable(problems.malformed(1)) },
    ],
  },
  {
    section: '1.3',
    about: 'the device comes before the shape of the body',
    exchanges: [
      {
        request: 'POST /indexes/a/search?device=gpu',
        body: { nonsense: 1 },
        ...invalidArgument(holding("doesn't start with a known device type")),
      },
    ],
  },
  {
    section: '1.3',
    about: 'the shape of the body comes before the index',
    exchanges: [
      {
        request: 'POST /indexes/nope/search',
        body: { nonsense: 1 },
        ...unprocessable(problems.extra(['body', 'nonsense'])),
      },
    ],
  },
  {
    section: '1.3',
    about: 'the exclusive credentials come before the index',
    exchanges: [
      {
        ...adding('nope', [{}], { modelAuth: {} }),
        ...invalidArgument(holding('Missing authentication object.')),
      },
    ],
  },
];

const missingIndex: Case[] = [
  ...bodies,
  ...['stats', 'settings', 'health'].map((what) => [`GET /indexes/a/${what}`] as const),
]
  .map(([request, body]) => ({ request: request.replace('/a', '/nope'), body }))
  .concat({ request: 'POST /indexes/nope/recommend', body: { documents: ['x'] } })
  .map((asked) => ({
    section: '10.2',
    about: `${asked.request}, of an index that is not there`,
    exchanges: [{ ...asked, ...noIndex('nope') }],
  }));

/** The rules of every call: bodies, queries, paths, headers of answers, telemetry, the order of checks. */
export const conventions: Part = {
  title: 'conventions of HTTP',
  preparation: [create('a', small), add('a', [{ _id: 'known', t: 'x' }], { tensorFields: ['t'] })],
  cases: [
    ...contentTypes,
    ...malformed,
    detailed,
    ...queries,
    ...paths,
    ...answers,
    ...documentation,
    ...order,
    ...missingIndex,
  ],
};
