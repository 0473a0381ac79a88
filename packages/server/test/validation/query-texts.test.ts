import { expect, test } from 'vitest';
import { checkQueryText, QUERY_TEXT_LENGTH_MAX, shownDataUri } from '../../src/validation/query-texts.js';

test.each([
  'data:image/png;base64,A',
  '\n data:image/png;base64,A',
  'DATA:IMAGE/png;base64,A',
  '\ufeffdata: image;base64,A',
])('a data URI is shown without its data and may be long: %j', (text) => {
  expect(shownDataUri(text)).toBe('data:image/[omitted]');
  expect(() => checkQueryText('q', text + 'A'.repeat(QUERY_TEXT_LENGTH_MAX))).not.toThrow();
});

test.each([
  '"data: image;base64,A"',
  '\u201edata:image/png;base64,A\u201c',
  '\u200e{data:image/png;base64,A}',
  'url(data:image/png;base64,A)',
  '<img src="data:image/png;base64,A">',
  '&quot;data:image/png;base64,A&quot;',
  `${'\n'.repeat(10_000)}data:image/png;base64,A`,
])('a data URI in quotes, brackets or markup is shown without its data: %j', (text) => {
  expect(shownDataUri(text)).toBe('data:image/[omitted]');
  expect(shownDataUri(text.replace('A', 'A'.repeat(10_000)))).toBe('data:image/[omitted]');
});

test('the type of other data is not told', () => {
  expect(shownDataUri('data:application/octet-stream;base64,A')).toBe('data:[omitted]');
  expect(shownDataUri('data:;base64,A')).toBe('data:[omitted]');
});

test.each(['a picture, data:image/png;base64,A', 'data:text/plain,A', 'data', ''])(
  'another text is not: %j',
  (text) => {
    expect(shownDataUri(text)).toBeUndefined();
    expect(() => checkQueryText('q', text + 'A'.repeat(QUERY_TEXT_LENGTH_MAX + 1))).toThrow(
      'more than the allowed limit',
    );
  },
);
