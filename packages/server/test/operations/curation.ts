import { members } from './bulk.js';
import type { Exchange } from './exchange.js';

const put = (title: string, index: string, body: unknown, expected: Omit<Exchange, 'title' | 'request' | 'body'>) => ({
  title: `put: ${title}`,
  request: `PUT /indexes/${index}/curation`,
  body,
  ...expected,
});
const get = (index: string, expected: Omit<Exchange, 'title' | 'request'>): Exchange => ({
  title: `those of ${index}`,
  request: `GET /indexes/${index}/curation`,
  ...expected,
});
const unprocessable = (loc: (string | number)[], type: string) => ({
  status: 422,
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const rule = { id: 'r', condition: {}, consequence: { hidden: ['known'] } };

/** Rules and synonyms of indexes. */
export const curation: Exchange[] = [
  get('plain', { status: 200, answer: { version: 0, updatedAt: null, rules: [], synonyms: [] } }),
  get('nope', { status: 404, code: 'index_not_found' }),
  put('no body', 'plain', undefined, unprocessable([], 'value_error.missing')),
  put('a list', 'plain', [], unprocessable([], 'type_error.dict')),
  put('a member too many', 'plain', { a: 1 }, unprocessable(['a'], 'value_error.extra')),
  put('a rule that says nothing', 'plain', { rules: [{}] }, { status: 422 }),
  put('too long a body', 'plain', `{${members(25_000)}}`, { status: 413, code: 'payload_too_large' }),
  put('an index that is not there', 'nope', {}, { status: 404, code: 'index_not_found' }),
  put(
    'a filter that is none',
    'plain',
    { rules: [{ ...rule, consequence: { filter: 'a' } }] },
    { status: 400, code: 'invalid_argument', message: 'rules[0].consequence.filter' },
  ),
  put(
    'a filter of a field that the index does not filter by',
    'shop',
    { rules: [{ ...rule, consequence: { filter: 'title:a' } }] },
    { status: 400, code: 'invalid_field_name', message: 'rules[0].consequence.filter' },
  ),
  put(
    'a default of a field without words',
    'shop',
    { searchDefaults: { fieldWeights: { nobody: 2 } } },
    { status: 400, code: 'invalid_field_name', message: 'searchDefaults: ' },
  ),
  put(
    'a default that is none',
    'plain',
    { searchDefaults: { limit: 1 } },
    unprocessable(['searchDefaults', 'limit'], 'value_error.extra'),
  ),
  put('a rule', 'own', { rules: [rule] }, { status: 200, answer: { version: 1, rules: [rule] } }),
  put('the same rule', 'own', { rules: [rule], synonyms: [] }, { status: 200, answer: { version: 1 } }),
  {
    ...put('another version', 'own', {}, { status: 412, code: 'version_conflict' }),
    headers: { 'if-match': '"7"' },
  },
  {
    title: 'a change of settings',
    request: 'PATCH /indexes/own/index-settings',
    body: { modelProperties: { type: 'no_model', dimensions: 2, note: 'ours' } },
    status: 200,
  },
  get('own', { status: 200, answer: { version: 1, rules: [rule] } }),
  {
    title: 'a change of settings keeps the versions',
    request: 'GET /indexes/own/curation/versions',
    status: 200,
    answer: {
      versions: [
        { version: 1, rules: [rule] },
        { version: 0, rules: [] },
      ],
    },
  },
  {
    title: 'versions of nothing',
    request: 'GET /indexes/nope/curation/versions',
    status: 404,
    code: 'index_not_found',
  },
  ...[
    { title: 'no version', body: {}, ...unprocessable(['version'], 'value_error.missing') },
    { title: 'a version below 0', body: { version: -1 }, status: 422 },
    { title: 'too long a body', body: `{${members(60_000)}}`, status: 413, code: 'payload_too_large' },
    {
      title: 'a version that is not kept',
      body: { version: 7 },
      status: 400,
      code: 'invalid_argument',
      message: '(1, 0)',
    },
    { title: 'no rules, as at first', body: { version: 0 }, status: 200, answer: { version: 2, rules: [] } },
    { title: 'the rule again', body: { version: 1 }, status: 200, answer: { version: 3, rules: [rule] } },
  ].map((exchange) => ({
    ...exchange,
    title: `roll back: ${exchange.title}`,
    request: 'POST /indexes/own/curation/roll-back',
  })),
  {
    title: 'roll back: another version',
    request: 'POST /indexes/own/curation/roll-back',
    body: { version: 0 },
    headers: { 'if-match': '"7"' },
    status: 412,
    code: 'version_conflict',
  },
  {
    title: 'roll back: an index that is not there',
    request: 'POST /indexes/nope/curation/roll-back',
    body: { version: 0 },
    status: 404,
    code: 'index_not_found',
  },
  put('none any more', 'own', {}, { status: 200, answer: { version: 4, rules: [], synonyms: [] } }),
];
