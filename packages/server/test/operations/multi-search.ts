import { expect } from 'vitest';
import type { Exchange } from './exchange.js';

const call = (title: string, body: unknown, expected: Omit<Exchange, 'title' | 'request' | 'body'>): Exchange => ({
  title,
  request: 'POST /multi-search',
  body,
  ...expected,
});
const unprocessable = (loc: (string | number)[], type: string) => ({
  status: 422,
  code: 'unprocessable_entity',
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const words = { indexName: 'plain', q: 'shoe', searchMethod: 'LEXICAL' };
const found = { indexName: 'plain', status: 200, response: { hits: [{ _id: 'known' }], query: 'shoe' } };

export const multiSearches: Exchange[] = [
  call('no body', undefined, unprocessable([], 'value_error.missing')),
  call('a list', [words], unprocessable([], 'type_error.dict')),
  call('malformed JSON', '{"queries":[', unprocessable([12], 'value_error.jsondecode')),
  call('no queries', {}, unprocessable(['queries'], 'value_error.missing')),
  call('a list of none', { queries: [] }, unprocessable(['queries'], 'value_error.list.min_items')),
  call('51 queries', { queries: Array(51).fill(words) }, unprocessable(['queries'], 'value_error.list.max_items')),
  call('a query that is a text', { queries: ['a'] }, unprocessable(['queries', 0], 'type_error.dict')),
  call(
    'a query of no index',
    { queries: [{ q: 'a' }] },
    unprocessable(['queries', 0, 'indexName'], 'value_error.missing'),
  ),
  call('an unknown member', { queries: [words], limit: 1 }, unprocessable(['limit'], 'value_error.extra')),
  call('half a character', String.raw`{"queries":[{"indexName":"\ud800"}]}`, {
    status: 422,
    code: 'unprocessable_entity',
  }),
  call('a body above the limit', ' '.repeat(9 * 1024 * 1024), { status: 413, code: 'payload_too_large' }),
  call('numbers by the million', `{"queries":[${'1,'.repeat(3_000_000)}1]}`, {
    status: 413,
    message: '300000 values',
  }),
  {
    ...call('an unknown device', { queries: [words] }, { status: 400, message: "doesn't start with" }),
    request: 'POST /multi-search?device=tpu',
  },
  {
    ...call('no time at all', { queries: [words] }, { status: 504, code: 'vector_store_timeout' }),
    headers: { 'x-request-timeout-ms': '0' },
  },
  call(
    'searches that fail beside one that does not',
    {
      queries: [
        { ...words, indexName: 'nope' },
        { ...words, limit: 'ten', highlights: true },
        words,
        { ...words, filter: 'color:' },
        { indexName: 'own', q: { customVector: { vector: [1] } } },
      ],
    },
    {
      status: 200,
      answer: {
        errors: true,
        results: [
          { indexName: 'nope', status: 404, error: { code: 'index_not_found' } },
          {
            indexName: 'plain',
            status: 422,
            error: { detail: [{ loc: ['body', 'limit'] }, { loc: ['body', 'highlights'] }] },
          },
          found,
          { indexName: 'plain', status: 400, error: { code: expect.any(String), type: 'invalid_request' } },
          { indexName: 'own', status: 400, error: { message: expect.stringContaining('Expected dimension 2') } },
        ],
      },
    },
  ),
  call(
    'queries whose members are spelt with escapes',
    String.raw`{"\u0071ueries" : [ {"indexName":"plain" , "q":"shoe","searchMethod":"LEXICAL"} ]}`,
    { status: 200, answer: { errors: false, results: [found] } },
  ),
];
