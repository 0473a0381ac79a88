import { expect, test } from 'vitest';
import { fieldsOf } from '../../src/documents/fields.js';
import { completed, completionsOf, typedAt } from '../../src/documents/filter-completion.js';

const fields = fieldsOf([
  { brand: 'Birch & Beam', price: 3, 'a name': 'x' },
  { brand: 'acme', price: 4 },
]);

/** Labels that are offered behind the end of a text. */
const offered = (filter: string) => {
  const typed = typedAt(filter, filter.length);
  return completionsOf(filter, typed, fields).map(({ label }) => label);
};

test('names of fields are offered first, then their values, then the words that join terms', () => {
  expect(offered('')).toEqual(['brand', 'price', 'a name']);
  expect(offered('br')).toEqual(['brand']);
  expect(offered('brand:')).toEqual(['Birch & Beam', 'acme']);
  expect(offered('brand:(bir')).toEqual(['Birch & Beam']);
  expect(offered('brand:acme ')).toEqual(['AND', 'OR']);
  expect(offered('brand:(Birch & Beam) ')).toEqual(['AND', 'OR']);
  expect(offered('brand:acme AND p')).toEqual(['price']);
  expect(offered('NOT (pr')).toEqual(['price']);
  expect(offered('nothing:')).toEqual([]);
});

test('a completion stands in place of what was typed, with a blank behind a whole term', () => {
  const filter = 'price:3 AND brand:bi';
  const typed = typedAt(filter, filter.length);
  const [only] = completionsOf(filter, typed, fields);
  if (only === undefined) throw new Error('nothing is offered');
  expect(completed(filter, typed, only)).toEqual({ filter: 'price:3 AND brand:(Birch & Beam) ', cursor: 33 });
});
