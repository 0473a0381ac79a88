import { expect, test } from 'vitest';
import { columnsRead, readFailureOf } from '../../src/pages/data/import/first-look.js';

const look = async (content: BlobPart) =>
  (await columnsRead(new File([content], 'goods.csv'))).map(({ name, share }) => [name, share]);

test('a file is looked at before an index is made for it', async () => {
  expect(await look('a;b\n1;2\n3;\n')).toEqual([
    ['a', 1],
    ['b', 0.5],
  ]);
  expect(await look('[{"a": 1}, {"b": 2}]')).toEqual([
    ['a', 0.5],
    ['b', 0.5],
  ]);
});

test.each([
  ['nothing', '', /is empty/],
  ['a picture', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0), /no text and no Parquet/],
  ['broken JSON', '[{"a": 1}, {', /This is no JSON/],
  ['names alone', 'a;b\n', /has no rows/],
  ['broken rows alone', 'a;b\n1\n2\n', /Line or row 2: The row has 1 cell, the first line has 2/],
])('%s gets no index', async (_title, content, told) => {
  await expect(look(content)).rejects.toThrow(told);
});

test('a file that cannot be read is named, with the reason', () => {
  expect(readFailureOf('goods.csv', new Error('It is empty.'))).toMatchObject({
    ...{ message: 'goods.csv cannot be imported', advice: 'It is empty.' },
  });
});
