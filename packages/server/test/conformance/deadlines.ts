import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import { add } from './documents.js';
import { error, problems, unprocessable } from './errors.js';
import { create, small } from './indexes.js';

const timedOut = error(504, 'vector_store_timeout', 'Vector store request timed out. Try your request again later.');

const timed = (operation: 'search' | 'recommend', body: object, time: string, expected: Expected): Exchange => ({
  request: `POST /indexes/a/${operation}`,
  body,
  headers: { 'x-request-timeout-ms': time },
  ...expected,
});

const header = ['header', 'x-request-timeout-ms'];
const words = { q: 'boat', searchMethod: 'LEXICAL' };
const searches: readonly (readonly [string, 'search' | 'recommend', object])[] = [
  ['a tensor search', 'search', { q: 'boat' }],
  ['a lexical search', 'search', words],
  ['a hybrid search', 'search', { q: 'boat', searchMethod: 'HYBRID' }],
  ['a recommendation', 'recommend', { documents: ['one'], excludeInputDocuments: false }],
];

const found: Expected = {
  status: 200,
  answer: expect.objectContaining({ hits: [expect.objectContaining({ _id: 'one' })] }),
};

const cases: Case[] = [
  ...searches.map(([title, operation, body]) => ({
    section: 'search 1.4',
    about: `${title} that may take no time answers 504, and the same is found in time`,
    exchanges: [timed(operation, body, '0', timedOut), timed(operation, body, '600000', found)],
  })),
  ...(
    [
      ['soon', problems.integer(header)],
      ['-1', problems.atLeast(header, 0)],
      ['600001', problems.atMost(header, 600_000)],
    ] as const
  ).map(([time, problem]) => ({
    section: 'search 1.4',
    about: `a time of ${time} is refused by the name of its header`,
    exchanges: [timed('search', words, time, unprocessable(problem))],
  })),
  {
    section: 'search 1.4',
    about: 'a search that names no time has what the operator gives it, and operations that take none ignore it',
    exchanges: [
      { request: 'POST /indexes/a/search', body: words, ...found },
      { request: 'GET /indexes/a/documents/one', headers: { 'x-request-timeout-ms': '0' }, status: 200 },
    ],
  },
];

/** The longest times of searches. */
export const deadlines: Part = {
  title: 'deadlines',
  environment: { VESPA_SEARCH_TIMEOUT_MS: '600000' },
  preparation: [create('a', small), add('a', [{ _id: 'one', title: 'a boat' }], { tensorFields: ['title'] })],
  cases,
};

/** The time that the operator gives searches. */
export const shortDeadline: Part = {
  title: 'a short time for searches',
  environment: { VESPA_SEARCH_TIMEOUT_MS: '1' },
  preparation: [create('a', small), add('a', [{ _id: 'one', title: 'a boat' }], { tensorFields: ['title'] })],
  cases: [
    {
      section: '9',
      about: 'VESPA_SEARCH_TIMEOUT_MS, for which a client may name another time',
      exchanges: [timed('search', words, '600000', found)],
    },
  ],
};
