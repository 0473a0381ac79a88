import { expect, test } from 'vitest';
import { asksForPage } from '../../src/http/page-request.js';

test.each([
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'text/html, application/xhtml+xml, image/jxr, */*',
  'text/html',
  'TEXT/HTML;charset=utf-8',
  'application/json;q=0.1, text/html;q=0.2',
  'text/html;q=0.5, application/json;q=0, */*',
  'text/plain;about="a, \\"b;q=1", text/html; Q=0.7',
])('%s asks for a page', (accept) => {
  expect(asksForPage(accept)).toBe(true);
});

test.each([
  undefined,
  '',
  '*/*',
  'text/*',
  'application/json',
  'application/json, text/plain, */*',
  'text/html;q=0',
  'text/html;q=0.000, */*;q=0',
  'text/html;q=2',
  'text/html;q="1"',
  'application/json, text/html;q=0.1',
  'text/html, application/json',
  'text/html;q=0.5, */*',
  'text/html;q=0.5, application/*',
  'text/htmlx',
  'application/xhtml+xml',
  'application/json;profile="text/html"',
  'application/json;profile="a,text/html,b"',
  'text/plain;profile=",text/html',
])('%s asks for none', (accept) => {
  expect(asksForPage(accept)).toBe(false);
});
