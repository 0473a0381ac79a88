import { expect, test } from 'vitest';
import { operations, targetOf } from '../src/index.js';

test('the parameters of a target are encoded, so that none leads to another path', () => {
  const target = (documentId: string) => targetOf(operations.getDocument, { indexName: 'shop', documentId });
  expect(target('a')).toBe('/indexes/shop/documents/a');
  expect(target('../delete-all?x=/#y')).toBe('/indexes/shop/documents/..%2Fdelete-all%3Fx%3D%2F%23y');
  expect(target('{indexName}')).toBe('/indexes/shop/documents/%7BindexName%7D');
});

test('a query is that of the caller, encoded, and left out where it is empty', () => {
  const target = (query: string) => targetOf(operations.getRoot, {}, new URLSearchParams(query));
  expect([target(''), target('telemetry=true&device=a%20b')]).toEqual(['/', '/?telemetry=true&device=a+b']);
});

test('a parameter that is missing is a fault of who calls', () => {
  expect(() => targetOf(operations.getIndex, {})).toThrow("getIndex is called without 'indexName'");
});
