import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import type { FileRow } from '../../src/pages/data/files/file-row.js';
import { openFile, sampleOf } from '../../src/pages/data/files/table-file.js';

const fileOf = (content: BlobPart, name = 'file') => new File([content], name);

async function rowsOf(content: BlobPart): Promise<FileRow[]> {
  return Array.fromAsync((await openFile(fileOf(content))).rows());
}

const fieldsOf = async (content: BlobPart) => (await rowsOf(content)).map(({ fields, fault }) => fields ?? fault);

test.each([
  ['commas and quotes', 'a,b\r\n1,"x, ""y""\nz"\r\n', [{ a: '1', b: 'x, "y"\nz' }]],
  [
    'semicolons, and no end of the last line',
    'a;b\n1;2\n3;4',
    [
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ],
  ],
  ['tabs, blank cells and blank lines', 'a\tb\n\t2\n\n1\t""\n', [{ b: '2' }, { a: '1' }]],
  ['a mark of the byte order', '\uFEFFa,b\n1,2\n', [{ a: '1', b: '2' }]],
  ['one column', 'a\nx y\n', [{ a: 'x y' }]],
  ['names without rows', 'a,b', []],
])('CSV with %s is read', async (_title, text, expected) => {
  expect(await fieldsOf(text)).toEqual(expected);
});

test('a row of another length fails alone, by the line that it begins in', async () => {
  const rows = await rowsOf('a,b\n"1\n1",2\n3\n4,5\n');
  expect(rows.map(({ row }) => row)).toEqual([2, 4, 5]);
  expect(rows[1]?.fault).toBe('The row has 1 cell, the first line has 2.');
});

test('CSV is the same in whatever pieces it comes', async () => {
  const text = 'näme,b\r\n"é ""x""\r\n",2\r\n';
  const file = fileOf(text);
  const bytes = new TextEncoder().encode(text);
  const stream = () =>
    new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
  Object.defineProperty(file, 'stream', { value: stream });
  const rows = await Array.fromAsync((await openFile(file)).rows());
  expect(rows.map(({ fields }) => fields)).toEqual([{ näme: 'é "x"\r\n', b: '2' }]);
});

test.each([
  ['an array', '[{"a": 1}, {"a": null, "b": [2]}, 3]', [{ a: 1 }, { b: [2] }, 'This is no object with fields.']],
  ['lines', '{"a": 1}\n\n{"a": 2}', [{ a: 1 }, { a: 2 }]],
  ['one object over lines', '{\n"a": 1\n}\n', [{ a: 1 }]],
])('JSON as %s is read', async (_title, text, expected) => {
  expect(await fieldsOf(text)).toEqual(expected);
});

test('a broken line of JSON fails alone', async () => {
  const rows = await rowsOf('{"a": 1}\n{"a": \n{"a": 3}\n');
  expect(rows.map(({ fault }) => fault !== undefined)).toEqual([false, true, false]);
});

test('Parquet is read with its types', async () => {
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'id', data: ['a', 'b'], type: 'STRING' },
      { name: 'count', data: [1n, 2n ** 60n], type: 'INT64' },
      { name: 'price', data: [1.5, null], type: 'DOUBLE', nullable: true },
    ],
  });
  expect(await fieldsOf(bytes)).toEqual([
    { id: 'a', count: 1, price: 1.5 },
    { id: 'b', count: String(2n ** 60n) },
  ]);
});

test.each<[string, BlobPart, RegExp]>([
  ['nothing', '', /is empty/],
  ['a spreadsheet', 'PK\u0003\u0004xxxx', /save the sheet as CSV/],
  ['a compressed file', Uint8Array.of(0x1f, 0x8b, 8, 0), /Unpack it first/],
  ['a program', Uint8Array.of(0x7f, 0x45, 0, 0), /no text and no Parquet/],
  ['an encoding of DOS', Uint8Array.of(0x61, 0x0a, 0x81, 0x0a), /encoding UTF-8; Excel calls that “CSV UTF-8”/],
  ['damaged UTF-8', Uint8Array.of(0x61, 0x0a, 0xc3, 0xa4, 0xc3, 0xb6, 0xe9, 0x0a), /encoding UTF-8/],
  ['JSON in another encoding', Uint8Array.of(0x5b, 0x22, 0xe9, 0x22, 0x5d), /encoding UTF-8/],
  ['a quote without an end', 'a,b\n1,"2\n3,4\n', /begins in line 2 never ends/],
  ['a column without a name', 'a,,b\n1,2,3\n', /Column 2 has no name/],
  ['two columns of one name', 'a,b,a\n1,2,3\n', /Two columns have the name a/],
  ['a broken array', '[{"a": 1}, {', /This is no JSON/],
  ['Parquet that is cut off', 'PAR1 and nothing else', /damaged or cut off/],
])('%s is told in a sentence', async (_title, content, told) => {
  await expect(rowsOf(content)).rejects.toThrow(told);
});

test.each([
  ['at once', ''],
  ['far behind the first pieces', '1;2\n'.repeat(300_000)],
])('CSV in Windows-1252 is read, and says so, where its first such letter comes %s', async (_title, before) => {
  const text = (words: string) => Uint8Array.from(words, (character) => character.charCodeAt(0));
  const file = await openFile(fileOf(new Blob([text(`a;b\n${before}M\u00f6bel;9,90 `), Uint8Array.of(0x80, 0x0a)])));
  expect(file.encoding).toBe('windows-1252');
  const rows = await Array.fromAsync(file.rows());
  expect(rows.at(-1)?.fields).toEqual({ a: 'Möbel', b: '9,90 €' });
});

test('CSV in UTF-8 says nothing of its encoding', async () => {
  expect(await openFile(fileOf('Möbel;€\n1;2\n'))).not.toHaveProperty('encoding');
  expect(await openFile(fileOf('a;b\n1;2\n'))).not.toHaveProperty('encoding');
});

test.each([
  ['names alone', 'a;b\n', /no rows: its one line is taken for the names/],
  ['an empty array', '[]', /has no rows/],
])('a file with %s is told to have no rows', async (_title, text, told) => {
  await expect(sampleOf(await openFile(fileOf(text)))).rejects.toThrow(told);
});
