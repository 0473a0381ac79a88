import { expect } from 'vitest';
import type { Case, Part } from './case.js';
import { add, addingText, failure, finds, isMissing, reads, refuse, success, written } from './documents.js';
import { holding } from './errors.js';
import { create, field, small, structured } from './indexes.js';
import { S, U } from './kinds.js';

/** A value that is stored, as it is read back. */
const stores = (index: string, section: string, about: string, fields: object, stored: object = fields): Case => ({
  section,
  about,
  exchanges: [add(index, [{ _id: 'one', ...fields }]), reads(index, { _id: 'one', ...stored })],
});
/** The same from a text, for values that JavaScript cannot spell; the value that is read back is told as a text too. */
const storesText = (index: string, section: string, about: string, member: string, stored = member): Case => ({
  section,
  about,
  exchanges: [
    { ...addingText(index, `{"_id":"text",${member}}`), ...written(index, success('text')) },
    {
      request: `GET /indexes/${index}/documents/text`,
      status: 200,
      text: expect.stringContaining(stored),
    },
  ],
});
const refuses = (
  index: string,
  section: string,
  about: string,
  fields: object,
  message: unknown,
  { code = 'invalid_argument', ...rest }: { code?: string; tensorFields?: string[] } = {},
): Case => ({
  section,
  about,
  exchanges: [refuse(index, { _id: 'bad', ...fields }, failure('bad', message, code), rest), isMissing(index, 'bad')],
});
const refusesText = (index: string, section: string, about: string, member: string, message: unknown): Case => ({
  section,
  about,
  exchanges: [
    { ...addingText(index, `{"_id":"bad",${member}}`), ...written(index, failure('bad', message)) },
    isMissing(index, 'bad'),
  ],
});

const noContent = holding(
  "Field content `None` \nof type `NoneType` is not of valid content type!Allowed content types: ['str', 'int', 'float', 'bool', 'list', 'dict']",
);
/** The refusal of a list whose items are of several types, or of types that no list has. */
const mixed = (list?: string) =>
  expect.toSatisfy(
    (message: string) =>
      message.startsWith(`Field content '${list ?? ''}`) &&
      message.includes(
        'of type list is not of valid content type! All list elements must be of the same type and that type must be int, float or string',
      ),
  );

const values: Case[] = [
  stores(U, '6.5', 'a text', { f: 'text' }),
  stores(U, '6.5', 'an empty text', { f: '' }),
  stores(U, '6.5', 'a text beyond ASCII', { f: 'é文😀\u0000\n' }),
  stores(U, '6.5', 'truth values', { f: true, g: false }),
  stores(U, '6.5', 'truth values in a map', { f: { x: true, y: false } }, { 'f.x': 1, 'f.y': 0 }),
  stores(U, '6.5', 'integers', { f: 5, g: -5, h: 0 }),
  stores(U, '6.5', 'floats', { f: 2.5, g: -1e-7, h: 1e300 }),
  storesText(U, '6.5', 'the largest integer', '"f":9223372036854775807'),
  storesText(U, '6.5', 'the smallest integer', '"f":-9223372036854775808'),
  storesText(U, '6.5', 'a float without a fraction stays a float', '"f":1.0'),
  stores(U, '6.5', 'a list of texts, its order and repetitions kept', { f: ['b', 'a', 'b', ''] }),
  stores(U, '12.7', 'an empty list comes back', { f: [] }),
  stores(U, '12.7', 'an empty map comes back', { f: {} }),
  stores(U, '6.5', 'a map of numbers comes back flat', { f: { x: 1, y: 2.5 } }, { 'f.x': 1, 'f.y': 2.5 }),
  stores(
    U,
    '6.5',
    'keys of maps may be anything',
    { f: { 'a b': 1, 'c.d': 2, ä: 3 } },
    {
      'f.a b': 1,
      'f.c.d': 2,
      'f.ä': 3,
    },
  ),
  {
    section: '6.5',
    about: 'a field has another type in each document',
    exchanges: [
      add(
        U,
        ['text', 5, true, 2.5, ['a']].map((various, i) => ({ _id: `various${i}`, various })),
      ),
      ...['text', 5, true, 2.5, ['a']].map((various, i) => reads(U, { _id: `various${i}`, various })),
      finds(U, { filter: 'various:text' }, 'various0'),
      finds(U, { filter: 'various:5' }, 'various1'),
      finds(U, { filter: 'various:true' }, 'various2'),
      finds(U, { filter: 'various:a' }, 'various4'),
    ],
  },
  {
    section: '6.5',
    about: 'texts of up to filterStringMaxLength characters can be filtered by, all can be searched',
    exchanges: [
      add(U, [
        { _id: 'fits', limit: `fits${'é'.repeat(46)}` },
        { _id: 'exceeds', limit: `exceeds ${'é'.repeat(43)}` },
      ]),
      finds(U, { filter: `limit:fits${'é'.repeat(46)}` }, 'fits'),
      finds(U, { filter: `limit:(exceeds ${'é'.repeat(43)})` }),
      finds(U, { q: 'exceeds' }, 'exceeds'),
    ],
  },
  {
    section: '6.5',
    about: 'numbers of maps can be filtered by',
    exchanges: [
      add(U, [
        { _id: 'light', weights: { kg: 1 } },
        { _id: 'heavy', weights: { kg: 10 } },
      ]),
      finds(U, { filter: 'weights.kg:[5 TO *]' }, 'heavy'),
    ],
  },
  refuses(U, '6.5', 'null', { f: null }, noContent),
  refuses(U, '6.5', 'a list of a text and a number', { f: ['x', 1] }, mixed("['x', 1]")),
  refuses(U, '6.5', 'a list of truth values', { f: [true, false] }, mixed('[True, False]')),
  refuses(
    U,
    '6.5',
    'a list of lists',
    { f: [['a'], [1, [null]], { x: 'b' }] },
    mixed("[['a'], [1, [None]], {'x': 'b'}]"),
  ),
  refuses(U, '6.5', 'a list in a list', { f: [['a']] }, mixed()),
  refuses(U, '6.5', 'an object in a list', { f: [{ a: 1 }] }, mixed()),
  refuses(U, '6.5', 'null in a list', { f: ['a', null] }, mixed("['a', None]")),
  ...[
    [1, 2],
    [1.5, 2.5],
  ].map((f) =>
    refuses(
      U,
      '6.2',
      `the list ${JSON.stringify(f)} is an item, not a failure of the request`,
      { f },
      holding("Error processing field 'f' in document bad: Unsupported type <class 'list'>"),
    ),
  ),
  ...(
    [
      ['s', 'a text'],
      [['a'], 'a list'],
      [null, 'null'],
    ] as const
  ).map(([value, what]) =>
    refuses(
      U,
      '6.5',
      `${what} in a map`,
      { f: { x: value } },
      expect.stringMatching(/^Value '.*' for key 'x' in map field .*is not of type int or float/),
    ),
  ),
  refuses(
    U,
    '6.5',
    'a map in a map',
    { f: { x: { y: 1 } } },
    holding('Nested dictionaries are not allowed in map fields. Each value must be a single int, float, or double.'),
  ),
  ...['9223372036854775808', '-9223372036854775809'].map((integer) =>
    refusesText(U, '13', `the integer ${integer}`, `"f":${integer}`, holding('signed 64-bit range')),
  ),
  ...['NaN', 'Infinity', '-Infinity'].map((number) =>
    refusesText(U, '12.29', `the number ${number} is an item`, `"f":${number}`, holding('a number must be finite')),
  ),
  refusesText(U, '12.29', 'a number beyond 64 bits', '"f":1e999', holding('The number 1e999 is outside the range')),
  ...(
    [
      [5, 'int'],
      [2.5, 'float'],
      [true, 'bool'],
      [['a'], 'list'],
      [{ x: 1 }, 'dict'],
    ] as const
  ).map(([f, type]) =>
    refuses(U, '6.5', `a tensor field of type ${type}`, { f }, `Invalid type <class '${type}'> for tensor field f`, {
      tensorFields: ['f'],
    }),
  ),
];

const names: Case[] = [
  ...['_foo', 'A1', '__chunks', 'x'.repeat(255)].map((name) =>
    stores(U, '3.2', `a field named ${name.slice(0, 10)}`, { [name]: 1 }),
  ),
  stores(U, '3.2', 'fields whose names differ in case', { a: 1, A: 2 }),
  stores(U, '6.5', 'a field named multimodal_params is one like others', { multimodal_params: 'x' }),
  ...['a b', 'a.b', 'a-b', '1a', 'ä', ''].map((name) =>
    refuses(
      U,
      '6.5',
      `no field is named '${name}'`,
      { [name]: 1 },
      `"${name}": Field name must match [a-zA-Z_][a-zA-Z0-9_]* and must not start with "marqo__"`,
      { code: 'invalid_field_name' },
    ),
  ),
  refuses(
    U,
    '6.5',
    'no field is named marqo__x',
    { marqo__x: 1 },
    'marqo__x: Field name must not start with "marqo__"',
    {
      code: 'invalid_field_name',
    },
  ),
  ...['_tensor_facets', '_highlights', '_score', '_found', '_embedding', '_tensors'].map((name) =>
    refuses(
      U,
      '6.5',
      `no field is named ${name}`,
      { [name]: 'x' },
      `${name}: Field name must not be one of _id, _tensor_facets, _highlights, _score, _found, _embedding, _tensors`,
      { code: 'invalid_field_name' },
    ),
  ),
  ...['_score', '_found', '_highlights', '_tensor_facets'].map((name) =>
    refuses(
      S,
      '6.12',
      `no declared field is named ${name}`,
      { [name]: 'x' },
      `field name can't be a protected field. Please rename this field: ${name}`,
      { code: 'invalid_field_name' },
    ),
  ),
  ...['.', '/'].map((character) =>
    refuses(
      S,
      '6.12',
      `no declared field has ${character} in its name`,
      { [`a${character}b`]: 'x' },
      `Illegal character '${character}' detected in field name a${character}b`,
      { code: 'invalid_field_name' },
    ),
  ),
  ...[
    ['__vector_x', "can't start field name with protected prefix __vector_"],
    ['__chunks_x', "can't name field with protected field name __chunks"],
  ].map(([name = '', message]) =>
    refuses(
      S,
      '6.12',
      `a field that is not declared is not named ${name}`,
      { [name]: 'x' },
      `${message}. Please rename this field: ${name}`,
      { code: 'invalid_field_name' },
    ),
  ),
  refuses(S, '6.12', 'no declared field has an empty name', { '': 'x' }, "field name can't be empty! ", {
    code: 'invalid_field_name',
  }),
  refuses(
    S,
    '6.12',
    'a field that is not declared',
    { nope: 1 },
    holding('Field nope is not a valid field for structured index structured. Valid fields are: t, tensor, part, '),
  ),
];

const wrongType = (value: string, name: string, type: string, expected: string, found: string) =>
  holding(
    `Invalid value ${value} for field ${name} with Marqo type ${type}. Expected a value of type <class '${expected}'>, but found <class '${found}'>`,
  );
const wrongList = (value: string, name: string, type: string) =>
  holding(
    `Invalid value ${value} for a list field ${name} with Marqo type ${type}. All list elements must be the same valid type`,
  );
const outOfRange = (value: string, type: string, range: string) =>
  expect.stringMatching(
    new RegExp(
      `^Invalid value ${value} for ${type} field.*Expected a value in the range \\[${range}\\], but found ${value}`,
    ),
  );

const scalars: Case[] = [
  stores(S, '6.12', 'a text', { t: 'text' }),
  stores(S, '6.12', 'truth values', { b: false }),
  stores(S, '6.12', 'the largest int', { i: 2_147_483_647 }),
  stores(S, '6.12', 'the smallest int', { i: -2_147_483_647 }),
  storesText(S, '6.12', 'the largest long', '"l":9223372036854775807'),
  storesText(S, '6.12', 'the smallest long', '"l":-9223372036854775808'),
  stores(S, '6.12', 'a float', { f: 2.5 }),
  stores(S, '6.12', 'an integer in a field of floats', { f: 3, d: 3 }),
  storesText(
    S,
    '6.12',
    'truth values in fields of numbers',
    '"i":true,"l":false,"f":true,"d":false',
    '"i":1,"l":0,"f":1.0,"d":0.0',
  ),
  stores(S, '6.12', 'a large float', { f: 3.4e38 }),
  stores(S, '6.12', 'a double', { d: 1e300 }),
  refuses(S, '6.12', 'a number in a field of texts', { t: 5 }, wrongType('5', 't', 'text', 'str', 'int')),
  refuses(S, '6.12', 'a list in a field of texts', { t: ['a'] }, wrongType("['a']", 't', 'text', 'str', 'list')),
  refuses(S, '6.12', '1 in a field of truth values', { b: 1 }, wrongType('1', 'b', 'bool', 'bool', 'int')),
  refuses(S, '6.12', 'a word in a field of truth values', { b: 'true' }, wrongType('true', 'b', 'bool', 'bool', 'str')),
  refuses(S, '6.12', 'a fraction in a field of ints', { i: 1.5 }, wrongType('1.5', 'i', 'int', 'int', 'float')),
  refusesText(S, '12.23', '1.0 in a field of ints', '"i":1.0', wrongType('1.0', 'i', 'int', 'int', 'float')),
  refusesText(S, '12.23', '1.0 in a field of longs', '"l":1.0', wrongType('1.0', 'l', 'long', 'int', 'float')),
  refuses(S, '6.12', 'a text in a field of ints', { i: '5' }, wrongType('5', 'i', 'int', 'int', 'str')),
  refuses(S, '6.12', 'a text in a field of floats', { f: '5' }, wrongType('5', 'f', 'float', 'float', 'str')),
  refuses(S, '6.12', 'a text in a field of doubles', { d: '5' }, wrongType('5', 'd', 'double', 'float', 'str')),
  ...['2147483648', '-2147483648'].map((value) =>
    refusesText(
      S,
      '6.12',
      `${value} in a field of ints`,
      `"i":${value}`,
      outOfRange(value, 'int', '-2147483647, 2147483647'),
    ),
  ),
  ...['9223372036854775808', '-9223372036854775809'].map((value) =>
    refusesText(
      S,
      '6.12',
      `${value} in a field of longs`,
      `"l":${value}`,
      outOfRange(value, 'long', '-9223372036854775808, 9223372036854775807'),
    ),
  ),
  ...['NaN', 'Infinity'].map((number) =>
    refusesText(
      S,
      '12.29',
      `the number ${number} in a field of floats`,
      `"f":${number}`,
      holding('a number must be finite'),
    ),
  ),
  refuses(S, '6.12', 'a float beyond 32 bits', { f: 1e39 }, holding('float field')),
  ...['t', 'b', 'i', 'l', 'f', 'd', 'at', 'ai', 'af', 'mi', 'c', 'tensor'].map((name) =>
    refuses(S, '6.12', `null in the field ${name}`, { [name]: null }, name === 'c' ? expect.any(String) : noContent),
  ),
  refuses(S, '6.12', 'a number in a tensor field', { tensor: 5 }, "Invalid type <class 'int'> for tensor field tensor"),
  refuses(
    S,
    '6.12',
    'a number in a part of a combination',
    { part: 5 },
    "Invalid type <class 'int'> for tensor field part",
  ),
  refuses(
    S,
    '6.12',
    'a combination cannot be given',
    { m: 'x' },
    'Field m is a multimodal combination field and cannot be assigned a value.',
  ),
];

const lists: Case[] = [
  stores(S, '6.12', 'a list of texts', { at: ['b', 'a', 'b'] }),
  stores(S, '6.12', 'lists of integers', { ai: [2, 1], al: [3_000_000_000] }),
  stores(S, '6.12', 'lists of floats', { af: [2.5, 1.5], ad: [1e300] }),
  stores(S, '6.12', 'integers in lists of floats', { af: [2, 1], ad: [3] }),
  stores(S, '12.7', 'empty lists come back', { at: [], ai: [], ad: [] }),
  refuses(S, '6.12', 'a text in a field of lists', { at: 'a' }, wrongList('a', 'at', 'array<text>')),
  refuses(S, '6.12', 'numbers in a list of texts', { at: [1] }, wrongList('[1]', 'at', 'array<text>')),
  refuses(S, '6.12', 'floats in a list of ints', { ai: [1.5] }, wrongList('[1.5]', 'ai', 'array<int>')),
  refuses(S, '6.12', 'floats in a list of longs', { al: [1.5] }, wrongList('[1.5]', 'al', 'array<long>')),
  refuses(S, '6.12', 'texts in a list of floats', { af: ['a'] }, wrongList("['a']", 'af', 'array<float>')),
  refuses(
    S,
    '6.12',
    'an int beyond its range in a list',
    { ai: [1, 2_147_483_648] },
    holding('2147483648 for int field'),
  ),
  refuses(S, '6.12', 'integers and floats in one list', { af: [1, 2.5] }, mixed('[1, 2.5]')),
  refuses(S, '6.12', 'texts and numbers in one list', { at: ['x', 1] }, mixed("['x', 1]")),
  refuses(S, '6.12', 'a list in a list', { at: [['a']] }, mixed()),
];

const maps: Case[] = [
  stores(S, '6.12', 'maps come back nested', {
    mi: { x: 1 },
    ml: { x: 3_000_000_000 },
    mf: { x: 2.5 },
    md: { x: 1e300 },
  }),
  stores(S, '6.12', 'integers in maps of floats', { mf: { x: 2 }, md: { 'a b': 3 } }),
  stores(S, '6.12', 'an empty map', { mi: {} }),
  refuses(S, '6.12', 'a number in a field of maps', { mi: 5 }, wrongList('5', 'mi', 'map<text, int>')),
  refuses(S, '6.12', 'a list in a field of maps', { mf: [1] }, wrongList('[1]', 'mf', 'map<text, float>')),
  refuses(
    S,
    '6.12',
    'a text in a map',
    { mi: { x: 's' } },
    expect.stringMatching(/^Value 's' for key 'x' in map field .*is not of type int or float/),
  ),
  refuses(
    S,
    '6.12',
    'a map in a map',
    { mi: { x: {} } },
    holding('Nested dictionaries are not allowed in map fields.'),
  ),
  refuses(S, '13', 'a fraction in a map of ints', { mi: { x: 1.5 } }, holding('Invalid value 1.5')),
  refuses(
    S,
    '6.12',
    'an int beyond its range in a map',
    { mi: { x: 2_147_483_648 } },
    holding('2147483648 for int field'),
  ),
  refuses(S, '6.12', 'an object in a field of texts', { t: { x: 1 } }, expect.stringMatching(/\bfield t\b/)),
];

const features: Case[] = [
  {
    section: '4.7',
    about: 'each type can be filtered by where it is declared so',
    exchanges: [
      add(S, [{ _id: 'all', t: 'word', b: true, i: 7, l: 70, f: 7.5, d: 70.5, at: ['x', 'y'], ai: [7], af: [7.5] }]),
      ...['t:word', 'b:true', 'i:7', 'i:[7 TO 7]', 'l:70', 'f:7.5', 'd:[70 TO 71]', 'at:y', 'ai:7', 'af:7.5'].map(
        (filter) => finds(S, { filter: `_id:all AND ${filter}` }, 'all'),
      ),
      finds(S, { filter: '_id:all AND at:z' }),
    ],
  },
  {
    section: '4.7',
    about: 'texts and lists of texts can be searched where they are declared so',
    exchanges: [
      add(S, [{ _id: 'words', t: 'giraffe', at: ['tall okapi', 'zebra'], plain: 'quagga' }]),
      finds(S, { q: 'giraffe' }, 'words'),
      finds(S, { q: 'okapi' }, 'words'),
      finds(S, { q: 'quagga' }),
    ],
  },
];

const combined = { ...field('m', 'multimodal_combination'), dependentFields: { part: 1 } };

/** The values of fields, by the type of the value or of the field. */
export const fieldValues: Part = {
  title: 'values of fields',
  preparation: [
    create(U, small),
    create(
      S,
      structured(
        [
          ...[field('t', 'text', 'filter', 'lexical_search'), field('tensor', 'text'), field('part', 'text'), combined],
          ...[field('c', 'custom_vector'), field('plain', 'text'), field('b', 'bool', 'filter')],
          ...[field('i', 'int', 'filter'), field('l', 'long', 'filter'), field('f', 'float', 'filter')],
          ...[field('d', 'double', 'filter'), field('at', 'array<text>', 'filter', 'lexical_search')],
          ...[field('ai', 'array<int>', 'filter'), field('al', 'array<long>'), field('af', 'array<float>', 'filter')],
          ...[field('ad', 'array<double>'), field('mi', 'map<text, int>'), field('ml', 'map<text, long>')],
          ...[field('mf', 'map<text, float>'), field('md', 'map<text, double>')],
        ],
        ['tensor', 'm', 'c'],
      ),
    ),
  ],
  cases: [...values, ...names, ...scalars, ...lists, ...maps, ...features],
};
