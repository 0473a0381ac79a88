import { expect, test } from 'vitest';
import { convertedOf, fits, guessedType, likelyType } from '../../src/pages/data/import/cell-values.js';

test.each([
  ['decimalComma', ['84,19', '12'], [84.19, 12]],
  ['decimalComma', ['€ 1.231,54', '-€ 84,19', '€ 12'], [1231.54, -84.19, 12]],
  ['decimalComma', ['1\u202f231,54 €', '1\u202f000 €'], [1231.54, 1000]],
  ['decimalComma', ['0,123'], [0.123]],
  ['number', ['1,234.5', '1,234'], [1234.5, 1234]],
  ['number', ['$5.25', '$1,000,000'], [5.25, 1_000_000]],
  ['number', ['€ 12', '€ -84'], [12, -84]],
  ['number', ['12 EUR', '9 EUR'], [12, 9]],
  ['number', ['1.234', '5.678'], [1.234, 5.678]],
  ['truth', ['ja', 'Nein'], [true, false]],
  ['truth', ['WAHR', 'FALSCH'], [true, false]],
  ['truth', ['yes', 'no'], [true, false]],
  ['truth', ['true'], [true]],
  ['dayFirst', ['11.03.2024', '1.4.2024'], ['2024-03-11', '2024-04-01']],
  ['dayFirst', ['31/12/2024', '05/06/2024'], ['2024-12-31', '2024-06-05']],
  ['dayFirst', ['11.03.2024 8:30', '11.03.2024, 14:30:05 Uhr'], ['2024-03-11T08:30', '2024-03-11T14:30:05']],
  ['date', ['2024-03-11', '2024-03-11T14:30:05Z'], ['2024-03-11', '2024-03-11T14:30:05Z']],
] as const)('%s is the type of %j', (type, texts, values) => {
  expect(guessedType(texts)).toBe(type);
  expect(texts.map((text) => convertedOf(text, type))).toEqual(values);
});

test.each([
  [['1,234', '12,500']],
  [['1,234,567']],
  [['100.200.300', '100.200.400']],
  [['1,234.5', '1.234,5']],
  [['5.25', '84,19']],
  [['€ 1.234']],
  [['€ 12', '$ 12']],
  [['€ 12 €']],
  [['€']],
  [['01234', '84,19']],
  [['12.34.5', '1,5']],
  [['1,23,456.7']],
  [['ja', 'yes']],
  [['no', 'NO']],
  [['ja', 'nein', 'vielleicht']],
  [['05/06/2024', '07/08/2024']],
  [['12/31/2024', '01/02/2024']],
  [['31/12/2024', '01.02.2024']],
  [['31.02.2024']],
  [['11.03.2024 24:00']],
  [['11.03.24']],
  [['2024-03-11', '11.03.2024']],
])('%j stay texts', (texts) => {
  expect(guessedType(texts)).toBe('text');
});

test('a number in doubt is read as the chosen type says', () => {
  expect(convertedOf('1,234', 'number')).toBe(1234);
  expect(convertedOf('1,234', 'decimalComma')).toBe(1.234);
  expect(convertedOf('84,19', 'number')).toBeUndefined();
  expect(convertedOf('84.19', 'decimalComma')).toBeUndefined();
  expect(convertedOf('1e3', 'number')).toBe(1000);
  expect(convertedOf('1e999', 'number')).toBeUndefined();
});

test('a text that is no date fits no type of dates, and stays one', () => {
  expect(convertedOf('bald', 'dayFirst')).toBe('bald');
  expect(convertedOf('bald', 'date')).toBe('bald');
  expect(fits('bald', 'dayFirst')).toBe(false);
  expect(fits('11.03.2024', 'date')).toBe(false);
  expect(fits('05/06/2024', 'dayFirst')).toBe(true);
});

const ten = (text: string) => Array.from({ length: 10 }, (_, place) => text.replace('#', String(place + 1)));

test.each([
  ['decimalComma', [...ten('#,90'), 'auf Anfrage']],
  ['decimalComma', [...ten('#,90 €'), '89,00']],
  ['number', [...ten('#.50'), '-']],
  ['number', [...ten('#'), 'n/a']],
  ['truth', [...ten('ja'), 'nein', 'vielleicht']],
  ['dayFirst', [...ten('#.3.2024'), 'bald']],
] as const)('%s is told as the type of most of %j', (type, texts) => {
  expect(guessedType(texts)).toBe('text');
  expect(likelyType(texts)).toBe(type);
});

test.each([
  ['fewer than nine of ten', [...ten('#'), 'a', 'b']],
  ['fewer than ten values', ['1', '2', '3', 'a']],
  ['postcodes', [...ten('1230#').map((text) => text.slice(0, 5)), '01234']],
  ['dates among numbers', [...ten('20#'), '1.2.2024']],
  ['two currencies', [...ten('€ #'), '$ 1']],
  ['numbers in doubt', [...ten('#,234'), 'soon']],
  ['texts', ten('Lamp #')],
])('no type is told of %s', (_title, texts) => {
  expect(likelyType(texts)).toBeUndefined();
});
