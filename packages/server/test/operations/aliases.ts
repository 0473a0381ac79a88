import { members } from './bulk.js';
import type { Exchange } from './exchange.js';

const put = (title: string, name: string, body: unknown, expected: Omit<Exchange, 'title' | 'request' | 'body'>) => ({
  title: `put: ${title}`,
  request: `PUT /aliases/${name}`,
  body,
  ...expected,
});
const change = (title: string, changes: unknown, expected: Omit<Exchange, 'title' | 'request' | 'body'>) => ({
  title: `change: ${title}`,
  request: 'POST /aliases',
  body: { changes },
  ...expected,
});
const unprocessable = (loc: (string | number)[], type: string) => ({
  status: 422,
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const taken = { status: 409, code: 'index_already_exists' };

/** Other names of indexes. */
export const aliases: Exchange[] = [
  { title: 'none', request: 'GET /aliases', status: 200, answer: { results: [] } },
  put('no body', 'today', undefined, unprocessable([], 'value_error.missing')),
  put('no index', 'today', {}, unprocessable(['indexName'], 'value_error.missing')),
  put('a member too many', 'today', { indexName: 'plain', a: 1 }, unprocessable(['a'], 'value_error.extra')),
  put('too long a body', 'today', `{${members(25_000)}}`, { status: 413, code: 'payload_too_large' }),
  put('an index that is not there', 'today', { indexName: 'nope' }, { status: 404, code: 'index_not_found' }),
  put(
    'a name that no index can have',
    '1a',
    { indexName: 'plain' },
    { status: 400, message: 'not a valid index name' },
  ),
  put('a name that is too long', 'a'.repeat(223), { indexName: 'plain' }, { status: 400, message: '222 characters' }),
  put('the name of an index', 'own', { indexName: 'plain' }, taken),
  put(
    'a new one',
    'today',
    { indexName: 'plain' },
    { status: 200, answer: { aliasName: 'today', indexName: 'plain' } },
  ),
  put('an alias of an alias', 'other', { indexName: 'today' }, { status: 400, code: 'invalid_argument' }),
  { title: 'it reads', request: 'GET /indexes/today/documents/known', status: 200, answer: { _id: 'known' } },
  {
    title: 'its index is told',
    request: 'GET /indexes/today/stats',
    status: 200,
    answer: { aliases: ['today'] },
  },
  {
    title: 'the list of indexes is of indexes',
    request: 'GET /indexes/today',
    status: 200,
    answer: { indexName: 'plain' },
  },
  { title: 'an index of its name', request: 'POST /indexes/today', body: { model: 'random/small' }, ...taken },
  { title: 'a check of its name', request: 'POST /validate/index/today', body: { model: 'random/small' }, ...taken },
  { title: 'a deletion by the alias', request: 'DELETE /indexes/today', status: 400, message: 'is an alias' },
  {
    title: 'a deletion of its index',
    request: 'DELETE /indexes/plain',
    status: 409,
    code: 'index_has_alias',
    message: 'alias today',
  },
  {
    title: 'a deletion of several',
    request: 'POST /batch/indexes/delete',
    body: ['own', 'plain'],
    status: 409,
    code: 'index_has_alias',
  },
  { title: 'none of them is gone', request: 'GET /indexes/own/status', status: 200, answer: {} },
  change('no list', undefined, unprocessable(['changes'], 'value_error.missing')),
  change(
    'one alias twice',
    [
      { aliasName: 'a', indexName: 'own' },
      { aliasName: 'a', indexName: null },
    ],
    {
      ...{ status: 400, code: 'invalid_argument', message: 'more than once' },
    },
  ),
  change('too long a list', Array(25_000).fill(0), { status: 413, code: 'payload_too_large' }),
  change(
    'one of two fails',
    [
      { aliasName: 'today', indexName: 'own' },
      { aliasName: 'nope', indexName: null },
    ],
    {
      ...{ status: 404, code: 'alias_not_found' },
    },
  ),
  change('an index of the name', [{ aliasName: 'own', indexName: 'plain' }], taken),
  { title: 'as before', request: 'GET /aliases/today', status: 200, answer: { indexName: 'plain' } },
  change(
    'two',
    [
      { aliasName: 'today', indexName: 'own' },
      { aliasName: 'a', indexName: 'plain' },
    ],
    {
      ...{ status: 200, answer: { acknowledged: true } },
    },
  ),
  {
    title: 'both, by name',
    request: 'GET /aliases',
    status: 200,
    answer: {
      results: [
        { aliasName: 'a', indexName: 'plain' },
        { aliasName: 'today', indexName: 'own' },
      ],
    },
  },
  { title: 'the other index', request: 'GET /indexes/today/documents/north', status: 200, answer: { _id: 'north' } },
  { title: 'delete: an index', request: 'DELETE /aliases/own', ...taken },
  { title: 'delete: one of two', request: 'DELETE /aliases/a', status: 200, answer: { acknowledged: true } },
  { title: 'delete: the other', request: 'DELETE /aliases/today', status: 200, answer: { acknowledged: true } },
  { title: 'delete: again', request: 'DELETE /aliases/today', status: 404, code: 'alias_not_found' },
  { title: 'it is gone', request: 'GET /aliases/today', status: 404, code: 'alias_not_found' },
  { title: 'and no index', request: 'GET /indexes/today/stats', status: 404, code: 'index_not_found' },
];
