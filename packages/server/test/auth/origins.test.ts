import { expect, test } from 'vitest';
import { isListed, readOriginPattern } from '../../src/auth/origins.js';

test.each<[string, string | undefined]>([
  ['https://shop.example', 'https://shop.example'],
  ['https://shop.example/', 'https://shop.example'],
  ['HTTPS://Shop.Example', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['https://*.shop.example', 'https://*.shop.example'],
  ['https://*.shop.example:8443', 'https://*.shop.example:8443'],
  ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
  ['http://*.localhost:3000', 'http://*.localhost:3000'],
  ['https://*.shop.co.uk', 'https://*.shop.co.uk'],
  ['https://*.com.example', 'https://*.com.example'],
  ['https://*.com', undefined],
  ['https://*.com.', undefined],
  ['https://*.com:8443', undefined],
  ['https://*.co.uk', undefined],
  ['https://*.com.au', undefined],
  ['https://*.[::1]', undefined],
  ['*', undefined],
  ['https://*', undefined],
  ['https://*.', undefined],
  ['https://a.*.example', undefined],
  ['https://sh*p.example', undefined],
  ['https://**.example', undefined],
  ['null', undefined],
  ['', undefined],
  ['shop.example', undefined],
  ['ftp://shop.example', undefined],
  ['https://', undefined],
  ['https://shop.example/path', undefined],
  ['https://shop.example?q', undefined],
  ['https://user@shop.example', undefined],
  ['https://a b', undefined],
  ['javascript:alert(1)', undefined],
])('the entry %j is compared as %j', (text, pattern) => {
  expect(readOriginPattern(text)).toBe(pattern);
});

const exact = ['https://shop.example', 'https://shop.example:8443', 'http://localhost:3000'];
const any = ['https://*.shop.example', 'http://*.dev.example:8080'];

test.each([
  [exact, 'https://shop.example'],
  [exact, 'https://shop.example:8443'],
  [exact, 'http://localhost:3000'],
  [any, 'https://www.shop.example'],
  [any, 'https://a.b-c.shop.example'],
  [any, 'http://x.dev.example:8080'],
])('%j lets in %s', (patterns, origin) => {
  expect(isListed(origin, patterns)).toBe(true);
});

test.each([
  'null',
  '',
  'https://',
  'http://shop.example',
  'https://SHOP.example',
  'https://shop.example.',
  'https://shop.example:443',
  'https://shop.example:8444',
  'https://shop.example.evil.test',
  'https://evilshop.example',
  'https://shop.example/',
  'https://shop.example, https://evil.test',
  'https://shop.example https://evil.test',
  'https://user@shop.example',
  'https://shop.exampl',
  'https://xn--shp-tna.example',
  'http://localhost',
  'http://127.0.0.1:3000',
  'https://.shop.example',
  'https://*.shop.example',
  'https://www.shop.example:8443',
  'http://www.shop.example',
  'https://www.shop.example.evil.test',
  'https://evil.test/.shop.example',
  'https://evil.test#.shop.example',
  'https://evil.test:80.shop.example',
  'https://user@www.shop.example',
  'https://www..shop.example',
  'https://wwwshop.example',
  'http://x.dev.example',
  'file://shop.example',
])('none lets in %j', (origin) => {
  expect(isListed(origin, [...exact.filter((one) => one !== origin), ...any.filter((one) => one !== origin)])).toBe(
    false,
  );
});
