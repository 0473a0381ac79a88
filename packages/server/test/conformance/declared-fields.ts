import type { Case, Part } from './case.js';
import { accepted, refused } from './creation-cases.js';
import { holding, inBody, invalidArgument, lateError, problems, unprocessable } from './errors.js';
import { commonDefaults, field, structured } from './indexes.js';

const types = [
  ...['text', 'bool', 'int', 'long', 'float', 'double'],
  ...['array<text>', 'array<int>', 'array<long>', 'array<float>', 'array<double>'],
  ...[
    'image_pointer',
    'video_pointer',
    'audio_pointer',
    'multimodal_combination',
    'custom_vector',
    'geo_point',
    'sparse_vector',
    'multi_vector',
  ],
  ...['map<text, int>', 'map<text, long>', 'map<text, float>', 'map<text, double>'],
];
const withoutFeatures = ['image_pointer', 'multimodal_combination', 'sparse_vector', 'multi_vector'];
const withLexical = ['text', 'array<text>', 'custom_vector'];
const withModifier = types.filter((type) => /^(map<text, )?(int|long|float|double)/.test(type));
const combined = { ...field('m', 'multimodal_combination'), dependentFields: { t: 0.5 } };
/** Fields with one of the type in question, which is a tensor field where it must be. */
const fieldsWith = (type: string, ...features: string[]) =>
  type === 'multimodal_combination'
    ? structured([field('t', 'text'), { ...combined, features }], ['m'])
    : structured([field('f', type, ...features)], type === 'custom_vector' ? ['f'] : []);
const declared = (section: string, about: string, settings: ReturnType<typeof structured>): Case =>
  accepted(section, about, settings, { ...commonDefaults, ...settings });
/** A field of each of these types, all with this feature. */
const eachWith = (feature: string, featured: readonly string[]): Case =>
  declared(
    '4.7',
    `${feature} of every type that has it`,
    structured(
      featured.map((type, i) => field(`f${i}`, type, feature)),
      featured.flatMap((type, i) => (type === 'custom_vector' ? [`f${i}`] : [])),
    ),
  );
const atField = (type: string) => inBody('allFields', type === 'multimodal_combination' ? 1 : 0, '__root__');

const declarations: Case[] = [
  declared(
    '4.7',
    'a field of each type',
    structured(
      [
        ...types
          .filter((type) => type !== 'multimodal_combination')
          .map((type, i) => ({ ...field(`f${i}`, type), ...(type === 'multi_vector' && { dimensions: 2 }) })),
        { ...combined, dependentFields: { f0: 0.5 } },
      ],
      [`f${types.indexOf('custom_vector') - 1}`, 'm'],
    ),
  ),
  eachWith('lexical_search', withLexical),
  eachWith('score_modifier', withModifier),
  eachWith('filter', [
    ...withLexical,
    'bool',
    'int',
    'double',
    'array<int>',
    'array<double>',
    'video_pointer',
    'geo_point',
  ]),
  ...types
    .filter((type) => !withLexical.includes(type) && !withoutFeatures.includes(type))
    .map((type) =>
      refused(
        '4.7',
        `no lexical_search of type ${type}`,
        fieldsWith(type, 'lexical_search'),
        unprocessable(
          problems.rule(atField(type), 'f: Field with lexical_search feature must be of type text or array<text>'),
        ),
      ),
    ),
  ...types
    .filter((type) => type.startsWith('map<'))
    .map((type) =>
      refused(
        '4.8',
        `no filter of type ${type}`,
        fieldsWith(type, 'filter'),
        unprocessable(problems.rule(atField(type), `f: Field with filter feature must not be of type ${type}`)),
      ),
    ),
  ...types
    .filter((type) => !withModifier.includes(type) && !withoutFeatures.includes(type))
    .map((type) =>
      refused(
        '4.7',
        `no score_modifier of type ${type}`,
        fieldsWith(type, 'score_modifier'),
        unprocessable(
          problems.rule(
            atField(type),
            'f: Field with score_modifier feature must be of type float, int, double, long, map<text, float>, map<text, int>, map<text, double>, or map<text, long>',
          ),
        ),
      ),
    ),
  ...withoutFeatures.map((type) =>
    refused(
      '4.7',
      `no features of type ${type}`,
      fieldsWith(type, 'filter'),
      unprocessable(
        problems.rule(
          atField(type),
          `${type === 'multimodal_combination' ? 'm' : 'f'}: Cannot specify features for field of type ${type}`,
        ),
      ),
    ),
  ),
  accepted(
    '4.7',
    'blanks inside types are put right',
    structured([field('a', 'map<text,int>'), field('b', 'map < text ,  double >'), field('c', 'array< text >')]),
    {
      ...commonDefaults,
      ...structured([field('a', 'map<text, int>'), field('b', 'map<text, double>'), field('c', 'array<text>')]),
    },
  ),
  accepted(
    '4.7',
    'a field without features or with dependent fields that are null has none',
    structured([
      { name: 'a', type: 'text' },
      { name: 'b', type: 'int', dependentFields: null },
    ]),
    { ...commonDefaults, ...structured([field('a', 'text'), field('b', 'int')]) },
  ),
  declared(
    '4.7',
    'a combination with a negative weight, in the order of creation',
    structured(
      [field('b', 'text'), field('a', 'text'), { ...combined, dependentFields: { b: -1, a: 0.25 } }],
      ['m', 'a'],
    ),
  ),
  refused(
    '4.7',
    'a field without a name',
    structured([{ type: 'text' }]),
    unprocessable(problems.missing(inBody('allFields', 0, 'name'))),
  ),
  refused(
    '4.7',
    'a field without a type',
    structured([{ name: 'a' }]),
    unprocessable(problems.missing(inBody('allFields', 0, 'type'))),
  ),
  refused(
    '4.7',
    'a field of an unknown type',
    structured([field('a', 'string')]),
    unprocessable(problems.oneOf(inBody('allFields', 0, 'type'), types)),
  ),
  ...[5, true, ['text'], { name: 'text' }].map((type) =>
    refused(
      '4.7',
      `a type that is ${JSON.stringify(type)}, which is no text`,
      structured([{ name: 'a', type }]),
      unprocessable(problems.typeIsText(inBody('allFields', 0, 'type'))),
    ),
  ),
  refused(
    '4.7',
    'a type that is null',
    structured([{ name: 'a', type: null }]),
    unprocessable(problems.null(inBody('allFields', 0, 'type'))),
  ),
  refused(
    '4.7',
    'blanks around a type are not taken away',
    structured([field('a', ' text')]),
    unprocessable(problems.oneOf(inBody('allFields', 0, 'type'), types)),
  ),
  refused(
    '4.7',
    'an unknown feature',
    structured([field('a', 'text', 'filter', 'facet')]),
    unprocessable(
      problems.oneOf(inBody('allFields', 0, 'features', 1), ['lexical_search', 'score_modifier', 'filter']),
    ),
  ),
  refused(
    '4.7',
    'features that are null',
    structured([{ ...field('a', 'text'), features: null }]),
    unprocessable(problems.null(inBody('allFields', 0, 'features'))),
  ),
  refused(
    '4.7',
    'an unknown member of a field',
    structured([{ ...field('a', 'text'), size: 1 }]),
    unprocessable(problems.extra(inBody('allFields', 0, 'size'))),
  ),
  refused(
    '4.7',
    'a weight that is no number',
    structured([field('t', 'text'), { ...combined, dependentFields: { t: 'x' } }], ['m']),
    unprocessable(problems.float(inBody('allFields', 1, 'dependentFields', 't'))),
  ),
  ...[undefined, null, {}].map((dependentFields) =>
    refused(
      '4.7',
      `a combination of ${JSON.stringify(dependentFields)}`,
      structured([{ ...combined, dependentFields }], ['m']),
      unprocessable(
        problems.rule(
          inBody('allFields', 0, '__root__'),
          'm: dependent_fields must be defined for a field of type multimodal_combination',
        ),
      ),
    ),
  ),
  refused(
    '4.7',
    'dependent fields of another type',
    structured([{ ...field('a', 'text'), dependentFields: { b: 1 } }]),
    unprocessable(
      problems.rule(
        inBody('allFields', 0, '__root__'),
        'a: dependent_fields must only be defined for fields of type multimodal_combination',
      ),
    ),
  ),
  refused(
    '4.7',
    'a tensor field that is not declared',
    structured([field('a', 'text')], ['b']),
    lateError('__root__', "Tensor field 'b' is not a defined field. Field names: [a]"),
  ),
  refused(
    '4.7',
    'a combination that is no tensor field',
    structured([field('t', 'text'), combined]),
    lateError('__root__', "Field 'm' has type 'multimodal_combination' and must be a tensor field."),
  ),
  refused(
    '4.7',
    'a custom vector that is no tensor field',
    structured([field('c', 'custom_vector')]),
    lateError('__root__', "Field 'c' has type 'custom_vector' and must be a tensor field."),
  ),
  refused(
    '4.7',
    'a custom vector in a combination',
    structured([field('c', 'custom_vector'), { ...combined, dependentFields: { c: 1 } }], ['c', 'm']),
    lateError(
      '__root__',
      "Field 'c' is a custom vector field and cannot be a dependent field of multimodal field 'm'.",
    ),
  ),
  refused(
    '12.12',
    'a field that is declared twice',
    structured([field('a', 'text'), field('a', 'int')]),
    invalidArgument(holding("'a'")),
  ),
  refused(
    '12.12',
    'a tensor field that is named twice',
    structured([field('a', 'text')], ['a', 'a']),
    invalidArgument(holding("'a'")),
  ),
  refused(
    '12.12',
    'a feature that is named twice',
    structured([field('a', 'text', 'filter', 'filter')]),
    invalidArgument(holding("'filter'")),
  ),
  refused(
    '12.12',
    'a combination of a field that is not declared',
    structured([combined], ['m']),
    invalidArgument(holding("'t'")),
  ),
  refused(
    '12.12',
    'a combination of a number',
    structured([field('t', 'int'), combined], ['m']),
    invalidArgument(holding("'int'")),
  ),
  ...['bool', 'int', 'double', 'array<text>', 'map<text, int>'].map((type) =>
    refused(
      '12.12',
      `no tensor field is of type ${type}`,
      structured([field('a', type)], ['a']),
      invalidArgument(holding(`'${type}'`)),
    ),
  ),
];

const badFieldNames: readonly (readonly [name: string, message: string])[] = [
  ...['a b', 'a.b', 'a-b', 'a:b', '1a', 'ä', ''].map(
    (name) =>
      [name, `"${name}": Field name must match [a-zA-Z_][a-zA-Z0-9_]* and must not start with "marqo__"`] as const,
  ),
  ['marqo__x', 'marqo__x: Field name must not start with "marqo__"'],
  ...['_id', '_tensor_facets', '_highlights', '_score', '_found', '_embedding', '_tensors'].map(
    (name) =>
      [
        name,
        `${name}: Field name must not be one of _id, _tensor_facets, _highlights, _score, _found, _embedding, _tensors`,
      ] as const,
  ),
];

const fieldNames: Case[] = [
  declared(
    '3.2',
    'letters, digits and underscores, in names that may differ in case alone',
    structured(['a', 'A', 'A_1', '_foo', '__chunks', 'x'.repeat(255)].map((name) => field(name, 'text'))),
  ),
  ...badFieldNames.map(([name, message]) =>
    refused(
      '3.2',
      `no field is named '${name}'`,
      structured([field('ok', 'text'), field(name, 'text')]),
      unprocessable(problems.rule(inBody('allFields', 1, '__root__'), message)),
    ),
  ),
];

/** Fields that structured indexes declare. */
export const declaredFields: Part = {
  title: 'declared fields',
  preparation: [],
  cases: [...declarations, ...fieldNames],
};
