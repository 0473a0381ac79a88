import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import { error, holding, inBody, problems, unprocessable } from './errors.js';
import { S, U } from './kinds.js';
import { hitOf, near, preparation, words } from './ranked.js';

const call = (queries: unknown, expected: Expected): Exchange => ({
  request: 'POST /multi-search',
  body: { queries },
  ...expected,
});
const of = (indexName: string, search: object) => ({ indexName, ...search });

/** A result with these hits. */
const found = (indexName: string, ...ids: string[]) => ({
  indexName,
  status: 200,
  response: expect.objectContaining({ hits: ids.map((id) => hitOf([id])), limit: 10, offset: 0 }),
});
const failed = (indexName: string, status: number, code: string) => ({
  indexName,
  status,
  error: expect.objectContaining({ code, message: expect.any(String), type: 'invalid_request' }),
});
const results = (errors: boolean, ...results: readonly object[]): Expected => ({
  status: 200,
  answer: { results, errors, processingTimeMs: expect.any(Number) },
});

const cats = words({ q: 'cats' });
const cases: Case[] = [
  {
    section: 'search 15',
    about: 'each query has the answer that its index gives, in the order of the queries',
    exchanges: [
      call(
        [of(U, cats), of(S, near({})), of(U, words({ sortBy: { fields: [{ fieldName: 'n' }] } }))],
        results(false, found(U, 'c', 'd'), found(S, 'a', 'b', 'c'), found(U, 'd', 'a', 'b', 'c')),
      ),
    ],
  },
  {
    section: 'search 15',
    about: 'a search that fails has its error, and the others their answers',
    exchanges: [
      call(
        [of('nobody', cats), of(U, cats), of(U, { ...cats, limit: 'x' }), of(U, { ...cats, filter: 'n:' })],
        results(
          true,
          failed('nobody', 404, 'index_not_found'),
          found(U, 'c', 'd'),
          failed(U, 422, 'unprocessable_entity'),
          failed(U, 400, 'invalid_argument'),
        ),
      ),
    ],
  },
  {
    section: 'search 15',
    about: 'the call is refused for its own form alone',
    exchanges: [
      call(undefined, unprocessable(problems.missing(inBody('queries')))),
      call([cats], unprocessable(problems.missing(inBody('queries', 0, 'indexName')))),
      call([], { status: 422 }),
      call(Array(51).fill(of(U, cats)), { status: 422 }),
    ],
  },
  {
    section: 'search 15',
    about: 'the time is that of the whole call',
    exchanges: [
      {
        ...call([of(U, cats)], error(504, 'vector_store_timeout', holding('timed out'))),
        headers: { 'x-request-timeout-ms': '0' },
      },
    ],
  },
];

/** Several searches in one call. */
export const multiSearch: Part = { title: 'several searches in one call', preparation, cases };
