import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import { error } from './errors.js';

const call = (request: string, expected: Expected, body?: unknown): Exchange => ({
  ...{ request, ...expected },
  ...(body !== undefined && { body }),
});
const queries = [
  { q: 'warm jacket', judgements: { g1: 3, g2: 1 } },
  { q: 'shelter for two', judgements: { g3: 0 } },
];
const sized = (setName: string, version: number, queryCount: number, judgementCount: number, pairs = 0) => ({
  ...{ setName, version, queryCount, judgementCount, configurationCount: pairs },
  updatedAt: expect.any(String),
});
const pair = {
  name: 'title or all',
  first: { index: 'gear', search: { searchMethod: 'LEXICAL', searchableAttributes: ['title'] } },
  second: { index: 'gear', search: { searchMethod: 'LEXICAL' } },
};
const configurations = [pair];
const stored = [{ ...pair, limit: 20 }];
const none = (name: string) => error(404, 'judgement_set_not_found', `There is no set of judgements ${name}`);

const cases: Case[] = [
  {
    section: '5.10',
    about: 'a set is stored, read, listed, replaced whole, and deleted',
    exchanges: [
      call('PUT /judgement-sets/gear', { status: 200, answer: sized('gear', 1, 2, 3) }, { queries }),
      call('GET /judgement-sets/gear', {
        status: 200,
        answer: { setName: 'gear', version: 1, updatedAt: expect.any(String), queries, configurations: [] },
      }),
      call('GET /judgement-sets', { status: 200, answer: { results: [sized('gear', 1, 2, 3)] } }),
      call('PUT /judgement-sets/gear', { status: 200, answer: sized('gear', 2, 0, 0) }, { queries: [], version: 1 }),
      call('PUT /judgement-sets/gear', error(412, 'version_conflict', 'The set gear is of version 2, not 1'), {
        queries,
        version: 1,
      }),
      call('DELETE /judgement-sets/gear', { status: 200, answer: { acknowledged: true } }),
      call('GET /judgement-sets/gear', none('gear')),
      call('DELETE /judgement-sets/gear', none('gear')),
    ],
  },
  {
    section: '5.10',
    about: 'a grade is one of four, and a query stands once',
    exchanges: [
      call('PUT /judgement-sets/bad', { status: 422 }, { queries: [{ q: 'a', judgements: { g1: 4 } }] }),
      call('PUT /judgement-sets/bad', { status: 422 }, { queries: [queries[0], queries[0]] }),
      call('GET /judgement-sets/bad', none('bad')),
    ],
  },
  {
    section: '5.10',
    about: 'pairs of searches are stored with a set, stay where a change has none, and hold no secret',
    exchanges: [
      call(
        'PUT /judgement-sets/pairs',
        { status: 200, answer: sized('pairs', 1, 2, 3, 1) },
        { queries, configurations },
      ),
      call('PUT /judgement-sets/pairs', { status: 200, answer: sized('pairs', 2, 0, 0, 1) }, { queries: [] }),
      call('GET /judgement-sets/pairs', {
        status: 200,
        answer: { setName: 'pairs', version: 2, updatedAt: expect.any(String), queries: [], configurations: stored },
      }),
      call(
        'PUT /judgement-sets/pairs',
        { status: 422 },
        { queries, configurations: [{ ...pair, first: { index: 'gear', search: { modelAuth: {} } } }] },
      ),
      call('PUT /judgement-sets/pairs', { status: 422 }, { queries, configurations: [pair, pair] }),
      call(
        'PUT /judgement-sets/pairs',
        { status: 200, answer: sized('pairs', 3, 0, 0, 0) },
        { queries: [], configurations: [] },
      ),
    ],
  },
];

/** Sets of judgements. */
export const judgements: Part = { title: 'judgements', preparation: [], cases };
