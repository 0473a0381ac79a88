import { expect } from 'vitest';
import type { Case, Expected, Part } from './case.js';
import { caseNotOnCluster } from './cluster.js';
import { accepted, echoed, refused, withDefaults } from './creation-cases.js';
import {
  error,
  holding,
  inBody,
  invalidArgument,
  lateError,
  type Problem,
  problems,
  root,
  unprocessable,
} from './errors.js';
import {
  create,
  drop,
  field,
  hasSettings,
  nameAfter,
  own,
  small,
  structured,
  unstructuredDefaults,
} from './indexes.js';

const numericTypes = ['float', 'bfloat16', 'int8'];
const named = (name: string, about: string): Case => ({
  section: '3.1',
  about: `an index named with ${about}`,
  exchanges: [create(name, small)],
});
const misnamed = (name: string, about: string): Case =>
  refused(
    '3.1',
    `no index is named with ${about}`,
    small,
    lateError(
      'name',
      `"${decodeURIComponent(name)}" is not a valid index name. Index name must match [a-zA-Z_-][a-zA-Z0-9_-]* and must not start with "marqo__"`,
    ),
    name,
  );

const names: Case[] = [
  named('a', 'one letter'),
  named('A1', 'a capital letter and a digit'),
  named('_a', 'an underscore first'),
  named('-a', 'a hyphen first'),
  named('-', 'a hyphen alone'),
  named('a-b_c', 'hyphen and underscore'),
  named('a'.repeat(222), 'as many characters as it may have'),
  {
    section: '3.1',
    about: 'names that differ in case are of two indexes',
    exchanges: [create('Letters', small), create('letters', small), drop('letters'), drop('Letters')],
  },
  misnamed('1abc', 'a digit first'),
  misnamed('a.b', 'a dot'),
  misnamed('a%20b', 'a blank'),
  misnamed('a:b', 'a colon'),
  refused(
    '10.4',
    'a message that is JSON is spelt in ASCII, with blanks',
    small,
    error(
      400,
      'invalid_argument',
      String.raw`[{"loc": ["name"], "msg": "\"\u00e4\" is not a valid index name. Index name must match [a-zA-Z_-][a-zA-Z0-9_-]* and must not start with \"marqo__\"", "type": "value_error"}]`,
      '',
    ),
    '%C3%A4',
  ),
  refused(
    '3.1',
    'no index is named as those of the service itself',
    small,
    lateError('name', 'Index name must not start with "marqo__"'),
    'marqo__x',
  ),
  refused(
    '3.1',
    'no index has a longer name than a file system takes',
    small,
    lateError('name', 'Index name must not be longer than 222 characters, but this one has 223'),
    'a'.repeat(223),
  ),
];

const bodies: Case[] = [
  {
    section: '4.1',
    about: 'no body stands for an empty object, whatever type it is said to have',
    exchanges: [
      ...['', 'application/json', 'text/plain'].flatMap((type, i) => [
        { request: `POST /indexes/bodiless${i}`, headers: { 'content-type': type }, status: 200 },
        hasSettings(`bodiless${i}`, expect.objectContaining({ type: 'unstructured', model: 'hf/e5-base-v2' })),
      ]),
    ],
  },
  {
    section: '4.1',
    about: 'null says as little',
    exchanges: [
      { request: 'POST /indexes/ofNull', body: 'null', status: 200 },
      hasSettings('ofNull', expect.objectContaining({ model: 'hf/e5-base-v2' })),
    ],
  },
  refused('1.1', 'a list of something is no body', [1], unprocessable(problems.object(['body']))),
  refused('1.1', 'a text is no body', '"a"', unprocessable(problems.object(['body']))),
  {
    section: '1.1',
    about: 'an empty list stands for an empty object',
    exchanges: [create('fromList', []), hasSettings('fromList', expect.objectContaining({ model: 'hf/e5-base-v2' }))],
  },
  accepted(
    '4.1',
    'an empty object makes an index of the default model',
    {},
    withDefaults({
      model: 'hf/e5-base-v2',
      textQueryPrefix: 'query: ',
      textChunkPrefix: 'passage: ',
    }),
  ),
  refused('4.1', 'an unknown member', { modle: 'a' }, unprocessable(problems.extra(inBody('modle')))),
  refused(
    '4.1',
    'several problems at once are all told',
    { modle: 'a', vectorNumericType: 'int4', normalizeEmbeddings: 'perhaps' },
    {
      status: 422,
      answer: expect.objectContaining({
        detail: expect.arrayContaining([
          problems.extra(inBody('modle')),
          problems.oneOf(inBody('vectorNumericType'), numericTypes),
          problems.boolean(inBody('normalizeEmbeddings')),
        ]),
      }),
    },
  ),
  ...['numberOfShards', 'numberOfReplicas', 'storageClass', 'inferenceType', 'numberOfInferences'].map((name) =>
    refused(
      '4.1',
      `${name}, a setting of the hosted form`,
      { [name]: 1 },
      unprocessable({
        loc: inBody(name),
        msg: holding('extra fields not permitted'),
        type: 'value_error.extra',
      }),
    ),
  ),
  ...(
    [
      ['a member', { foo_bar: 1 }],
      ['a member of an object', { textPreprocessing: { foo_bar: 2 } }],
      ['a member of a declared field', structured([{ ...field('a', 'text'), foo_bar: {} }])],
    ] as const
  ).map(([about, settings]) =>
    refused(
      '4.1',
      `${about} with an underscore in its name`,
      settings,
      unprocessable(problems.rule(root, holding("Invalid field name 'foo_bar'."))),
    ),
  ),
  refused(
    '4.1',
    'a name with an underscore is told before anything else',
    { foo_bar: 1, modle: 2, vectorNumericType: 3 },
    unprocessable(problems.rule(root, holding("Invalid field name 'foo_bar'."))),
  ),
];

const ann = (spaceType: string, efConstruction: unknown = 128, m: unknown = 8) => ({
  annParameters: { spaceType, parameters: { efConstruction, m } },
});
const split = (splitLength: unknown, splitOverlap: unknown, splitMethod = 'word') => ({
  textPreprocessing: { splitLength, splitOverlap, splitMethod },
});

const overlapText = (splitOverlap: number, splitLength: number) =>
  `splitOverlap must be less than splitLength, but it is ${splitOverlap}, and that ${splitLength}`;
/** An object of settings of which some members are given: the others are as they are where none is. */
const partial = (
  name: 'textPreprocessing' | 'imagePreprocessing' | 'videoPreprocessing' | 'audioPreprocessing' | 'annParameters',
  given: object,
): Case =>
  accepted(
    '4.1',
    `${name} of ${JSON.stringify(given)} has what is usual besides`,
    { ...small, [name]: given },
    withDefaults({ [name]: { ...unstructuredDefaults[name], ...given } }),
  );

const members: Case[] = [
  ...['unstructured', 'semi-structured'].map((type) =>
    accepted('4.1', `type ${type} is unstructured`, { ...small, type }, unstructuredDefaults),
  ),
  echoed('4.1', 'vectors that are not normalised', { normalizeEmbeddings: false }),
  ...(
    [
      ['half', 'bfloat16'],
      ['a quarter of', 'int8'],
    ] as const
  ).map(([part, vectorNumericType]) =>
    caseNotOnCluster('vectorNumericType', echoed('4.1', `numbers of ${part} the size`, { vectorNumericType })),
  ),
  echoed('4.1', 'filters that match no text', { filterStringMaxLength: 0 }),
  echoed('4.1', 'a negative length of texts in filters', { filterStringMaxLength: -1 }),
  echoed('4.1', 'URLs as images', { treatUrlsAndPointersAsImages: true }),
  echoed('4.1', 'URLs as images and other media', {
    treatUrlsAndPointersAsImages: true,
    treatUrlsAndPointersAsMedia: true,
  }),
  echoed('4.1', 'prefixes', { textQueryPrefix: 'q: ', textChunkPrefix: 'c: ' }),
  accepted(
    '4.3',
    'URLs as media are as images too',
    { ...small, treatUrlsAndPointersAsMedia: true },
    withDefaults({ treatUrlsAndPointersAsImages: true, treatUrlsAndPointersAsMedia: true }),
  ),
  ...['character', 'word', 'sentence', 'passage'].map((method) =>
    echoed('4.2', `chunks by ${method}`, split(3, 1, method)),
  ),
  ...['simple', 'frcnn', 'dino-v1', 'dino-v2', 'marqo-yolo'].map((patchMethod) =>
    echoed('4.2', `patches by ${patchMethod}`, { imagePreprocessing: { patchMethod } }),
  ),
  accepted(
    '4.2',
    'no patches',
    { ...small, imagePreprocessing: { patchMethod: null } },
    withDefaults({ imagePreprocessing: {} }),
  ),
  echoed('4.2', 'chunks of videos', { videoPreprocessing: { splitLength: 5, splitOverlap: 1 } }),
  echoed('4.2', 'chunks of audio', { audioPreprocessing: { splitLength: 5, splitOverlap: 0 } }),
  ...['euclidean', 'angular', 'dotproduct', 'prenormalized-angular'].map((space) =>
    echoed('4.2', `the space ${space}`, ann(space)),
  ),
  caseNotOnCluster('spaceType', echoed('4.2', 'the space hamming', ann('hamming'))),
  caseNotOnCluster('spaceType', {
    section: '4.2',
    about: 'the space geodegrees, of two dimensions',
    exchanges: [create('globe', own(2, ann('geodegrees')))],
  }),
  ...['l2', 'cosinesimil', 'prenormalized-anglar'].map((space) =>
    echoed('4.2', `the older space ${space}`, ann(space)),
  ),
  ...['l1', 'linf'].map((space) =>
    caseNotOnCluster('spaceType', echoed('4.2', `the older space ${space}`, ann(space))),
  ),
  caseNotOnCluster('efConstruction', echoed('4.2', 'a graph as dense as it may be', ann('angular', 4096, 512))),
  accepted(
    '4.1',
    'members that may be null are none then',
    {
      ...small,
      ...{ modelProperties: null, textQueryPrefix: null, textChunkPrefix: null, filterStringMaxLength: null },
      ...{ treatUrlsAndPointersAsImages: null, treatUrlsAndPointersAsMedia: null, collapseFields: null },
      ...{ allFields: null, tensorFields: null },
    },
    unstructuredDefaults,
  ),
  ...(
    [
      ['type', 'other', problems.oneOf(inBody('type'), ['unstructured', 'structured', 'semi-structured'])],
      ['type', null, problems.null(inBody('type'))],
      ['model', null, problems.null(inBody('model'))],
      ['model', [], problems.text(inBody('model'))],
      ['modelProperties', 'a', problems.object(inBody('modelProperties'))],
      ['normalizeEmbeddings', null, problems.null(inBody('normalizeEmbeddings'))],
      ['normalizeEmbeddings', 2, problems.boolean(inBody('normalizeEmbeddings'))],
      ['textPreprocessing', null, problems.null(inBody('textPreprocessing'))],
      ['textPreprocessing', 'word', problems.object(inBody('textPreprocessing'))],
      ['imagePreprocessing', null, problems.null(inBody('imagePreprocessing'))],
      ['vectorNumericType', 'double', problems.oneOf(inBody('vectorNumericType'), numericTypes)],
      ['vectorNumericType', null, problems.null(inBody('vectorNumericType'))],
      ['annParameters', null, problems.null(inBody('annParameters'))],
      ['treatUrlsAndPointersAsImages', 'perhaps', problems.boolean(inBody('treatUrlsAndPointersAsImages'))],
      ['filterStringMaxLength', 'long', problems.integer(inBody('filterStringMaxLength'))],
      ['filterStringMaxLength', 1.5, problems.integer(inBody('filterStringMaxLength'))],
      ['collapseFields', {}, problems.list(inBody('collapseFields'))],
      ['allFields', {}, problems.list(inBody('allFields'))],
      ['tensorFields', 'a', problems.list(inBody('tensorFields'))],
    ] as const
  ).map(([name, value, problem]) =>
    refused('4.1', `${name} is not ${JSON.stringify(value)}`, { ...small, [name]: value }, unprocessable(problem)),
  ),
  ...(['videoPreprocessing', 'audioPreprocessing'] as const).flatMap((name) => [
    refused(
      '4.1',
      `${name} null is told later than other nulls`,
      { ...small, [name]: null },
      lateError(name.replace('P', '_p'), 'none is not an allowed value', 'type_error.none.not_allowed'),
    ),
    partial(name, { splitLength: 7 }),
    partial(name, { splitOverlap: 2 }),
    partial(name, {}),
    refused(
      '4.2',
      `${name} has chunks of some length`,
      { [name]: { splitLength: 0, splitOverlap: 0 } },
      {
        status: 422,
        answer: expect.objectContaining({
          detail: expect.arrayContaining([problems.above(inBody(name, 'splitLength'), 0)]),
        }),
      },
    ),
    refused(
      '4.2',
      `${name} has no negative overlap`,
      { [name]: { splitLength: 3, splitOverlap: -1 } },
      unprocessable(problems.atLeast(inBody(name, 'splitOverlap'), 0)),
    ),
    refused(
      '12.11',
      `${name} has an overlap below its length`,
      { [name]: { splitLength: 3, splitOverlap: 3 } },
      unprocessable(problems.rule(inBody(name, 'splitOverlap'), overlapText(3, 3))),
    ),
  ]),
  ...[
    {},
    { splitLength: 3 },
    { splitOverlap: 1 },
    { splitMethod: 'word' },
    { splitLength: 1, splitMethod: 'passage' },
  ].map((given) => partial('textPreprocessing', given)),
  partial('imagePreprocessing', {}),
  refused(
    '4.2',
    'a length that is no more than the overlap that is usual',
    { videoPreprocessing: { splitLength: 3 } },
    unprocessable(problems.rule(inBody('videoPreprocessing', 'splitOverlap'), overlapText(3, 3))),
  ),
  refused('4.2', 'chunks of no length', split(0, 0), {
    status: 422,
    answer: expect.objectContaining({
      detail: expect.arrayContaining([problems.above(inBody('textPreprocessing', 'splitLength'), 0)]),
    }),
  }),
  refused(
    '4.2',
    'a negative overlap',
    split(1, -1),
    unprocessable(problems.atLeast(inBody('textPreprocessing', 'splitOverlap'), 0)),
  ),
  refused(
    '4.2',
    'an unknown method of chunks',
    split(2, 1, 'line'),
    unprocessable(
      problems.oneOf(inBody('textPreprocessing', 'splitMethod'), ['character', 'word', 'sentence', 'passage']),
    ),
  ),
  refused(
    '12.11',
    'an overlap as long as the chunk',
    split(2, 2),
    unprocessable(
      problems.rule(inBody('textPreprocessing', 'splitOverlap'), holding('splitOverlap must be less than splitLength')),
    ),
  ),
  refused(
    '4.2',
    'an unknown patch method',
    { imagePreprocessing: { patchMethod: 'squares' } },
    unprocessable(
      problems.oneOf(inBody('imagePreprocessing', 'patchMethod'), [
        'simple',
        'frcnn',
        'dino-v1',
        'dino-v2',
        'marqo-yolo',
      ]),
    ),
  ),
  ...(
    ['textPreprocessing', 'imagePreprocessing', 'videoPreprocessing', 'audioPreprocessing', 'annParameters'] as const
  ).map((name) => {
    const whole = { ...unstructuredDefaults[name], size: 1 };
    return refused(
      '4.2',
      `an unknown member of ${name}`,
      { [name]: whole },
      unprocessable(problems.extra(inBody(name, 'size'))),
    );
  }),
  refused(
    '4.2',
    'an unknown parameter of the graph',
    { annParameters: { spaceType: 'angular', parameters: { efConstruction: 8, m: 8, size: 1 } } },
    unprocessable(problems.extra(inBody('annParameters', 'parameters', 'size'))),
  ),
  partial('annParameters', {}),
  partial('annParameters', { spaceType: 'angular' }),
  ...[{}, { m: 8 }, { efConstruction: 8 }].map((given) => {
    const parameters = { ...unstructuredDefaults.annParameters.parameters, ...given };
    return accepted(
      '4.1',
      `a graph of ${JSON.stringify(given)} has what is usual besides`,
      { ...small, annParameters: { parameters: given } },
      withDefaults({ annParameters: { ...unstructuredDefaults.annParameters, parameters } }),
    );
  }),
  refused(
    '4.2',
    'efConstruction of 0',
    ann('angular', 0),
    unprocessable(problems.above(inBody('annParameters', 'parameters', 'efConstruction'), 0)),
  ),
  refused(
    '4.2',
    'm of 0',
    ann('angular', 8, 0),
    unprocessable(problems.above(inBody('annParameters', 'parameters', 'm'), 0)),
  ),
  refused(
    '12.13',
    'efConstruction above its bound',
    ann('angular', 4097),
    unprocessable(problems.atMost(inBody('annParameters', 'parameters', 'efConstruction'), 4096)),
  ),
  refused(
    '12.13',
    'm above its bound',
    ann('angular', 8, 513),
    unprocessable(problems.atMost(inBody('annParameters', 'parameters', 'm'), 512)),
  ),
  {
    ...refused('4.2', 'an unknown space', ann('taxicab'), {
      status: 422,
      answer: expect.objectContaining({
        detail: [expect.objectContaining({ loc: inBody('annParameters', 'spaceType'), type: 'type_error.enum' })],
      }),
    }),
  },
  accepted(
    '1.1',
    'words and numbers as truth values',
    { ...small, normalizeEmbeddings: 'No', treatUrlsAndPointersAsImages: 'True', treatUrlsAndPointersAsMedia: 0 },
    withDefaults({ normalizeEmbeddings: false, treatUrlsAndPointersAsImages: true }),
  ),
  accepted(
    '1.1',
    'an integer as a text',
    { ...small, filterStringMaxLength: '20' },
    withDefaults({ filterStringMaxLength: 20 }),
  ),
  refused(
    '1.1',
    'a number where a text is expected is taken as one',
    { model: 5 },
    invalidArgument(holding('Could not find model properties for model=5.')),
  ),
];

const kinds: Case[] = [
  ...(
    [
      ['treatUrlsAndPointersAsImages', false],
      ['treatUrlsAndPointersAsImages', true],
      ['treatUrlsAndPointersAsMedia', false],
      ['filterStringMaxLength', 50],
    ] as const
  ).map(([name, value]) =>
    refused(
      '4.3',
      `${name} ${value} on a structured index`,
      structured([field('a', 'text')], [], { [name]: value }),
      invalidArgument(`${name} is not a valid parameter for structured indexes`),
    ),
  ),
  ...(['allFields', 'tensorFields'] as const).map((name) =>
    refused(
      '4.3',
      `${name} on an unstructured index, even an empty one`,
      { ...small, [name]: [] },
      invalidArgument(`${name} is not a valid parameter for unstructured indexes`),
    ),
  ),
  refused(
    '4.3',
    'media without images',
    { ...small, treatUrlsAndPointersAsImages: false, treatUrlsAndPointersAsMedia: true },
    invalidArgument(
      "Invalid combination: 'treatUrlsAndPointersAsImages' cannot be False when 'treatUrlsAndPointersAsMedia' is True.",
    ),
  ),
  refused(
    '4.3',
    'a structured index without allFields',
    { ...small, type: 'structured', tensorFields: [] },
    lateError('fields', 'none is not an allowed value', 'type_error.none.not_allowed'),
  ),
  ...[{}, { tensorFields: null }].map((rest): Case => {
    const name = nameAfter(`structured ${JSON.stringify(rest)}`);
    return {
      section: '4.1',
      about: `a structured index with ${JSON.stringify(rest)} as its tensorFields has none`,
      exchanges: [
        create(name, { ...small, type: 'structured', allFields: [field('a', 'text')], ...rest }),
        hasSettings(name, expect.objectContaining({ type: 'structured', tensorFields: [] })),
      ],
    };
  }),
  refused(
    '4.3',
    'a combination that no tensorFields name',
    {
      ...small,
      type: 'structured',
      allFields: [field('a', 'text'), { ...field('b', 'multimodal_combination'), dependentFields: { a: 1 } }],
    },
    lateError('__root__', "Field 'b' has type 'multimodal_combination' and must be a tensor field."),
  ),
  {
    section: '4.3',
    about: 'a name that is taken',
    exchanges: [
      create('taken', small),
      {
        request: 'POST /indexes/taken',
        body: small,
        ...error(409, 'index_already_exists', 'Index taken already exists'),
      },
      {
        request: 'POST /indexes/taken',
        body: { modle: 1 },
        ...unprocessable(problems.extra(inBody('modle'))),
      },
    ],
  },
  refused(
    '1.3',
    'rules of the kind of index come before its name',
    { ...small, allFields: [] },
    invalidArgument('allFields is not a valid parameter for unstructured indexes'),
    'a.b',
  ),
];

const collapse = (section: string, about: string, collapseFields: unknown, expected: Expected) =>
  refused(section, about, { ...small, collapseFields }, expected);

const collapsing: Case[] = [
  accepted(
    '4.4',
    'a field to collapse by, with its default',
    { ...small, collapseFields: [{ name: 'sku' }] },
    withDefaults({ collapseFields: [{ name: 'sku', minGroups: 500 }] }),
  ),
  echoed('4.4', 'a field to collapse by', { collapseFields: [{ name: 'sku', minGroups: 7 }] }),
  collapse(
    '4.4',
    'no field to collapse by',
    [],
    lateError('collapse_fields', 'collapse_fields cannot be an empty list'),
  ),
  collapse(
    '4.4',
    'two fields to collapse by',
    [{ name: 'a' }, { name: 'b' }],
    lateError('collapse_fields', 'Only one collapse field is supported'),
  ),
  collapse(
    '4.4',
    'a field to collapse by without a name',
    [{}],
    unprocessable(problems.missing(inBody('collapseFields', 0, 'name'))),
  ),
  collapse(
    '4.4',
    'a field to collapse by into no groups',
    [{ name: 'a', minGroups: 0 }],
    unprocessable(problems.above(inBody('collapseFields', 0, 'minGroups'), 0)),
  ),
  ...['a b', 'marqo__a', '_score'].map((name) =>
    collapse(
      '4.4',
      `no field to collapse by is named ${name}`,
      [{ name }],
      unprocessable(problems.rule(inBody('collapseFields', 0, 'name'), holding(name))),
    ),
  ),
  collapse(
    '4.2',
    'an unknown member of a field to collapse by',
    [{ name: 'a', size: 1 }],
    unprocessable(problems.extra(inBody('collapseFields', 0, 'size'))),
  ),
  refused(
    '4.4',
    'a structured index has no field to collapse by',
    structured([field('a', 'text')], [], { collapseFields: [{ name: 'a' }] }),
    invalidArgument('collapseFields is only supported for unstructured indexes'),
  ),
];

const oldest: Case[] = [
  accepted(
    '4.9',
    'the oldest form, with its own defaults',
    { index_defaults: { model: 'random/small' }, number_of_shards: 5, number_of_replicas: 1 },
    withDefaults({ annParameters: { spaceType: 'cosinesimil', parameters: { efConstruction: 128, m: 16 } } }),
  ),
  accepted(
    '4.9',
    'all members of the oldest form',
    {
      index_defaults: {
        model: 'random/small',
        normalize_embeddings: false,
        treat_urls_and_pointers_as_images: true,
        text_preprocessing: { split_length: 3, split_overlap: 1, split_method: 'word' },
        image_preprocessing: { patch_method: 'simple' },
        ann_parameters: { space_type: 'l2', parameters: { ef_construction: 8, m: 4 } },
      },
    },
    withDefaults({
      normalizeEmbeddings: false,
      treatUrlsAndPointersAsImages: true,
      textPreprocessing: { splitLength: 3, splitOverlap: 1, splitMethod: 'word' },
      imagePreprocessing: { patchMethod: 'simple' },
      annParameters: { spaceType: 'l2', parameters: { efConstruction: 8, m: 4 } },
    }),
  ),
  ...(
    [
      [{ text_preprocessing: {} }, {}],
      [{ text_preprocessing: null }, {}],
      [
        { text_preprocessing: { split_length: 5 } },
        { textPreprocessing: { splitLength: 5, splitOverlap: 0, splitMethod: 'sentence' } },
      ],
      [
        { ann_parameters: { parameters: { m: 4 } } },
        { annParameters: { spaceType: 'cosinesimil', parameters: { efConstruction: 128, m: 4 } } },
      ],
      [
        { ann_parameters: { space_type: 'l2' } },
        { annParameters: { spaceType: 'l2', parameters: { efConstruction: 128, m: 16 } } },
      ],
    ] as const
  ).map(([given, stored]) =>
    accepted(
      '4.9',
      `the oldest form of ${JSON.stringify(given)}`,
      { index_defaults: { model: 'random/small', ...given } },
      withDefaults({
        annParameters: { spaceType: 'cosinesimil', parameters: { efConstruction: 128, m: 16 } },
        ...stored,
      }),
    ),
  ),
];

const inOldest = (...path: string[]) => inBody('index_defaults', ...path);
/** A creation in the oldest form, and what is wrong with it, where it stands there. */
const refusedOldest = (about: string, settings: object, ...detail: readonly Problem[]): Case =>
  refused('4.9', about, { index_defaults: settings }, unprocessable(...detail));

const refusedInOldest: Case[] = [
  refusedOldest(
    'a chunk length of 0 in the oldest form',
    { text_preprocessing: { split_length: 0 } },
    problems.above(inOldest('text_preprocessing', 'split_length'), 0),
  ),
  refusedOldest(
    'an overlap as long as the chunk in the oldest form',
    { text_preprocessing: { split_length: 2, split_overlap: 2 } },
    problems.rule(inOldest('text_preprocessing', 'split_overlap'), holding('must be less')),
  ),
  refusedOldest(
    'parameters of the graph in the oldest form',
    { ann_parameters: { parameters: { ef_construction: 0, m: 'many' } } },
    problems.above(inOldest('ann_parameters', 'parameters', 'ef_construction'), 0),
    problems.integer(inOldest('ann_parameters', 'parameters', 'm')),
  ),
  refusedOldest(
    'a model that is no text, and its properties that are no object, in the oldest form',
    { model: [], model_properties: 5, normalize_embeddings: 'perhaps' },
    problems.text(inOldest('model')),
    problems.object(inOldest('model_properties')),
    problems.boolean(inOldest('normalize_embeddings')),
  ),
  refusedOldest('a member that is not of the oldest form', { splitLength: 2 }, problems.extra(inOldest('splitLength'))),
];

/** Creation of indexes: names and members. */
export const creation: Part = {
  title: 'creating an index',
  preparation: [],
  cases: [...names, ...bodies, ...members, ...kinds, ...collapsing, ...oldest, ...refusedInOldest],
};
