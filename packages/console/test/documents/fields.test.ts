import { expect, test } from 'vitest';
import { exampleOf, fieldsOf, filterTerm, withTerm } from '../../src/documents/fields.js';

test('fields are those of all documents, with their kinds and most frequent values', () => {
  const fields = fieldsOf([
    { _id: '1', _score: 1, brand: 'acme', price: 3, tags: ['a', 'b'], text: 'x'.repeat(60) },
    { _id: '2', brand: 'acme', price: 4.5, tags: ['b'], sizes: { s: 1 }, mixed: 1 },
    { _id: '3', brand: 'other', rated: true, mixed: 'one', numbers: [1, 2] },
  ]);
  const told = Object.fromEntries(fields.map(({ name, kind, values }) => [name, [kind, ...values]]));
  expect(told).toEqual({
    brand: ['text', 'acme', 'other'],
    price: ['number', '3', '4.5'],
    tags: ['texts', 'b', 'a'],
    text: ['text'],
    sizes: ['map'],
    mixed: ['mixed', '1', 'one'],
    rated: ['truth', 'true'],
    numbers: ['numbers', '1', '2'],
  });
});

test('fields of dates are those whose texts all are days or instants', () => {
  const values = {
    ...{ day: ['2024-02-29', '2025-01-01'], instant: ['2024-02-29T12:00:00Z', '2025-01-01T08:30+01:00'] },
    ...{ numbered: [20240229, 20250101], spoken: ['2024-02-29', 'bald'], wrong: ['2024-13-01', '2025-01-01'] },
    ...{ mixed: ['2024-02-29', 5], long: ['2024-02-29', 'x'.repeat(60)] },
  };
  const documents = [0, 1].map((at) =>
    Object.fromEntries(Object.entries(values).map(([name, two]) => [name, two[at]])),
  );
  expect(fieldsOf(documents).flatMap(({ name, isDate }) => (isDate ? [name] : []))).toEqual(['day', 'instant']);
});

test('counts are offered of short values that repeat, and of no long or nearly different ones', () => {
  const documents = Array.from({ length: 20 }, (_, place) => ({
    _id: String(place),
    brand: place % 2 === 0 ? 'Birch' : 'Oak',
    tags: [place % 2 === 0 ? 'blue' : 'grey', 'sale'],
    name: `Chair ${place}`,
    // Most are long, and the few short ones repeat.
    description: place < 4 ? 'to follow' : `${place} ${'a long text to be read '.repeat(5)}`,
    path: place === 0 ? 'a very long path '.repeat(5) : 'Home > Chairs',
  }));
  const repeating = fieldsOf(documents).flatMap(({ name, repeats }) => (repeats ? [name] : []));
  expect(repeating).toEqual(['brand', 'tags', 'path']);
});

test('the example of a filter is one of the index, where its fields allow one', () => {
  const documents = ['Oak', 'Oak', 'Birch'].map((wood, place) => ({
    _id: String(place),
    wood,
    price: place,
    no: `N${place}`,
  }));
  expect(exampleOf(fieldsOf(documents))).toBe('wood:Oak AND price:[10 TO 20]');
  expect(exampleOf(fieldsOf([{ _id: '1', price: 1 }]))).toBe('price:[10 TO 20]');
  expect(exampleOf([])).toBe('brand:acme AND price:[10 TO 20]');
});

test('a term names a value whatever characters it has', () => {
  expect(filterTerm('brand', 'acme')).toBe('brand:acme');
  expect(filterTerm('brand', 'Birch & Beam')).toBe('brand:(Birch & Beam)');
  expect(filterTerm('a b:c', 'x) OR y:(z')).toBe('a\\ b\\:c:(x\\) OR y:(z)');
  expect(filterTerm('path', 'C:\\x')).toBe('path:(C:\\\\x)');
});

test('a term is added once, and to a whole filter of alternatives', () => {
  expect(withTerm('', 'a:1')).toBe('a:1');
  expect(withTerm('a:1', 'b:2')).toBe('a:1 AND b:2');
  expect(withTerm('a:1 AND b:2', 'b:2')).toBe('a:1 AND b:2');
  expect(withTerm('a:1 OR b:2', 'c:3')).toBe('(a:1 OR b:2) AND c:3');
});
