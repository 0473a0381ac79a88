import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteFile } from 'hyparquet-writer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ColumnKinds, readDocument } from '../../src/transfer/columns.js';
import { Csv, writeCsv } from '../../src/transfer/csv.js';
import { HEADER, headerFileOf } from '../../src/transfer/file-format.js';
import { Parquet, writeParquet } from '../../src/transfer/parquet.js';
import { Sealing } from '../../src/transfer/seal.js';
import type { Item, Source } from '../../src/transfer/source.js';
import { someDocuments } from './documents.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-tables-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function itemsOf(source: Source, skipped = 0): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source.items(skipped)) items.push(item);
  return items;
}

/** Members in the order of their names, numbers as they are spelt. */
function sorted(text: string): string {
  const members = Object.entries(readDocument(text)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(members));
}

/** The file of some documents, and what is read of it. */
async function crossed(format: 'csv' | 'parquet', texts: readonly string[]): Promise<Source> {
  const kinds = new ColumnKinds(format === 'parquet');
  for (const text of texts) kinds.see(readDocument(text));
  const header = { format: 1, index: 'a', settings: { model: 'm' }, columns: kinds.get() } as const;
  const [file, middle] = [join(folder, `x.${format}`), Math.ceil(texts.length / 2)];
  async function* batches() {
    yield texts.slice(0, middle).map(readDocument);
    yield texts.slice(middle).map(readDocument);
  }
  if (format === 'parquet') {
    await writeParquet(file, header, batches());
    return Parquet.open(file);
  }
  let table = '';
  for await (const part of writeCsv(header.columns, batches(), new Sealing())) table += part;
  await writeFile(file, table);
  await writeFile(headerFileOf(file), JSON.stringify({ [HEADER]: header }));
  return Csv.open(file, new Set());
}

test.each(['csv', 'parquet'] as const)('documents of any type come back exactly from %s', async (format) => {
  for (let seed = 0; seed < 40; seed += 1) {
    const documents = someDocuments(seed, seed % 13);
    const source = await crossed(format, documents);
    const items = await itemsOf(source);
    expect(items.map(({ problem }) => problem).filter(Boolean), `seed ${seed}`).toEqual([]);
    // Doubles of columns of their own may be spelt otherwise; they must be the same doubles, and not integers.
    const spelt = (text: string) => sorted(text).replaceAll(/-?\d+(\.\d+)?([eE][+-]?\d+)?/g, floatOf);
    expect(
      items.map(({ text }) => spelt(text)),
      `seed ${seed}`,
    ).toEqual(documents.map(spelt));
    expect(source.header).toMatchObject({ index: 'a', settings: { model: 'm' } });
    expect(await itemsOf(await crossed(format, documents), 3)).toEqual(items.slice(3));
  }
});

/** One spelling of each float; integers as they are. */
function floatOf(number: string): string {
  return /[.eE]/.test(number) ? `f${Object.is(Number(number), -0) ? '-0' : Number(number)}` : number;
}

async function csv(text: string, texts: readonly string[] = []): Promise<Item[]> {
  const file = join(folder, 'foreign.csv');
  await writeFile(file, text);
  return itemsOf(await Csv.open(file, new Set(texts)));
}

test('of other CSV files numbers, truth values, lists and objects are recognised, and texts that are named', async () => {
  const table = '\uFEFF_id,n,t,o,zip\r\n7,1.50,"a ""b""\nc","{""a"":1}",01234\r\n8,,true,{x,99\r\n';
  expect((await csv(table)).map(({ text }) => text)).toEqual([
    '{"_id":"7","n":1.50,"t":"a \\"b\\"\\nc","o":{"a":1},"zip":"01234"}',
    '{"_id":"8","t":true,"o":"{x","zip":99}',
  ]);
  expect((await csv(table, ['zip', 't'])).at(1)?.text).toBe('{"_id":"8","t":"true","o":"{x","zip":"99"}');
});

test('rows that cannot be read are told with their place, and the others are read', async () => {
  const items = await csv('_id,a\n1,x\n2,y,z\n3,a"b\n4,w\n');
  expect(items.filter(({ problem }) => problem === undefined).map(({ text }) => JSON.parse(text)._id)).toEqual([
    '1',
    '4',
  ]);
  const problems = items.flatMap(({ problem }) => problem ?? []);
  expect(problems.toSorted()).toEqual([
    expect.stringMatching(/^Line 4: Invalid Opening Quote/),
    'The row has 3 cells for 2 columns',
  ]);
  await expect(csv('_id,a\n1,"a"b\n2,c\n')).rejects.toThrow(/^Line 2 of .*Rows behind it cannot be told apart$/);
  await expect(csv('_id,a\n1,"a\n2,c\n')).rejects.toThrow('Quote Not Closed');
  await expect(csv('_id,a,a\n')).rejects.toThrow("names the column 'a' more than once");
});

test('of other Parquet files integers, floats, texts, lists and missing values are what they are', async () => {
  const file = join(folder, 'foreign.parquet');
  parquetWriteFile({
    filename: file,
    columnData: [
      { name: '_id', data: ['1', '2'], type: 'STRING' },
      { name: 'long', data: [9007199254740993n, -1n], type: 'INT64' },
      { name: 'int', data: [1, null as unknown as number], type: 'INT32' },
      { name: 'double', data: [1, -0], type: 'DOUBLE' },
      { name: 'bool', data: [true, false], type: 'BOOLEAN' },
      { name: 'map', data: [{ a: 1.5 }, { a: 2 }], type: 'JSON' },
    ],
  });
  expect((await itemsOf(await Parquet.open(file))).map(({ text }) => text)).toEqual([
    '{"_id":"1","long":9007199254740993,"int":1,"double":1.0,"bool":true,"map":{"a":1.5}}',
    '{"_id":"2","long":-1,"double":-0.0,"bool":false,"map":{"a":2}}',
  ]);
  await writeFile(file, 'no table');
  await expect(Parquet.open(file)).rejects.toThrow('is no Parquet file that can be read');
});
