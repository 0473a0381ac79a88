import { expect, test } from 'vitest';
import { isObjectBytes, toBytes, withMembers } from '../../src/http/body.js';

test('members join an object at its end', () => {
  const bytes = withMembers(Buffer.from('{"hits":[]}'), { a: 1, b: 'ü' });
  expect(bytes.toString()).toBe('{"hits":[],"a":1,"b":"ü"}');
});

test('an empty object takes members, no members change nothing', () => {
  expect(withMembers(Buffer.from('{}'), { a: 1 }).toString()).toBe('{"a":1}');
  const bytes = Buffer.from('{"a":1}');
  expect(withMembers(bytes, {})).toBe(bytes);
});

test('only objects take members', () => {
  expect(isObjectBytes(toBytes({}))).toBe(true);
  for (const value of [[], 'text', 5, null]) expect(isObjectBytes(toBytes(value))).toBe(false);
});
