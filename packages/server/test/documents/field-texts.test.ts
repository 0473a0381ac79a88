import { invalidArgument } from '@pelorus/contract';
import type { FieldVectors, Inference } from '@pelorus/inference';
import { expect, test } from 'vitest';
import { withFieldMappings, withFieldVectors } from '../../src/documents/field-texts.js';
import { membersNamed } from '../../src/http/json-member.js';
import type { IndexDefinition } from '../../src/services/definition.js';

/** A model whose vector of a text tells the length of that. */
const inference: Pick<Inference, 'fieldVectors'> = {
  fieldVectors: async (model, texts) =>
    texts.map(
      (text): FieldVectors =>
        model.type === 'splade'
          ? { kind: 'sparse', indices: [text.length], weights: [0.1] }
          : { kind: 'many', vectors: Float32Array.of(text.length, 0.25) },
    ),
};

const fieldModels = { s: { model: 'm', sourceField: 't' }, c: { model: 'n', sourceField: 't' }, alone: { model: 'm' } };
const definition = {
  settings: { type: 'unstructured', fieldModels },
  fieldModel: (name: string) => ({
    ...{ type: name === 'c' ? 'colbert' : 'splade', dimensions: 2 },
    ...{ tokens: 1024, tokenVectors: { queryTokens: 32 } },
  }),
} as unknown as IndexDefinition;

const changed = async (body: string, keepsOtherFields = false) => {
  const of = { definition, inference, options: {}, keepsOtherFields };
  return (await withFieldVectors(Buffer.from(body), of))?.body.toString() ?? null;
};

test('texts become vectors in their places, and every other byte stays', async () => {
  expect(
    await changed('{"documents": [ {"_id":"a", "t" : "wörd\\u0031" , "n":1.0} , 7, {"s":"ab","s":"abc"} ],"x":[]}'),
  ).toBe(
    '{"documents": [ {"_id":"a", "t" : "wörd\\u0031" , "n":1.0,"s":{"indices":[5],"values":[0.1]},"c":[[5,0.25]]} , 7, {"s":"ab","s":{"indices":[3],"values":[0.1]}} ],"x":[]}',
  );
});

test('a body without texts of fields that have models is not made anew', async () => {
  for (const body of [
    '{"documents":[{"t":7},{"t":" "},{"s":null},{"s":{"indices":[],"values":[]}},{"o":{"s":"x"}},[]]}',
    '{"documents":{"t":"x"}}',
    '{}',
  ]) {
    expect(await changed(body)).toBeNull();
  }
});

test('an update that takes the text of a source takes its vectors along', async () => {
  const update = '{"documents":[{"_id":"a","t":null},{"_id":"b","t":"","s":"ab"},{"_id":"c","alone":"x"}]}';
  expect(await changed(update, true)).toBe(
    '{"documents":[{"_id":"a","t":null,"s":null,"c":null},{"_id":"b","t":"","s":{"indices":[2],"values":[0.1]},"c":null},{"_id":"c","alone":{"indices":[1],"values":[0.1]}}]}',
  );
});

test('a field has its mapping whatever its name', () => {
  const settings = { type: 'unstructured', fieldModels: JSON.parse('{"__proto__":{"model":"m"}}') };
  const mappings = withFieldMappings({ ...definition, settings } as unknown as IndexDefinition, null);
  expect(JSON.stringify(mappings)).toBe('{"__proto__":{"type":"sparse_vector"}}');
});

test('documents without texts for a model are written where that is gone', async () => {
  const gone = {
    ...definition,
    fieldModel: () => {
      throw invalidArgument('there is no such model');
    },
  } as unknown as IndexDefinition;
  const given = { s: { type: 'sparse_vector' } };
  expect(withFieldMappings(gone, given)).toEqual(given);
  const of = { definition: gone, inference, options: {}, keepsOtherFields: true };
  const write = (body: string) => withFieldVectors(Buffer.from(body), of);
  expect(await write('{"documents":[{"x":"plain"},{"s":{"indices":[1],"values":[1]}}]}')).toBeNull();
  expect((await write('{"documents":[{"t":null}]}'))?.body.toString()).toBe(
    '{"documents":[{"t":null,"s":null,"c":null}]}',
  );
  await expect(write('{"documents":[{"t":"a text"}]}')).rejects.toThrow('there is no such model');
});

/** A definition whose texts each become `count` vectors of 1,024 numbers. */
const withLarge = (count: number, asked: (texts: number) => void) => ({
  definition: {
    settings: { type: 'unstructured', fieldModels: { c: { model: 'n' } } },
    fieldModel: () => ({ type: 'colbert', dimensions: 1024, tokens: 1024, tokenVectors: { queryTokens: 32 } }),
  } as unknown as IndexDefinition,
  inference: {
    fieldVectors: async (_model, texts) => {
      asked(texts.length);
      return texts.map((): FieldVectors => ({ kind: 'many', vectors: new Float32Array(count * 1024).fill(0.5) }));
    },
  } satisfies Pick<Inference, 'fieldVectors'>,
  ...{ options: {}, keepsOtherFields: false },
});
const documentsOf = (texts: readonly string[]) => Buffer.from(JSON.stringify({ documents: texts.map((c) => ({ c })) }));
const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`);

test('other work has its turns while vectors are written', async () => {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await withFieldVectors(
    documentsOf(words(4)),
    withLarge(64, () => {}),
  );
  isRunning = false;
  expect(turns).toBeGreaterThanOrEqual(12);
});

test('vectors of more numbers than a request takes are refused before all are made', async () => {
  let asked = 0;
  const of = withLarge(1024, (texts) => {
    asked += texts;
  });
  const refusal = { code: 'payload_too_large', message: expect.stringContaining('more than 8388608 numbers') };
  await expect(withFieldVectors(documentsOf(words(64)), of)).rejects.toMatchObject(refusal);
  expect(asked).toBe(16);
  await expect(withFieldVectors(documentsOf(Array.from({ length: 9 }, () => 'w')), of)).rejects.toMatchObject(refusal);
  expect(asked).toBe(17);
});

test('the members of an object are found as a parser finds them', () => {
  const names = ['a', 'é', 'b"'];
  for (const json of [
    '{"a" : 1 , "b\\"":[{"a":2}],"\\u00e9":"x}"}',
    '{"a":{"a":"\\\\"},"a":[1,2],"z":"a"}',
    '{ }',
    '{"z":{"b\\"":1},"é":null }',
  ]) {
    const found = membersNamed(Buffer.from(json), new Set(names));
    const parsed = JSON.parse(json) as Record<string, unknown>;
    const expected = names.flatMap((name) => (Object.hasOwn(parsed, name) ? [[name, parsed[name]]] : []));
    const read = [...found].map(([name, value]) => [name, JSON.parse(value.toString())]);
    expect(Object.fromEntries(read)).toEqual(Object.fromEntries(expected));
  }
});
