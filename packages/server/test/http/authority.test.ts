import { expect, test } from 'vitest';
import { isOriginOf, readAuthority } from '../../src/http/authority.js';

test.each([
  ['localhost', 'localhost', ''],
  ['LocalHost:8882', 'localhost', '8882'],
  ['search.example.:80', 'search.example', '80'],
  ['my_service:', 'my_service', ''],
  ['127.0.0.1:8882', '127.0.0.1', '8882'],
  ['[::1]:8882', '[::1]', '8882'],
  ['[FE80::1]', '[fe80::1]', ''],
  ['[::ffff:127.0.0.1]', '[::ffff:127.0.0.1]', ''],
])('%s is host %s and port "%s"', (text, host, port) => {
  expect(readAuthority(text)).toEqual({ host, port });
});

test.each([
  '',
  ' ',
  'a b',
  'a,b',
  'user@host',
  'a:b',
  'a:1:2',
  '::1',
  '[::1',
  '[]',
  '[1]',
  '[::1]x',
  'a/b',
  'a?b',
  'a#b',
  'a%2e',
  'http://a',
])('"%s" is neither a name nor an address', (text) => {
  expect(readAuthority(text)).toBeUndefined();
});

test.each([
  ['localhost:8882', 'http://localhost:8882', true],
  ['LOCALHOST:8882', 'http://localhost:8882', true],
  ['localhost', 'http://localhost:80', true],
  ['localhost:80', 'http://localhost', true],
  ['search.example', 'https://search.example', true],
  ['search.example:443', 'https://search.example', true],
  ['[::1]:8882', 'http://[::1]:8882', true],
  ['localhost:8882', 'http://localhost', false],
  ['localhost:8882', 'http://localhost:3000', false],
  ['localhost:443', 'http://localhost', false],
  ['localhost:8882', 'http://127.0.0.1:8882', false],
  ['localhost:8882', 'http://evil.test:8882', false],
  ['localhost:8882', 'http://localhost:8882.evil.test', false],
  ['localhost:8882', 'http://localhost:8882@evil.test', false],
  ['localhost:8882', 'null', false],
  ['localhost:8882', 'localhost:8882', false],
  ['localhost:8882', '', false],
])('to a server called %s, a page of %s is of its own site: %s', (host, origin, isOwn) => {
  expect(isOriginOf(readAuthority(host) as { host: string; port: string }, origin)).toBe(isOwn);
});
