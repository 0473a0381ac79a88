import { expect } from 'vitest';
import { members } from './bulk.js';
import type { Exchange } from './exchange.js';

const create = (title: string, body: unknown, expected: Omit<Exchange, 'title' | 'request' | 'body'>): Exchange => ({
  title: `create: ${title}`,
  request: 'POST /batch/indexes/create',
  body,
  ...expected,
});
const remove = (title: string, body: unknown, expected: Omit<Exchange, 'title' | 'request' | 'body'>): Exchange => ({
  title: `delete: ${title}`,
  request: 'POST /batch/indexes/delete',
  body,
  ...expected,
});
const validate = (
  title: string,
  body: unknown,
  expected: Omit<Exchange, 'title' | 'request' | 'body'>,
  name = 'new',
): Exchange => ({ title: `validate: ${title}`, request: `POST /validate/index/${name}`, body, ...expected });

const small = (indexName: string, rest: object = {}) => ({ indexName, model: 'random/small', ...rest });
const unprocessable = (loc: (string | number)[], type: string) => ({
  status: 422,
  code: 'unprocessable_entity',
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const invalid = (message: string) => ({ status: 400, code: 'invalid_argument', message });
const isGone = (name: string): Exchange => ({
  title: `${name} is not there`,
  request: `GET /indexes/${name}/status`,
  status: 404,
  code: 'index_not_found',
});
/** More than any body of settings has. */
const tooMany = { status: 413, code: 'payload_too_large' };

const change = (title: string, body: unknown, expected: Omit<Exchange, 'title' | 'request' | 'body'>): Exchange => ({
  title: `settings: ${title}`,
  request: 'PATCH /indexes/own/index-settings',
  body,
  ...expected,
});

/** Several indexes at once, and the check without a creation. Section 2 of the reference. */
export const indexBatches: Exchange[] = [
  create('not a list', {}, unprocessable([], 'type_error.list')),
  create('no body', undefined, unprocessable([], 'value_error.missing')),
  create('an item that is none', [5], unprocessable([0], 'type_error.dict')),
  create('an item without a name', [small('b1'), {}], unprocessable([1, 'indexName'], 'value_error.missing')),
  create('an item with a wrong member', [small('b1'), small('b2', { modle: 1 })], {
    ...unprocessable([1, 'modle'], 'value_error.extra'),
  }),
  create('an item with a snake', [small('b1', { foo_bar: 1 })], unprocessable([0, '__root__'], 'value_error')),
  create('an overlap', [small('b1', { textPreprocessing: { splitLength: 1, splitOverlap: 1, splitMethod: 'word' } })], {
    ...unprocessable([0, 'textPreprocessing', 'splitOverlap'], 'value_error'),
  }),
  create('an unknown model', [small('b1'), small('b2', { model: 'nope' })], invalid('model=nope')),
  create('a name that cannot be', [small('b1'), small('1b')], invalid('is not a valid index name')),
  create('a name that is taken', [small('b1'), small('plain')], { status: 409, code: 'index_already_exists' }),
  create('a name twice', [small('b1'), small('b1')], { status: 409, code: 'index_already_exists' }),
  create('members by the hundred thousand', `[{${members(80_000)}}]`, tooMany),
  isGone('b1'),
  isGone('b2'),
  create('none', [], { status: 200, answer: { acknowledged: true, index_names: [] } }),
  create('two', [small('b2'), small('b1', { filterStringMaxLength: 7 })], {
    status: 200,
    answer: { acknowledged: true, index_names: ['b2', 'b1'] },
  }),
  {
    title: 'each with its own settings',
    request: 'GET /indexes/b1/settings',
    status: 200,
    answer: { filterStringMaxLength: 7 },
  },

  remove('not a list', {}, unprocessable([], 'type_error.list')),
  remove('an item that is no name', [null], unprocessable([0], 'type_error.none.not_allowed')),
  remove('names without end', Array(80_000).fill('b1'), tooMany),
  remove('one that is missing', ['b1', 'nope'], { status: 404, code: 'index_not_found', message: 'Index nope' }),
  {
    title: 'the other is still there',
    request: 'GET /indexes/b1/status',
    status: 200,
    answer: { indexStatus: 'READY' },
  },
  remove('two, one twice', ['b1', 'b2', 'b1'], {
    status: 200,
    answer: { acknowledged: true, index_names: ['b1', 'b2', 'b1'] },
  }),
  isGone('b1'),
  isGone('b2'),

  validate('nothing', undefined, { status: 200, answer: { validated: true } }),
  validate('half an object', '{', unprocessable([1], 'value_error.jsondecode')),
  validate('a wrong member', { modle: 1 }, invalid('"loc": ["modle"], "msg": "extra fields not permitted"')),
  validate('a wrong value', { normalizeEmbeddings: 5 }, invalid('"loc": ["normalizeEmbeddings"]')),
  validate(
    'an overlap',
    { textPreprocessing: { splitLength: 1, splitOverlap: 1, splitMethod: 'word' } },
    {
      ...invalid('splitOverlap must be less than splitLength'),
    },
  ),
  validate('an unknown model', { model: 'nope' }, invalid('model=nope')),
  validate('a name that cannot be', {}, invalid('is not a valid index name'), '1b'),
  validate('a name that is taken', { model: 'random/small' }, { status: 409, code: 'index_already_exists' }, 'plain'),
  validate('members by the hundred thousand', `{${members(80_000)}}`, tooMany),
  validate(
    'objects of which members are given in part',
    { model: 'random/small', annParameters: { spaceType: 'angular' }, textPreprocessing: { splitLength: 3 } },
    { status: 200, answer: { validated: true } },
  ),
  validate(
    'the indexes that could be created',
    { model: 'random/small' },
    {
      status: 200,
      answer: { validated: true, index: 'new' },
    },
  ),
  isGone('new'),

  change('not an object', [], unprocessable([], 'type_error.dict')),
  change('properties that are none', { modelProperties: 5 }, unprocessable(['modelProperties'], 'type_error.dict')),
  change('no member', { modelProperties: {} }, unprocessable(['modelProperties'], 'value_error.list.min_items')),
  change(
    'other dimensions',
    { modelProperties: { type: 'no_model', dimensions: 3 } },
    invalid('dimensions of no_model'),
  ),
  change('members by the hundred thousand', `{"modelProperties":{${members(80_000)}}}`, tooMany),
  change(
    'the members that may change',
    { modelProperties: { type: 'no_model', dimensions: 2, note: 'x' } },
    { status: 200, answer: { message: 'Index settings update is successful.' } },
  ),
  {
    title: 'settings of an index that is not there',
    request: 'PATCH /indexes/nope/index-settings',
    body: { modelProperties: { type: 'no_model', dimensions: 2 } },
    status: 404,
    code: 'index_not_found',
  },

  {
    title: 'memory',
    request: 'GET /memory',
    status: 200,
    answer: {
      memory_used: expect.any(Number),
      stats: expect.arrayContaining([expect.stringMatching(/^held: .* MiB$/)]),
    },
  },
];
