import { fieldNameProblem } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { fieldNamesOf, isFieldName, nameFaultsOf } from '../../src/pages/data/import/field-names.js';

test.each([
  ['Verfügbar seit', 'Verfuegbar_seit'],
  ['Verfu\u0308gbar seit', 'Verfuegbar_seit'],
  ['Auf Lager?', 'Auf_Lager'],
  ['Größe (cm)', 'Groesse_cm'],
  ['État', 'Etat'],
  ['Łódź', 'Lodz'],
  ['2. Preis', '_2_Preis'],
  ['a.b', 'a_b'],
  ['_score', 'score'],
  ['marqo__x', 'x'],
  ['価格', 'column_1'],
])('the column %s is proposed as the field %s', (column, field) => {
  expect(fieldNamesOf([column])).toEqual(new Map([[column, field]]));
  expect(fieldNameProblem(field)).toBeUndefined();
});

test('proposals are unlike each other and the names that stay', () => {
  expect([...fieldNamesOf(['Preis €', 'Preis', 'Preis ($)', '_id', 'Preis_2'])]).toEqual([
    ['Preis €', 'Preis_3'],
    ['Preis ($)', 'Preis_4'],
  ]);
});

test('the form and the server allow the same names', () => {
  const tried = ['a', '_a', 'A1', '1a', 'ä', 'a b', 'a-b', '', 'a.b', 'marqo__', 'marqo__a', 'marqo_a'];
  const reserved = ['_id', '_tensor_facets', '_highlights', '_score', '_found', '_embedding', '_tensors'];
  for (const name of [...tried, ...reserved, '_ids']) {
    expect(isFieldName(name), name).toBe(fieldNameProblem(name) === undefined);
  }
});

test('a name that is not allowed is told at its column, unless that is no field', () => {
  const columns = ['Größe', 'Länge', 'price'];
  const plan = (size: string) => ({
    id: undefined,
    keepsId: false,
    leftOut: [],
    names: new Map([...fieldNamesOf(columns), ['Größe', size]]),
  });
  const fault = (size: string) => nameFaultsOf(columns, plan(size)).get('Größe');
  expect(fault('size')).toBeUndefined();
  expect(fault('the size')).toContain('digits and underscores');
  expect(fault('_id')).toContain('the server uses itself');
  expect(fault('price')).toContain('price becomes a field of this name');
  expect(fault('Laenge')).toContain('Länge becomes a field of this name');
  expect(nameFaultsOf(columns, { ...plan('Laenge'), leftOut: ['Länge'] }).size).toBe(0);
  expect(nameFaultsOf(columns, { ...plan('the size'), id: 'Größe' }).size).toBe(0);
  expect(nameFaultsOf(columns, { ...plan('the size'), id: 'Größe', keepsId: true }).size).toBe(1);
});
