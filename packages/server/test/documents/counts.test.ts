import { expect, test } from 'vitest';
import { countFound, countItems } from '../../src/documents/counts.js';

test('items are counted by the class of their status', () => {
  const items = [200, 200, 400, 429, 500].map((status) => ({ status, _id: 'x' }));
  expect(countItems(Buffer.from(JSON.stringify({ errors: true, items })))).toEqual({
    'x-count-success': '2',
    'x-count-failure': '2',
    'x-count-error': '1',
  });
});

test('missing documents and empty ids are failures, whatever texts the documents hold', () => {
  const results = [
    { _found: true, _id: 'a', text: 'says "_found":false and {"_found":false}' },
    { _id: 'b', status: 404, message: 'Document does not exist in the index', _found: false },
    { _id: '', status: 400, message: "Document ID can't be empty" },
    { _id: 'b', status: 404, message: 'Document does not exist in the index', _found: false },
  ];
  expect(countFound(Buffer.from(JSON.stringify({ errors: true, results })), ['a', 'b', '', 'b'])).toEqual({
    'x-count-success': '1',
    'x-count-failure': '3',
    'x-count-error': '0',
  });
});
