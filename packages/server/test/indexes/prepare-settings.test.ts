import { UnprocessableError } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { prepareSettings } from '../../src/indexes/prepare-settings.js';

test('an empty array counts as an empty object', () => {
  expect(prepareSettings([])).toEqual({});
});

test.each([
  [{ foo_bar: 1 }, 'foo_bar'],
  [{ annParameters: { parameters: { ef_construction: 1 } } }, 'ef_construction'],
  [{ allFields: [{ name: 'a', depends_on: 1 }] }, 'depends_on'],
])('%j is refused for its member name', (body, name) => {
  expect(() => prepareSettings(body)).toThrow(UnprocessableError);
  expect(() => prepareSettings(body)).toThrow(`Invalid field name '${name}'`);
});

test('free-form members may hold any names', () => {
  const body = { modelProperties: { model_location: { s3: {} } }, allFields: [{ dependentFields: { my_title: 1 } }] };
  expect(prepareSettings(body)).toBe(body);
});

test.each([
  ['map<text,int>', 'map<text, int>'],
  ['map< text , long >', 'map<text, long>'],
  ['array< text >', 'array<text>'],
  [' text', ' text'],
])('blanks in the type %j are put right', (type, expected) => {
  expect(prepareSettings({ allFields: [{ name: 'a', type }] })).toEqual({ allFields: [{ name: 'a', type: expected }] });
});

test.each([null, 5, 'text', { allFields: [null, 5, { type: 5 }] }])('%j is left to the schema', (body) => {
  expect(prepareSettings(body)).toEqual(body);
});

test('a list is left to the schema, its items untouched', () => {
  const untouchable = new Proxy([0], {
    ownKeys: () => {
      throw new Error('somebody asks for the members of a list');
    },
  });
  expect(prepareSettings(untouchable)).toBe(untouchable);
  expect(() => prepareSettings({ tensorFields: untouchable })).not.toThrow();
});

test('a name with an underscore is found in a list too', () => {
  expect(() => prepareSettings({ allFields: [{ name: 'a' }, { some_name: 1 }] })).toThrow(/some_name/);
});
