import { describe, expect, test } from 'vitest';
import { operationsOf } from '../../src/app.js';
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

test('the query keeps its question mark', () => {
  expect(splitTarget('/a?b=c?d')).toEqual({ path: '/a', query: '?b=c?d' });
});
