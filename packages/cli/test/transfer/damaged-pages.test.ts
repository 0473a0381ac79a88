import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ColumnMetaData, parquetMetadata, type SchemaElement, type SchemaTree } from 'hyparquet';
import { parquetWriteFile } from 'hyparquet-writer';
import { afterAll, expect, test } from 'vitest';
import { CompactReader } from '../../src/transfer/compact-thrift.js';
import { Parquet } from '../../src/transfer/parquet.js';
import { ReadingBudget } from '../../src/transfer/parquet-pages.js';
import { BadValue, speller } from '../../src/transfer/parquet-values.js';

const folder = mkdtempSync(join(tmpdir(), 'pelorus-pages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ROWS = 100;

/** The start of a column in a file, and of what is behind the header of its page. */
interface Place {
  readonly header: number;
  readonly body: number;
}

/** Reads all rows of a file whose column of numbers, one in two of them missing, was changed. */
async function rowsOf(change: (bytes: Buffer, place: Place) => void): Promise<number> {
  const filename = join(folder, 'pages.parquet');
  const rows = Array.from({ length: ROWS }, (_, at) => at);
  parquetWriteFile({
    filename,
    codec: 'UNCOMPRESSED',
    columnData: [
      { name: '_id', data: rows.map((row) => `d${row}`) },
      { name: 'n', type: 'DOUBLE', data: rows.map((row) => (row % 3 === 0 ? null : row / 2)) },
    ],
  });
  const bytes = await readFile(filename);
  const column = parquetMetadata(new Uint8Array(bytes)).row_groups[0]?.columns[1]?.meta_data as ColumnMetaData;
  const header = Number(column.dictionary_page_offset ?? column.data_page_offset);
  const reader = new CompactReader(bytes, header);
  reader.struct();
  change(bytes, { header, body: reader.offset });
  await writeFile(filename, bytes);
  let count = 0;
  for await (const items of (await Parquet.open(filename)).items(0)) count += items.length;
  return count;
}

test('a file whose pages are whole is read', async () => {
  expect(await rowsOf(() => {})).toBe(ROWS);
});

// Each makes a reader that trusts it take for ever, or all memory.
test.each<[change: string, change: (bytes: Buffer, place: Place) => void, problem: RegExp]>([
  [
    'a run of very many values',
    (bytes, { body }) => bytes.set([0xfe, 0xff, 0xff, 0xff, 7, 1], body),
    /a run has \d+ values/,
  ],
  [
    'a packed run without end',
    (bytes, { body }) => bytes.set([0xff, 0xff, 0xff, 0xff, 15], body),
    /a run has \d+ values/,
  ],
  ['levels that end too early', (bytes, { body }) => bytes.fill(0, body, body + 16), /a page has 0 of 100 levels/],
  [
    'a page that goes back',
    // The third field is the size, whose lowest bit is its sign.
    (bytes, { header }) => {
      const reader = new CompactReader(bytes, header);
      for (const _before of ['type', 'uncompressed size']) {
        reader.byte();
        reader.varint();
      }
      bytes[reader.offset + 1] = (bytes[reader.offset + 1] as number) | 1;
    },
    /the header of a page has -\d+ in its field 3/,
  ],
])('%s is refused', async (_name, change, problem) => {
  await expect(rowsOf(change)).rejects.toThrow(problem);
});

test.each<Partial<SchemaElement>>([
  { type: 'INT64' },
  { type: 'BOOLEAN' },
  { type: 'DOUBLE' },
  { type: 'BYTE_ARRAY' },
  { type: 'INT32', converted_type: 'DATE' },
  { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
  { type: 'INT32', converted_type: 'TIME_MILLIS' },
  { type: 'INT32', converted_type: 'DECIMAL', scale: 1, precision: 2 },
])('a group in the place of a value of %j is a bad value', (element) => {
  const node = { element: { name: 'n', ...element }, children: [], count: 1, path: ['n'] } as SchemaTree;
  for (const value of [{ a: 1 }, [1]]) expect(() => speller(node)(value)).toThrow(BadValue);
});

test('a file stands for so many values and no more', () => {
  const budget = new ReadingBudget(10);
  budget.take(2 ** 25, 2 ** 31);
  budget.take(10_240, 10_240);
  expect(() => budget.take(1, 0)).toThrow('more values than its size allows');
  expect(() => new ReadingBudget(10).take(0, 2 ** 31 + 10_241)).toThrow('more values than its size allows');
});
