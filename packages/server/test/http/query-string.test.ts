import { expect, test } from 'vitest';
import { parseQueryString } from '../../src/http/query-string.js';

test.each([
  ['&device=cpu', { device: 'cpu' }],
  ['device=cpu&device=cuda1', { device: 'cuda1' }],
  ['a=%C3%BC+x&=y', { a: 'ü x' }],
  ['expose_facets', { expose_facets: '' }],
  ['', {}],
])('%j reads as %j', (text, expected) => {
  expect({ ...parseQueryString(text) }).toEqual(expected);
});

test('a name like __proto__ is just a name', () => {
  expect(Object.keys(parseQueryString('__proto__=1'))).toEqual(['__proto__']);
});
