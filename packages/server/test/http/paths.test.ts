import { describe, expect, test } from 'vitest';
import { operationsOf } from '../../src/app.js';
import { endpointOperations } from '../../src/hosted/endpoint-operations.js';
import { KnownPaths, routeUrl, splitTarget } from '../../src/http/paths.js';

const paths = new KnownPaths(operationsOf('search'));

test('an id takes the rest of the path, other parameters one segment', () => {
  expect(routeUrl('/indexes/{indexName}/documents/{documentId}')).toBe('/indexes/:indexName/documents/*');
});

test.each([
  ['/indexes', ['GET']],
  ['/indexes/a', ['GET', 'POST', 'DELETE']],
  ['/indexes/a/documents', ['POST', 'PATCH', 'PUT', 'GET']],
  ['/indexes/a/documents/x/y', ['GET']],
  ['/indexes/a/documents/get-batch', ['POST', 'GET']],
  ['/indexes/a/refresh', []],
  ['/', ['GET']],
  ['', []],
])('%s answers to %j', (path, methods) => {
  expect(paths.methodsOf(path).toSorted()).toEqual(methods.toSorted());
});

describe('a slash too many', () => {
  test.each([
    ['/indexes/', '/indexes'],
    ['/indexes/a/stats/?telemetry=true', '/indexes/a/stats?telemetry=true'],
    ['/indexes/a/documents/x/', '/indexes/a/documents/x'],
  ])('%s goes to %s', (target, expected) => {
    expect(paths.withoutTrailingSlash(target)).toBe(expected);
  });
  test.each(['/', '/indexes', '/nope/', '//evil.example/', '/?a=/'])('%s stays', (target) => {
    expect(paths.withoutTrailingSlash(target)).toBeUndefined();
  });
});

describe('slashes in a row', () => {
  const hosted = new KnownPaths(endpointOperations);
  test.each([
    ['//', '/'],
    ['//indexes', '/indexes'],
    ['///indexes//a///stats//?q=a//b', '/indexes/a/stats/?q=a//b'],
    ['//indexes/a//documents/x//y?a=//', '/indexes/a/documents/x//y?a=//'],
  ])('%s is %s', (target, expected) => {
    expect(paths.withoutRepeatedSlashes(target)).toBe(expected);
  });
  test('are one in the path of an endpoint as well', () => {
    expect(hosted.withoutRepeatedSlashes('//e//i//indexes/a/documents/x//y')).toBe('/e/i/indexes/a/documents/x//y');
    expect(hosted.withoutRepeatedSlashes('/e/i//')).toBe('/e/i/');
  });
  test.each([
    '/indexes?q=//',
    '/indexes/a%2F%2Fb/stats',
    '/indexes/a/documents/https://shop.example/p//1',
    '/indexes/a/documents//x',
    'http://localhost//indexes',
    '*',
  ])('%s stays', (target) => {
    expect(paths.withoutRepeatedSlashes(target)).toBe(target);
  });
});

test('the query keeps its question mark', () => {
  expect(splitTarget('/a?b=c?d')).toEqual({ path: '/a', query: '?b=c?d' });
});
