import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/indexes/requested-settings.js';
import { settingsOf } from '../../src/indexes/settings.js';

const settings = (body: object) => settingsOf(readSettings(structuredClone(body)));

const common = {
  model: 'hf/e5-base-v2',
  normalizeEmbeddings: true,
  textPreprocessing: { splitLength: 2, splitOverlap: 0, splitMethod: 'sentence' },
  imagePreprocessing: {},
  videoPreprocessing: { splitLength: 20, splitOverlap: 3 },
  audioPreprocessing: { splitLength: 10, splitOverlap: 3 },
  vectorNumericType: 'float',
  annParameters: { spaceType: 'prenormalized-angular', parameters: { efConstruction: 512, m: 16 } },
};

describe('an unstructured index', () => {
  test('has defaults for everything', () => {
    expect(settings({})).toEqual({
      type: 'unstructured',
      treatUrlsAndPointersAsImages: false,
      treatUrlsAndPointersAsMedia: false,
      filterStringMaxLength: 50,
      ...common,
    });
  });

  test('goes by its other name as well', () => {
    expect(settings({ type: 'semi-structured' }).type).toBe('unstructured');
  });

  test('may be created from the settings of another', () => {
    const first = settings({ filterStringMaxLength: 7, imagePreprocessing: { patchMethod: 'simple' } });
    expect(settings(first)).toEqual(first);
  });

  test('nulls mean absence', () => {
    const nulls = {
      modelProperties: null,
      treatUrlsAndPointersAsImages: null,
      filterStringMaxLength: null,
      allFields: null,
    };
    expect(settings({ ...nulls, imagePreprocessing: { patchMethod: null } })).toEqual(settings({}));
  });

  test('media implies images, and contradicts images refused', () => {
    expect(settings({ treatUrlsAndPointersAsMedia: true }).treatUrlsAndPointersAsImages).toBe(true);
    expect(() => settings({ treatUrlsAndPointersAsMedia: true, treatUrlsAndPointersAsImages: false })).toThrow(
      'Invalid combination',
    );
  });

  test.each(['allFields', 'tensorFields'])('does not take %s', (name) => {
    expect(() => settings({ [name]: [] })).toThrow(`${name} is not a valid parameter for unstructured indexes`);
  });
});

test.each(['textPreprocessing', 'videoPreprocessing', 'audioPreprocessing'])(
  'an overlap as long as the chunk is refused in %s',
  (name) => {
    const split = { splitLength: 3, splitOverlap: 3, ...(name === 'textPreprocessing' && { splitMethod: 'word' }) };
    expect(() => settings({ [name]: split })).toThrow(`body.${name}.splitOverlap: splitOverlap must be less`);
  },
);

test.each([
  ['textPreprocessing', { splitLength: 7 }],
  ['videoPreprocessing', { splitOverlap: 0 }],
  ['audioPreprocessing', { splitLength: 4 }],
  ['annParameters', { spaceType: 'l1' }],
  ['annParameters', { parameters: {} }],
] as const)('members of %s that are left out are as usual: %j', (name, given) => {
  for (const part of [given, {}]) {
    const expected = {
      ...common[name],
      ...part,
      ...('parameters' in part && { parameters: common.annParameters.parameters }),
    };
    expect(settings({ [name]: part })[name]).toEqual(expected);
    expect(settings(settings({ [name]: part }))).toEqual(settings({ [name]: part }));
  }
});

describe('a structured index', () => {
  const fields = (...allFields: object[]) => ({ type: 'structured', allFields, tensorFields: [] as string[] });
  const text = { name: 't', type: 'text' };

  test('keeps its fields in order, features always listed', () => {
    const body = {
      type: 'structured',
      allFields: [
        { name: 't', type: 'text', features: ['lexical_search', 'filter'] },
        { name: 'img', type: 'image_pointer' },
        { name: 'mm', type: 'multimodal_combination', dependentFields: { t: 0.1, img: -0.9 } },
      ],
      tensorFields: ['t', 'mm'],
    };
    expect(settings(body)).toEqual({
      type: 'structured',
      allFields: [
        { name: 't', type: 'text', features: ['lexical_search', 'filter'] },
        { name: 'img', type: 'image_pointer', features: [] },
        { name: 'mm', type: 'multimodal_combination', features: [], dependentFields: { t: 0.1, img: -0.9 } },
      ],
      tensorFields: ['t', 'mm'],
      ...common,
    });
  });

  test.each(['treatUrlsAndPointersAsImages', 'treatUrlsAndPointersAsMedia', 'filterStringMaxLength'])(
    'does not take %s, not even as false',
    (name) => {
      expect(() => settings({ ...fields(text), [name]: name === 'filterStringMaxLength' ? 5 : false })).toThrow(
        `${name} is not a valid parameter for structured indexes`,
      );
    },
  );

  test('must declare its fields, and may have none with vectors', () => {
    expect(() => settings({ type: 'structured', tensorFields: [] })).toThrow('{"loc": ["fields"], "msg": "none is not');
    for (const rest of [{}, { tensorFields: null }]) {
      expect(settings({ type: 'structured', allFields: [text], ...rest })).toEqual(settings(fields(text)));
    }
  });

  test.each<[object, string]>([
    [{ name: 'a b', type: 'text' }, '"a b": Field name must match'],
    [
      { name: 'a', type: 'image_pointer', features: ['filter'] },
      'a: Cannot specify features for field of type image_pointer',
    ],
    [{ name: 'm', type: 'multimodal_combination' }, 'm: dependent_fields must be defined'],
    [{ name: 'm', type: 'multimodal_combination', dependentFields: {} }, 'm: dependent_fields must be defined'],
    [{ name: 'a', type: 'text', dependentFields: { b: 1 } }, 'a: dependent_fields must only be defined'],
    [{ name: 'a', type: 'int', features: ['lexical_search'] }, 'a: Field with lexical_search feature must be'],
    [{ name: 'a', type: 'text', features: ['score_modifier'] }, 'a: Field with score_modifier feature must be'],
    [{ name: 'a', type: 'map<text, int>', features: ['filter'] }, 'a: Field with filter feature must not be'],
  ])('%j is a 422 at its place in the list', (field, message) => {
    expect(() => settings(fields(text, field))).toThrow(expect.objectContaining({ status: 422 }));
    expect(() => settings(fields(text, field))).toThrow(`body.allFields.1.__root__: ${message}`);
  });

  test.each<[string, object, string]>([
    [
      'an undeclared tensor field',
      { ...fields(text), tensorFields: ['b'] },
      "Tensor field 'b' is not a defined field. Field names: [t]",
    ],
    [
      'a combination that is no tensor field',
      fields(text, { name: 'm', type: 'multimodal_combination', dependentFields: { t: 1 } }),
      "Field 'm' has type 'multimodal_combination' and must be a tensor field.",
    ],
    [
      'a custom vector that is no tensor field',
      fields({ name: 'c', type: 'custom_vector' }),
      "Field 'c' has type 'custom_vector' and must",
    ],
    [
      'a custom vector in a combination',
      {
        ...fields(
          { name: 'c', type: 'custom_vector' },
          { name: 'm', type: 'multimodal_combination', dependentFields: { c: 1 } },
        ),
        tensorFields: ['c', 'm'],
      },
      "Field 'c' is a custom vector field and cannot be a dependent field",
    ],
    [
      'an undeclared dependent field',
      { ...fields({ name: 'm', type: 'multimodal_combination', dependentFields: { x: 1 } }), tensorFields: ['m'] },
      "Field 'x', a dependent field of multimodal field 'm', is not a defined field",
    ],
    [
      'a number in a combination',
      {
        ...fields({ name: 'n', type: 'int' }, { name: 'm', type: 'multimodal_combination', dependentFields: { n: 1 } }),
        tensorFields: ['m'],
      },
      "Field 'n' has type 'int' and cannot be a dependent field",
    ],
    [
      'a number as tensor field',
      { ...fields({ name: 'n', type: 'int' }), tensorFields: ['n'] },
      "Field 'n' has type 'int' and cannot be a tensor field",
    ],
    ['a field declared twice', fields(text, text), "declares the field 't' more than once"],
    ['a tensor field named twice', { ...fields(text), tensorFields: ['t', 't'] }, "names the field 't' more than once"],
    [
      'a feature listed twice',
      fields({ ...text, features: ['filter', 'filter'] }),
      "lists the feature 'filter' more than once",
    ],
  ])('%s is a 400', (_name, body, message) => {
    expect(() => settings(body)).toThrow(expect.objectContaining({ status: 400, code: 'invalid_argument' }));
    expect(() => settings(body)).toThrow(message);
  });

  test('fields that differ in case are different fields', () => {
    expect(settings(fields(text, { name: 'T', type: 'text' })).allFields).toHaveLength(2);
  });
});
