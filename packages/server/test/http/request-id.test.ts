import { expect, test } from 'vitest';
import { requestIdOf } from '../../src/http/request-id.js';

const idOf = (given?: string | string[]) => requestIdOf({ headers: { 'x-request-id': given } });

test.each(['1', '7b3f8c1e-0d2a-4f5b-9c6d-1e2f3a4b5c6d', 'Root=1-67891233-abcdef', 'a'.repeat(128)])(
  'a request that is called %s keeps its id',
  (given) => {
    expect(idOf(given)).toBe(given);
  },
);

test.each([undefined, '', 'a b', 'a\nb', 'ü', '"', '<script>', 'a'.repeat(129), ['a', 'b']])(
  'one that is called %j gets another',
  (given) => {
    expect(idOf(given)).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  },
);

test('no two requests get the same', () => {
  expect(idOf()).not.toBe(idOf());
});
