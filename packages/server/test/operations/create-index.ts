import { expect } from 'vitest';
import { members } from './bulk.js';
import type { Exchange } from './exchange.js';

const post = (title: string, body: unknown, expected: Omit<Exchange, 'title' | 'request' | 'body'>, name = 'new') => ({
  title,
  request: `POST /indexes/${name}`,
  body,
  ...expected,
});
const unprocessable = (loc: (string | number)[], type: string) => ({
  status: 422,
  code: 'unprocessable_entity',
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const invalid = (message: string) => ({ status: 400, code: 'invalid_argument', message });
const structured = (field: object, tensorFields: string[] = []) => ({
  type: 'structured',
  model: 'random/small',
  allFields: [field],
  tensorFields,
});
const split = (splitLength: unknown, splitOverlap: unknown) => ({
  textPreprocessing: { splitLength, splitOverlap, splitMethod: 'word' },
});
const graph = (efConstruction: unknown, m: unknown) => ({
  annParameters: { spaceType: 'angular', parameters: { efConstruction, m } },
});
const own = (modelProperties: unknown, rest: object = {}) => ({ model: 'no_model', modelProperties, ...rest });

export const createIndex: Exchange[] = [
  post('a list', [1], unprocessable([], 'type_error.dict')),
  post('a text', '"x"', unprocessable([], 'type_error.dict')),
  post('malformed JSON', '{"model": ', unprocessable([10], 'value_error.jsondecode')),
  post(
    'JSON that is too deep',
    { modelProperties: JSON.parse('['.repeat(70) + ']'.repeat(70)) },
    unprocessable([82], 'value_error.jsondecode'),
  ),
  post('an unknown member', { shards: 1 }, unprocessable(['shards'], 'value_error.extra')),
  ...['numberOfShards', 'numberOfReplicas', 'numberOfInferences', 'storageClass', 'inferenceType'].map((name) =>
    post(
      `${name}, of the hosted form`,
      { [name]: 1 },
      {
        status: 422,
        code: 'unprocessable_entity',
        answer: {
          detail: [
            { loc: ['body', name], type: 'value_error.extra', msg: expect.stringContaining('of the hosted form') },
          ],
        },
      },
    ),
  ),
  post(
    'a member that no form has',
    { index_defaults: {}, foo_bar: 1 },
    unprocessable(['foo_bar'], 'value_error.extra'),
  ),
  post(
    'a member within, of no form',
    { index_defaults: { ann_parameters: { space: 'l2' } } },
    unprocessable(['index_defaults', 'ann_parameters', 'space'], 'value_error.extra'),
  ),
  post('no shard', { number_of_shards: 0 }, unprocessable(['number_of_shards'], 'value_error.number.not_ge')),
  post('shards as a text', { number_of_shards: 'two' }, unprocessable(['number_of_shards'], 'type_error.integer')),
  post('settings as a list', { index_defaults: [] }, unprocessable(['index_defaults'], 'type_error.dict')),
  post('an unknown type', { type: 'other' }, unprocessable(['type'], 'type_error.enum')),
  post('a null model', { model: null }, unprocessable(['model'], 'type_error.none.not_allowed')),
  post(
    'a chunk length of 0',
    split(0, 0),
    unprocessable(['textPreprocessing', 'splitLength'], 'value_error.number.not_gt'),
  ),
  post(
    'a negative overlap',
    split(1, -1),
    unprocessable(['textPreprocessing', 'splitOverlap'], 'value_error.number.not_ge'),
  ),
  post(
    'a chunk length that is no length',
    split(1e30, 0),
    unprocessable(['textPreprocessing', 'splitLength'], 'value_error.number.not_le'),
  ),
  post(
    'a filter length beyond any string',
    { filterStringMaxLength: -1e25 },
    unprocessable(['filterStringMaxLength'], 'value_error.number.not_ge'),
  ),
  post('half a character', String.raw`{"model": "a\ud800"}`, unprocessable(['model'], 'value_error')),
  post(
    'half a character in a name',
    String.raw`{"modelProperties": {"a\udfff": 1}}`,
    unprocessable(['modelProperties', 'a\ufffd'], 'value_error'),
  ),
  post('members by the hundred thousand', `{${members(80_000)}}`, {
    status: 413,
    code: 'payload_too_large',
    message: '20000 names for',
  }),
  post('no preprocessing of video', { videoPreprocessing: null }, invalid('"video_preprocessing"')),
  post('no preprocessing of audio', { audioPreprocessing: null }, invalid('"audio_preprocessing"')),
  post(
    'an overlap as long as the chunk',
    split(2, 2),
    unprocessable(['textPreprocessing', 'splitOverlap'], 'value_error'),
  ),
  post(
    'efConstruction above its bound',
    graph(4097, 16),
    unprocessable(['annParameters', 'parameters', 'efConstruction'], 'value_error.number.not_le'),
  ),
  post(
    'm above its bound',
    graph(16, 513),
    unprocessable(['annParameters', 'parameters', 'm'], 'value_error.number.not_le'),
  ),
  post(
    'a space that is none',
    { annParameters: { spaceType: 'l3', parameters: { efConstruction: 1, m: 1 } } },
    unprocessable(['annParameters', 'spaceType'], 'type_error.enum'),
  ),
  post(
    'a collapse field with a bad name',
    { collapseFields: [{ name: 'a b' }] },
    unprocessable(['collapseFields', 0, 'name'], 'value_error'),
  ),
  post(
    'a collapse field without a name',
    { collapseFields: [{ minGroups: 5 }] },
    unprocessable(['collapseFields', 0, 'name'], 'value_error.missing'),
  ),
  post(
    'a collapse field without groups',
    { collapseFields: [{ name: 'a', minGroups: 0 }] },
    unprocessable(['collapseFields', 0, 'minGroups'], 'value_error.number.not_gt'),
  ),
  post('no collapse field', { collapseFields: [] }, invalid('collapse_fields cannot be an empty list')),
  post(
    'two collapse fields',
    { collapseFields: [{ name: 'a' }, { name: 'b' }] },
    invalid('Only one collapse field is supported'),
  ),
  post(
    'a collapse field of declared fields',
    { ...structured({ name: 'a', type: 'text' }), collapseFields: [{ name: 'a' }] },
    invalid('collapseFields is only supported for unstructured indexes'),
  ),
  post(
    'a field with a bad name',
    structured({ name: 'a b', type: 'text' }),
    unprocessable(['allFields', 0, '__root__'], 'value_error'),
  ),
  post(
    'a field with a reserved name',
    structured({ name: '_embedding', type: 'text' }),
    unprocessable(['allFields', 0, '__root__'], 'value_error'),
  ),
  post(
    'a field of an unknown type',
    structured({ name: 'a', type: 'texts' }),
    unprocessable(['allFields', 0, 'type'], 'type_error.enum'),
  ),
  post(
    'an unknown feature',
    structured({ name: 'a', type: 'text', features: ['sort'] }),
    unprocessable(['allFields', 0, 'features', 0], 'type_error.enum'),
  ),
  post('another content type', '{}', {
    ...unprocessable([], 'type_error.dict'),
    headers: { 'content-type': 'text/plain' },
  }),
  post(
    'a body above the limit',
    { model: 'x'.repeat(1_100_000) },
    { status: 413, code: 'payload_too_large', message: '1048576 bytes' },
  ),
  post('structured without fields', { type: 'structured' }, invalid('none is not an allowed value')),
  post(
    'unstructured with fields',
    { allFields: [] },
    invalid('allFields is not a valid parameter for unstructured indexes'),
  ),
  post(
    'a tensor field that is not declared',
    structured({ name: 'a', type: 'text' }, ['b']),
    invalid("Tensor field 'b' is not a defined field"),
  ),
  post(
    'media without images',
    { treatUrlsAndPointersAsMedia: true, treatUrlsAndPointersAsImages: false },
    invalid('Invalid combination'),
  ),
  post('a name that starts with a digit', {}, invalid('is not a valid index name'), '1abc'),
  post('a name with a dot', {}, invalid('is not a valid index name'), 'a.b'),
  post('an encoded traversal', {}, invalid('is not a valid index name'), '..%2F..%2Fetc'),
  post('a reserved name', {}, invalid('must not start with'), 'marqo__x'),
  post('a name that is too long', {}, invalid('222 characters, but this one has 223'), 'a'.repeat(223)),
  post('an unknown model', { model: 'nope' }, invalid('Could not find model properties for model=nope')),
  post('no_model without dimensions', own(undefined), invalid('dimensions')),
  post('dimensions as a text', own({ type: 'no_model', dimensions: '2' }), invalid('dimensions')),
  post('dimensions of 0', own({ type: 'no_model', dimensions: 0 }), invalid('dimensions')),
  post('more dimensions than a vector may have', own({ type: 'no_model', dimensions: 4_097 }), invalid('4097')),
  post(
    'places on a globe in three dimensions',
    own(
      { type: 'no_model', dimensions: 3 },
      { annParameters: { spaceType: 'geodegrees', parameters: { efConstruction: 8, m: 8 } } },
    ),
    invalid('2 dimensions'),
  ),
  post(
    'a name that is taken',
    { model: 'random/small' },
    { status: 409, code: 'index_already_exists', message: 'Index plain already exists' },
    'plain',
  ),
  post(
    'a structured index of 5,000 fields',
    {
      type: 'structured',
      model: 'random/small',
      allFields: Array.from({ length: 5000 }, (_, i) => ({
        name: `field_number_${i}`,
        type: 'text',
        features: ['lexical_search', 'filter'],
      })),
      tensorFields: [],
    },
    { status: 200 },
    'wide',
  ),
  post(
    'the oldest form',
    {
      index_defaults: { model: 'random/small', text_preprocessing: { split_length: 3 }, normalize_embeddings: false },
      number_of_shards: 5,
      number_of_replicas: 1,
    },
    { status: 200 },
    'fromOldest',
  ),
  {
    title: 'the index of the oldest form',
    request: 'GET /indexes/fromOldest/settings',
    status: 200,
    answer: {
      type: 'unstructured',
      model: 'random/small',
      normalizeEmbeddings: false,
      textPreprocessing: { splitLength: 3, splitOverlap: 0, splitMethod: 'sentence' },
      annParameters: { spaceType: 'cosinesimil', parameters: { efConstruction: 128, m: 16 } },
    },
  },
  post('an empty list', [], { status: 200, answer: { acknowledged: true, index: 'fromList' } }, 'fromList'),
  post(
    'booleans and numbers as words',
    { model: 'random/small', normalizeEmbeddings: 'No', ...split('3', '1') },
    { status: 200 },
    'fromWords',
  ),
  {
    title: 'the index of the words',
    request: 'GET /indexes/fromWords/settings',
    status: 200,
    answer: { normalizeEmbeddings: false, textPreprocessing: { splitLength: 3, splitOverlap: 1, splitMethod: 'word' } },
  },
  { title: 'its removal', request: 'DELETE /indexes/fromList', status: 200, answer: { acknowledged: true } },
  {
    title: 'its removal again',
    request: 'DELETE /indexes/fromList',
    status: 404,
    code: 'index_not_found',
    message: 'Index fromList not found',
  },
];
