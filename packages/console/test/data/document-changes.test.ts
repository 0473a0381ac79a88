import { expect, test } from 'vitest';
import { changeOf } from '../../src/pages/data/document-changes.js';

const stored = { _id: '1', title: 'Orbit', price: 3, tags: ['a', 'b'], sizes: { s: 1, m: 2 } };

test('fields without vectors are changed alone, and those that are gone removed', () => {
  const edited = { _id: '1', title: 'Orbit', price: 4, tags: ['a', 'b'], sizes: { m: 2, s: 1 }, brand: 'acme' };
  expect(changeOf(stored, edited, ['title'])).toEqual({
    kind: 'update',
    changes: { _id: '1', price: 4, brand: 'acme' },
  });
  const { price: _price, ...without } = edited;
  expect(changeOf(stored, without, ['title'])).toMatchObject({ changes: { price: null } });
});

test('a document whose text with vectors changes is stored anew', () => {
  expect(changeOf(stored, { ...stored, title: 'Other' }, ['title'])).toEqual({
    ...{ kind: 'replace', document: { ...stored, title: 'Other' }, tensorFields: ['title'] },
  });
});

test('nothing is sent where nothing changed, or where other vectors would be lost', () => {
  expect(changeOf(stored, { ...stored, tags: ['a', 'b'] }, ['title']).kind).toBe('none');
  const combined = changeOf(stored, { ...stored, title: 'Other' }, ['title', 'combination']);
  expect(combined).toEqual({ kind: 'refused', field: 'combination' });
});
