import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import {
  add,
  adding,
  facet,
  failure,
  finds,
  isMissing,
  near,
  reads,
  readsFacets,
  refuse,
  success,
  written,
} from './documents.js';
import { error, holding, invalidArgument } from './errors.js';
import { counts, create, field, own, structured } from './indexes.js';
import { inBothKinds, type Kind, S, U } from './kinds.js';

const general = (reason: string) =>
  invalidArgument(expect.stringMatching(new RegExp(`^Error validating mappings object\\. Reason: .*${reason}`)));
const ofCombination = (reason: string) =>
  invalidArgument(
    expect.stringMatching(
      new RegExp(`^Error validating multimodal combination mappings object\\. Reason: .*${reason}`),
    ),
  );
const ofVector = (reason: string) =>
  invalidArgument(
    expect.stringMatching(new RegExp(`^Error validating custom vector mappings object\\. Reason: .*${reason}`)),
  );
const combination = (weights: unknown) => ({ type: 'multimodal_combination', weights });

const document = { _id: 'mapped', a: 'x' };
const refusesMapping = (about: string, mapping: unknown, expected: Expected, name = 'm', index: Kind = U): Case => ({
  section: '6.6',
  about,
  exchanges: [
    { ...adding(index, [document], { mappings: { [name]: mapping } }), ...expected },
    isMissing(index, 'mapped'),
  ],
});

const shapes: Case[] = [
  ...[null, {}].map((mappings) => ({
    section: '6.6',
    about: `the mappings ${JSON.stringify(mappings)} are none`,
    exchanges: [add('plain', [document], { mappings }), reads('plain', document)],
  })),
  ...[
    ['a text', 'x', "'x' is not of type 'object'"],
    ['a list', [], "is not of type 'object'"],
    ['null', null, "is not of type 'object'"],
    ['nothing', {}, "'type' is a required property"],
    ['an unknown type', { type: 'zzz' }, "'zzz' is not one of \\["],
  ].map(([about, mapping, reason]) => refusesMapping(`a mapping that is ${about}`, mapping, general(reason as string))),
  refusesMapping(
    'a combination without weights',
    { type: 'multimodal_combination' },
    ofCombination("'weights' is a required property"),
  ),
  refusesMapping('weights that are a list', combination([]), ofCombination("is not of type 'object'")),
  refusesMapping('a weight that is a text', combination({ a: 'x' }), ofCombination("'x' is not of type 'number'")),
  refusesMapping('a weight that is null', combination({ a: null }), ofCombination("is not of type 'number'")),
  refusesMapping(
    'an unknown member of a combination',
    { ...combination({ a: 1 }), x: 1 },
    ofCombination("Additional properties are not allowed \\('x' was unexpected\\)"),
  ),
  refusesMapping(
    'an unknown member of a custom vector',
    { type: 'custom_vector', weights: {} },
    ofVector("Additional properties are not allowed \\('weights' was unexpected\\)"),
  ),
  ...['a b', '_score', 'marqo__x', ''].map((name) =>
    refusesMapping(
      `a combination named '${name}'`,
      combination({ a: 1 }),
      error(400, 'invalid_field_name', holding('Field name must')),
      name,
    ),
  ),
  refusesMapping(
    'a combination that a structured index does not have',
    combination({ a: 1 }),
    general('Invalid mapping nope\\. Index has no multimodal combination field nope\\.'),
    'nope',
    S,
  ),
  refusesMapping(
    'a combination in place of a text of a structured index',
    combination({ a: 1 }),
    general('Invalid mapping a\\. Index has no multimodal combination field a\\.'),
    'a',
    S,
  ),
  refusesMapping(
    'a weight of what is no part of the combination',
    combination({ zzz: 1 }),
    general('Field zzz is not a dependent field of m\\.'),
    'm',
    S,
  ),
  {
    section: '6.6',
    about: 'a custom vector among the mappings of a structured index has no effect',
    exchanges: [
      add(S, [{ _id: 'ignored', a: 'x' }], { mappings: { a: { type: 'custom_vector' } } }),
      readsFacets(S, { _id: 'ignored', a: 'x' }, facet('m', '{"a": "x"}')),
    ],
  },
];

const asVector = { tensorFields: ['c'], mappings: { c: { type: 'custom_vector' } } };
/** The same case for each kind of index, and what a request says besides where fields are not declared. */
const asDeclared = (section: string, about: string, make: (index: Kind, rest: object) => readonly Exchange[]): Case[] =>
  inBothKinds(section, about, (index) => make(index, index === U ? asVector : {}));

const vectors: Case[] = [
  ...asDeclared('6.7', 'a vector is scaled to length 1, its content is the value of the field', (index, rest) => [
    add(index, [{ _id: 'v', c: { vector: [3, 4], content: 'words' } }], rest),
    reads(index, { _id: 'v', c: 'words' }),
    readsFacets(index, { _id: 'v', c: 'words' }, facet('c', 'words', near(0.6, 0.8))),
  ]),
  ...asDeclared('6.7', 'a vector without content has an empty text', (index, rest) => [
    add(index, [{ _id: 'v', c: { vector: [0, 2] } }], rest),
    readsFacets(index, { _id: 'v', c: '' }, facet('c', '', [0, 1])),
  ]),
  ...asDeclared('6.7', 'integers and floats of both signs mix', (index, rest) => [
    add(index, [{ _id: 'v', c: { content: '', vector: [-1.5, 2] } }], rest),
    readsFacets(index, { _id: 'v', c: '' }, facet('c', '', near(-0.6, 0.8))),
  ]),
  ...asDeclared('6.7', 'the content can be searched and filtered by', (index, rest) => [
    add(index, [{ _id: 'spoken', c: { vector: [1, 0], content: 'hippopotamus' } }], rest),
    finds(index, { q: 'hippopotamus' }, 'spoken'),
    finds(index, { filter: 'c:hippopotamus' }, 'spoken'),
  ]),
  ...asDeclared('6.7', 'a long content is one chunk', (index, rest) => [
    add(index, [{ _id: 'v', c: { vector: [1, 0], content: 'One. Two. Three. Four.' } }], rest),
    readsFacets(index, { _id: 'v', c: 'One. Two. Three. Four.' }, facet('c', 'One. Two. Three. Four.', [1, 0])),
  ]),
  ...asDeclared(
    '6.9',
    'a new vector replaces the one that is stored, even if that may be used again',
    (index, rest) => [
      add(index, [{ _id: 'v', c: { vector: [1, 0], content: 'same' } }], rest),
      add(index, [{ _id: 'v', c: { vector: [0, 1], content: 'same' } }], { ...rest, useExistingTensors: true }),
      readsFacets(index, { _id: 'v', c: 'same' }, facet('c', 'same', [0, 1])),
    ],
  ),
  ...asDeclared('6.7', 'a vector is found by tensor search', (index, rest) => [
    add(index, [{ _id: 'near', c: { vector: [-1, -1] } }], rest),
    {
      request: `POST /indexes/${index}/search`,
      body: { context: { tensor: [{ vector: [-1, -1], weight: 1 }] }, limit: 1 },
      status: 200,
      answer: expect.objectContaining({ hits: [expect.objectContaining({ _id: 'near' })] }),
    },
  ]),
  ...(
    [
      ['of another length', { vector: [1] }, 'Custom vector must have dimension of 2, but given vector is of length 1'],
      ['of no numbers', { vector: [] }, 'Custom vector must have dimension of 2, but given vector is of length 0'],
      [
        'that is a text',
        { vector: 'x' },
        "Custom vector field 'vector' must be a list, but given vector is of type <class 'str'>",
      ],
      [
        'that is null',
        { vector: null },
        "Custom vector field 'vector' must be a list, but given vector is of type <class 'NoneType'>",
      ],
      [
        'with a text in it',
        { vector: [1, 'x'] },
        "Custom vector field 'vector' must be a list of numbers, but given vector contains an element of type <class 'str'>",
      ],
      [
        'with a truth value in it',
        { vector: [true, 0] },
        "Custom vector field 'vector' must be a list of numbers, but given vector contains an element of type <class 'bool'>",
      ],
      [
        'with null in it',
        { vector: [1, null] },
        "Custom vector field 'vector' must be a list of numbers, but given vector contains an element of type <class 'NoneType'>",
      ],
      [
        'with a content that is a number',
        { vector: [1, 0], content: 5 },
        "Custom vector field 'content' must be one of the following types: [<class 'str'>], but given content is of type <class 'int'>",
      ],
      [
        'with a content that is null',
        { vector: [1, 0], content: null },
        "Custom vector field 'content' must be one of the following types: [<class 'str'>], but given content is of type <class 'NoneType'>",
      ],
      [
        'with another member',
        { vector: [1, 0], x: 1 },
        "Custom vector field can only contain fields 'vector' and 'content'. Received unexpected extra fields: {'x'}",
      ],
      ['of zeros', { vector: [0, 0] }, 'Field c has zero magnitude vector, cannot normalize.'],
    ] as const
  ).flatMap(([about, c, message]) =>
    asDeclared('12.3', `a vector ${about} is an item, and the others are stored`, (index, rest) => [
      {
        ...adding(
          index,
          [
            { _id: 'bad', c },
            { _id: 'good', c: { vector: [1, 0] } },
          ],
          rest,
        ),
        ...written(index, failure('bad', holding(message)), success('good')),
      },
      isMissing(index, 'bad'),
    ]),
  ),
  ...asDeclared('12.3', 'a value without a vector', (index, rest) => [
    refuse(
      index,
      { _id: 'bad', c: { content: 'x' } },
      failure(
        'bad',
        expect.stringMatching(
          /^Cannot create custom_vector field .*missing 'vector', which is a required key\. Given field content: '/,
        ),
      ),
      rest,
    ),
  ]),
  ...['text', 5, [1, 0], null].flatMap((c) =>
    asDeclared('12.3', `${JSON.stringify(c)} as a custom vector is an item`, (index, rest) => [
      refuse(index, { _id: 'bad', c }, failure('bad', holding('Custom vector field c must be an object')), rest),
    ]),
  ),
  {
    section: '6.7',
    about: 'a vector without a mapping is a map, which holds no lists',
    exchanges: [
      refuse(U, { _id: 'bad', c: { vector: [1, 0] } }, failure('bad', holding("please use the 'mappings' object"))),
    ],
  },
  {
    section: '12.25',
    about: 'a custom vector that is not among the tensor fields is one all the same',
    exchanges: [
      add(U, [{ _id: 'v', c: { vector: [0, 1] } }], { mappings: asVector.mappings }),
      readsFacets(U, { _id: 'v', c: '' }, facet('c', '', [0, 1])),
    ],
  },
  {
    section: '6.7',
    about: 'vectors are kept as they are given where the index does not normalise',
    exchanges: [
      create(
        'raw',
        own(2, {
          normalizeEmbeddings: false,
          annParameters: { spaceType: 'euclidean', parameters: { efConstruction: 8, m: 4 } },
        }),
      ),
      add(
        'raw',
        [
          { _id: 'v', c: { vector: [3, -4] } },
          { _id: 'zero', c: { vector: [0, 0] } },
        ],
        asVector,
      ),
      readsFacets('raw', { _id: 'v', c: '' }, facet('c', '', [3, -4])),
      readsFacets('raw', { _id: 'zero', c: '' }, facet('c', '', [0, 0])),
      counts('raw', 2, 2),
    ],
  },
  {
    section: '6.5',
    about: 'an index without a model embeds no text',
    exchanges: [
      refuse(U, { _id: 'bad', a: 'text' }, failure('bad', holding('Model no_model cannot vectorise')), {
        tensorFields: ['a'],
      }),
    ],
  },
];

const ofText = (reason: string) =>
  invalidArgument(
    expect.stringMatching(new RegExp(`^Error validating text field mappings object\\. Reason: .*${reason}`)),
  );
const textField = (name: string, members: object) => ({ mappings: { [name]: { type: 'text_field', ...members } } });
const words = (q: string, rest: object = {}) => ({ q, searchMethod: 'LEXICAL', ...rest });
const conflict = (field: string, what: string, from: string, to: string) =>
  `Field '${field}' already exists with a different ${what} configuration. Cannot change ${what} from '${from}' to '${to}' for existing field.`;

const texts: Case[] = [
  refusesMapping('a text that nothing is said of', { type: 'text_field' }, ofText('is a required property')),
  refusesMapping('an empty language', { type: 'text_field', language: '' }, ofText("'' should be non-empty")),
  refusesMapping(
    'a language that is a number',
    { type: 'text_field', language: 5 },
    ofText("5 is not of type 'string'"),
  ),
  refusesMapping(
    'an unknown stemming',
    { type: 'text_field', stemming: 'all' },
    ofText("'all' is not one of \\['none', 'best', 'shortest', 'multiple'\\]"),
  ),
  {
    section: '6.6',
    about: 'the language of a field holds from its first text on',
    exchanges: [
      add(U, [{ _id: 'children', german: 'Kinder' }], textField('german', { language: 'de' })),
      finds(U, words('Kindern'), 'children'),
      finds(U, words('Kindern', { language: 'de' }), 'children'),
      finds(U, words('Kindern', { language: 'en' })),
      add(U, [{ _id: 'children', german: 'Kinder' }], textField('german', { language: 'de' })),
      refuse(
        U,
        { _id: 'bad', german: 'chats' },
        failure('bad', conflict('german', 'language', 'de', 'fr')),
        textField('german', { language: 'fr' }),
      ),
    ],
  },
  {
    section: '6.6',
    about: 'so does what is done to the endings of its words',
    exchanges: [
      add(U, [{ _id: 'plural', exact: 'gadgets' }], textField('exact', { stemming: 'none' })),
      finds(U, words('gadget')),
      finds(U, words('gadgets'), 'plural'),
      refuse(
        U,
        { _id: 'bad', exact: 'gadget' },
        failure('bad', conflict('exact', 'stemming', 'none', 'multiple')),
        textField('exact', { stemming: 'multiple' }),
      ),
    ],
  },
  {
    section: '6.6',
    about: 'a structured index takes such a mapping and ignores it',
    exchanges: [add(S, [{ _id: 'ignored', a: 'text' }], textField('a', { stemming: 'none' }))],
  },
];

/** Mappings, and the vectors that documents bring along. */
export const mappings: Part = {
  title: 'mappings and custom vectors',
  preparation: [
    create('plain', own(2)),
    create(U, own(2)),
    create(
      S,
      structured(
        [
          field('a', 'text'),
          field('c', 'custom_vector', 'lexical_search', 'filter'),
          { ...field('m', 'multimodal_combination'), dependentFields: { a: 1 } },
        ],
        ['c', 'm'],
        { model: 'two', modelProperties: { type: 'random', dimensions: 2 } },
      ),
    ),
  ],
  cases: [...shapes, ...texts, ...vectors],
};
