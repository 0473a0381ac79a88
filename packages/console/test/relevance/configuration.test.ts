import { expect, test } from 'vitest';
import { readWay, storingFault, waysOf } from '../../src/pages/relevance/configuration.js';

test('a stored configuration is written as somebody would, and read as it was stored', () => {
  const first = { index: 'gear', search: { searchMethod: 'LEXICAL', filter: 'a:(1) AND b:[1 TO *]' } };
  const second = { index: 'new', search: {} };
  const ways = waysOf({ name: 'a', limit: 20, first, second });
  expect(ways.map((way) => readWay(way))).toEqual([first, second]);
});

test.each([
  ['', '{}', 'Choose an index first'],
  ['gear', '{', 'This is no JSON yet'],
  ['gear', '[]', 'JSON'],
  ['gear', '{"q": "a"}', 'Leave q out'],
  ['gear', '{"modelAuth": {"s3": {}}}', 'Leave modelAuth out'],
  ['gear', '{"image_download_headers": {}}', 'Leave image_download_headers out'],
  ['gear', `{"filter": "${'a'.repeat(16_384)}"}`, 'at most 16,384 characters'],
])('of index %j the text %.40s cannot be stored', (index, text, fault) => {
  expect(readWay({ index, text }, storingFault)).toEqual({ fault: expect.stringContaining(fault) });
});

test('a secret keeps nobody from searching', () => {
  const search = { modelAuth: { s3: {} } };
  expect(readWay({ index: 'gear', text: JSON.stringify(search) })).toEqual({ index: 'gear', search });
});
