import { expect } from 'vitest';
import { members } from './bulk.js';
import type { Exchange } from './exchange.js';

type Expected = Omit<Exchange, 'title' | 'request' | 'body'>;

const update = (title: string, body: unknown, expected: Expected, index = 'plain', query = ''): Exchange => ({
  title,
  request: `PATCH /indexes/${index}/documents${query}`,
  body,
  ...expected,
});
/** An update of the document that this table changes, in an unstructured index. */
const change = (title: string, fields: object, expected: Expected) =>
  update(title, { documents: [{ _id: 'changing', ...fields }] }, expected);
/** The same in a structured one. */
const declared = (title: string, fields: object, expected: Expected) =>
  update(title, { documents: [{ _id: 'lamp', ...fields }] }, expected, 'store');

const unprocessable = (loc: (string | number)[], type: string): Expected => ({
  status: 422,
  code: 'unprocessable_entity',
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const refused = (code: string, message: string): Expected => ({ status: 400, code, message });
const items = (errors: boolean, ...expected: object[]): Expected => ({
  status: 200,
  answer: { errors, items: expected },
});
const failure = (_id: string, message: string, status = 400) => ({
  _id,
  status,
  message: expect.stringContaining(message),
  error: expect.stringContaining(message),
});
const item = (_id: string, message: string, status = 400) => items(true, failure(_id, message, status));
const changed = items(false, { _id: 'changing', status: 200 });
const changedLamp = items(false, { _id: 'lamp', status: 200 });

/** The words that clients of unstructured indexes look for, and the reason behind them. */
const generic = (reason: string): Expected => ({
  status: 200,
  answer: {
    errors: true,
    items: [
      {
        status: 400,
        message: expect.stringMatching(
          new RegExp(
            `^Marqo vector store couldn't update the document\\. Please see: .* for more details\\. .*${reason}`,
          ),
        ),
        error: expect.stringContaining(reason),
      },
    ],
  },
});
const read = (title: string, index: string, id: string, answer: object): Exchange => ({
  title,
  request: `GET /indexes/${index}/documents/${id}?expose_facets=true`,
  status: 200,
  answer,
});
const found = (title: string, index: string, body: object, ids: string[]): Exchange => ({
  title,
  request: `POST /indexes/${index}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
  status: 200,
  answer: { hits: ids.map((_id) => ({ _id })) },
});
const copies = (count: number) => ({ documents: Array.from({ length: count }, (_, i) => ({ _id: `copy${i}` })) });

const badRequests: Exchange[] = [
  update('no body', undefined, unprocessable([], 'value_error.missing')),
  update('null', 'null', unprocessable([], 'value_error.missing')),
  update('a bare list of documents', [{ _id: 'a' }], unprocessable(['documents'], 'value_error.missing')),
  update('malformed JSON', '{"documents": [{]}', unprocessable([16], 'value_error.jsondecode')),
  update('no documents', {}, unprocessable(['documents'], 'value_error.missing')),
  update('documents that are none', { documents: 5 }, unprocessable(['documents'], 'type_error.sequence')),
  update('an unknown member', { ...copies(1), tensorFields: [] }, unprocessable(['tensorFields'], 'value_error.extra')),
  update(
    'documents that are no objects',
    { documents: [{ _id: 'changing' }, 5, []] },
    {
      status: 422,
      answer: { detail: [1, 2].map((place) => ({ loc: ['body', 'documents', place], type: 'type_error.dict' })) },
    },
  ),
  update('numbers by the hundred thousand', `{"documents":[${'0,'.repeat(200_000)}0]}`, {
    status: 422,
    answer: { detail: Array.from({ length: 100 }, () => ({ type: 'type_error.dict' })) },
  }),
  update('members by the hundred thousand', `{"documents":[{}],${members(50_000)}}`, {
    status: 413,
    code: 'payload_too_large',
  }),
  update('another content type', copies(1), {
    ...unprocessable([], 'type_error.dict'),
    headers: { 'content-type': 'text/plain' },
  }),
  update('a body above the limit', ' '.repeat(33 * 1024 * 1024), { status: 413, code: 'payload_too_large' }),
  update('an empty list', { documents: [] }, refused('bad_request', 'Received empty update_documents request')),
  update(
    'one document too many',
    copies(129),
    refused('bad_request', 'Number of docs in update_documents request (129) exceeds limit of 128.'),
  ),
  update('an index that is not there', copies(1), { status: 404, code: 'index_not_found' }, 'nope'),
];

const ids: Exchange[] = [
  update('no id', { documents: [{ count: 2 }] }, item('', "'_id' is a required field but it does not exist")),
  update('an empty document', { documents: [{}] }, item('', "'_id' is a required field but it does not exist")),
  update(
    'an id that is no text',
    { documents: [{ _id: 5, count: 2 }] },
    item('5', 'Document _id must be a string type! Received _id 5 of type `int`'),
  ),
  update('an empty id', { documents: [{ _id: '' }] }, item('', "Document ID can't be empty")),
  update(
    'several documents with one id',
    { documents: [{ _id: 'changing', count: 8 }, { _id: 'nobody' }, { _id: 'changing' }] },
    items(true, failure('nobody', 'Document does not exist in the index'), { _id: 'changing', status: 200 }),
  ),
  change('an id alone', {}, changed),
  update(
    'a document that is not there',
    { documents: [{ _id: 'nobody' }] },
    generic('Document does not exist in the index'),
  ),
  update(
    'a document that a structured index does not have',
    { documents: [{ _id: 'nobody', count: 2 }] },
    item('nobody', 'Document does not exist in the index', 404),
    'store',
  ),
];

const structured: Exchange[] = [
  declared(
    'a tensor field',
    { title: 'new' },
    item('lamp', "You cannot modify 'title' field as this is a tensor field"),
  ),
  declared(
    'a multimodal field',
    { whole: 'new' },
    item('lamp', "You cannot modify 'whole' field as this is a tensor field"),
  ),
  declared('a custom vector', { own: null }, item('lamp', "You cannot modify 'own' field as this is a tensor field")),
  declared(
    'a dependent field',
    { part: 'new' },
    item('lamp', "You cannot modify 'part' field as this is a dependent field of a multimodal combination field"),
  ),
  declared(
    'a field that is not declared',
    { zzz: 1 },
    item('lamp', 'Invalid field name zzz for index store. Valid field names are title, part, whole, own, note, count'),
  ),
  declared(
    'a value of another type',
    { count: 1.5 },
    item('lamp', 'Invalid value 1.5 for field count with Marqo type int'),
  ),
  declared('a value out of range', { count: 2 ** 31 }, item('lamp', 'Expected a value in the range [-2147483647')),
  declared('one good field and one bad', { count: 9, sold: 1 }, item('lamp', 'Invalid value 1 for field sold')),
  declared(
    'every type of field',
    { note: 'sturdy', count: 2, price: 3, sold: true, tags: ['a'], ratings: { form: 4 } },
    changedLamp,
  ),
  read('the changed document', 'store', 'lamp', {
    ...{ title: 'a lamp', part: 'shade', note: 'sturdy', count: 2, price: 3, sold: true, tags: ['a'] },
    ratings: { form: 4 },
    _tensor_facets: [{ title: 'a lamp' }, { whole: '{"part": "shade"}' }],
  }),
  found(
    'it is found by its new values',
    'store',
    { q: 'sturdy', filter: 'count:2 AND price:3 AND sold:true AND tags:a' },
    ['lamp'],
  ),
  declared('null', { note: null, ratings: null }, changedLamp),
  found('it is not found by a value that is gone', 'store', { q: 'sturdy' }, []),
];

const unstructured: Exchange[] = [
  change('numbers and truth values of the same type', { count: 2, price: 2.5, sold: true }, changed),
  change('an integer for a float', { price: 3 }, changed),
  change('new numbers and truth values', { stock: 4, ratio: 0.5, shown: true }, changed),
  change('a text in a field of texts', { color: 'teal' }, changed),
  change(
    'a text in a field of no texts',
    { brand: 'x' },
    item(
      'changing',
      'brand of type str does not exist in the original document. Marqo does not support adding new lexical fields in partial updates',
    ),
  ),
  change('a list of texts in a field of such', { tags: ['old', 'used'] }, changed),
  change(
    'a list of texts in a field of no such',
    { kinds: ['x'] },
    item('changing', 'Unstructured index updates only support updating existing string array fields'),
  ),
  change(
    'a list of numbers',
    { tags: [1] },
    item('changing', 'Unstructured index updates only support updating existing string array fields'),
  ),
  change('a map in place of another', { sizes: { m: 5, l: 6 } }, changed),
  change('a new map', { extras: { x: 1 } }, changed),
  change('an empty map', { extras: {} }, changed),
  change(
    'a map of texts',
    { sizes: { s: 'x' } },
    item(
      'changing',
      "Unsupported field type <class 'str'> for field sizes in doc changing. We only support int and float types for map values when updating a document",
    ),
  ),
  change('a tensor field', { title: 'new' }, generic("Field 'title' is a tensor field")),
  change('a multimodal field', { both: 1 }, generic("Field 'both' is a multimodal combination field")),
  change('a part of a multimodal field', { caption: 'x' }, generic("Field 'caption' is part of")),
  change('a float for an integer', { count: 1.5 }, changed),
  change('a truth value for an integer', { count: true }, generic('cannot change that to bool')),
  change('floats in a map of integers', { sizes: { m: 0.5 } }, changed),
  change('and integers again', { count: 2, sizes: { m: 5, l: 6 } }, changed),
  change('integers in a map of floats', { weights: { cup: 1, spoon: 2 } }, changed),
  change('an illegal field name', { 'a b': 1 }, item('changing', '"a b": Field name must match')),
  change('a reserved field name', { _score: 1 }, item('changing', '_score: Field name must not be one of')),
  update(
    'an integer of more than 64 bits',
    '{"documents":[{"_id":"changing","count":9223372036854775808}]}',
    item('changing', 'signed 64-bit range'),
  ),
  update(
    'a number that is not finite',
    '{"documents":[{"_id":"changing","price":NaN}]}',
    item('changing', 'a number must be finite'),
  ),
  change(
    'a document that would be too large',
    { color: 'x'.repeat(100_001) },
    item('changing', 'exceeds the allowed document size limit of [100000]'),
  ),
  change('null', { ratio: null, unheard_of: null }, changed),
  update('64-bit integers', '{"documents":[{"_id":"changing","stock":9007199254740993}]}', changed),
  read('the changed document', 'plain', 'changing', {
    ...{ title: 'green cup', color: 'teal', caption: 'a cup', count: 2, price: 3, sold: true, shown: true },
    ...{ tags: ['old', 'used'], 'sizes.m': 5, 'sizes.l': 6, 'weights.cup': 1, 'weights.spoon': 2 },
    _tensor_facets: [{ title: 'green cup' }, { both: '{"caption": "a cup"}' }],
  }),
  found('it is found by its new values', 'plain', { q: 'teal', filter: 'count:2 AND price:3.0 AND tags:used' }, [
    'changing',
  ]),
  found(
    'it is not found by values that are gone',
    'plain',
    { q: '*', filter: 'sizes.s:1 OR ratio:0.5 OR tags:new' },
    [],
  ),
  update(
    'the field that groups documents',
    { documents: [{ _id: 'changing', sku: 'x' }] },
    generic("Field 'sku' groups the documents of this index"),
    'grouped',
  ),
  update(
    'an answer with all its members',
    { documents: [{ _id: 'changing' }] },
    {
      status: 200,
      answer: { errors: false, index_name: 'plain', processingTimeMs: expect.any(Number), telemetry: { timesMs: {} } },
    },
    'plain',
    '?telemetry=true&device=nonsense',
  ),
];

export const updateDocuments: Exchange[] = [...badRequests, ...ids, ...structured, ...unstructured];
