import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { detectFormat } from '../../src/transfer/format-detection.js';
import { elementsOf, startsArray } from '../../src/transfer/json-array.js';
import { JsonLines } from '../../src/transfer/json-lines.js';
import type { Item } from '../../src/transfer/source.js';
import { someDocuments } from './documents.js';
import { oneByOne } from './one-by-one.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-array-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function itemsOf(bytes: Buffer | string, skipped = 0): Promise<Item[]> {
  const file = join(folder, 'x.json');
  await writeFile(file, bytes);
  const { compression } = await detectFormat(file, undefined);
  const items: Item[] = [];
  for await (const item of oneByOne((await JsonLines.open(file, compression)).items(skipped))) items.push(item);
  return items;
}

const textsOf = async (bytes: Buffer | string) => (await itemsOf(bytes)).map(({ text }) => text);

test('the elements of a list are its documents, as they are spelt, however it is written', async () => {
  const documents = someDocuments(5, 30);
  for (const [open, between, close] of [
    ['[', ',', ']'],
    ['\uFEFF [\n  ', ' ,\n  ', '\n]\n\n'],
    ['[\r\n', ',\r\n', ',\r\n]'],
  ]) {
    const list = Buffer.from(`${open}${documents.join(between)}${close}`);
    expect(await textsOf(list)).toEqual(documents);
    expect(await textsOf(gzipSync(list))).toEqual(documents);
    expect(await textsOf(zstdCompressSync(list))).toEqual(documents);
  }
  expect(await textsOf(Buffer.from(`\uFEFF[${documents.join(',')}]`, 'utf16le'))).toEqual(documents);
  expect(await itemsOf(`[${documents.join(',')}]`, 28)).toEqual([
    { place: 29, text: documents[28] },
    { place: 30, text: documents[29] },
  ]);
  expect(await textsOf('[]')).toEqual([]);
  expect(await textsOf('[{},1,{"a":[{}]}]')).toEqual(['{}', '1', '{"a":[{}]}']);
});

test('a list is read alike wherever its chunks are cut', async () => {
  const documents = someDocuments(7, 6);
  const bytes = Buffer.from(` [${documents.join(', ')} ] `);
  for (let size = 1; size < 40; size += 1) {
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const texts: string[] = [];
    for await (const { text } of oneByOne(elementsOf('x', chunks(), 1e6))) texts.push(text);
    expect(texts, `${size}`).toEqual(documents);
  }
});

test('a list that is cut, or followed by something, is read up to there and told to be damaged', async () => {
  for (const [list, message] of [
    ['[{"_id":"1"},{"_id":"2"},{"_id"', /ends amid element 3/],
    ['[{"_id":"1"},{"_id":"2"},', /ends amid element 3/],
    ['[{"_id":"1"},{"_id":"2"}] {', /bytes follow the end/],
  ] as const) {
    const file = join(folder, 'x.json');
    await writeFile(file, list);
    const read: string[] = [];
    const all = async () => {
      for await (const { text } of oneByOne((await JsonLines.open(file, 'none')).items(0))) read.push(text);
    };
    await expect(all()).rejects.toMatchObject({ exitCode: 7, message: expect.stringMatching(message) });
    expect(read).toEqual(['{"_id":"1"}', '{"_id":"2"}']);
  }
});

test('an element too long, or not in UTF-8, is told with its place', async () => {
  async function* chunks() {
    yield Buffer.concat([Buffer.from('[{"a":"xxxxxxxxxxxxxxx"},{"b":"'), Buffer.from([0xff]), Buffer.from('"},{}]')]);
  }
  const items: Item[] = [];
  for await (const item of oneByOne(elementsOf('x', chunks(), 10))) items.push(item);
  expect(items.map(({ place, problem }) => [place, problem])).toEqual([
    [1, 'The element has 23 bytes, which is more than 10'],
    [2, 'The element is not UTF-8'],
    [3, undefined],
  ]);
});

test('lines of lists are no list of documents', () => {
  expect(startsArray(Buffer.from('[1,2]\n[3]'))).toBe(false);
  expect(startsArray(Buffer.from('{"a":[{}]}'))).toBe(false);
});

test.each<[name: string, content: Buffer | string, format: string]>([
  ['x.json', '{}', 'jsonl none'],
  ['x.NDJSON', '', 'jsonl none'],
  ['x.tsv', 'a\tb', 'csv none'],
  ['x.csv.gz', gzipSync('a,b'), 'csv gzip'],
  ['x.txt', 'a,b\n', 'csv none'],
  ['x', ' [{}]', 'jsonl none'],
  ['x.data', Buffer.from('{}', 'utf16le'), 'jsonl none'],
  ['x.part', 'PAR1...', 'parquet none'],
  ['dump', gzipSync('{}'), 'jsonl gzip'],
  ['dump.jsonl', zstdCompressSync('{}'), 'jsonl zstd'],
])('the file %s with the content %o is of the format %s', async (name, content, expected) => {
  const file = join(folder, name);
  await writeFile(file, content);
  const { format, compression } = await detectFormat(file, undefined);
  expect(`${format} ${compression}`).toBe(expected);
  expect((await detectFormat(file, 'csv')).format).toBe('csv');
});

test('files that cannot be tables are told', async () => {
  const file = join(folder, 'x.xlsx');
  await writeFile(file, 'PK\x03\x04...');
  await expect(detectFormat(file, undefined)).rejects.toThrow('as workbooks are: save its table as CSV');
  await writeFile(file, Buffer.from([1, 0, 0, 2, 0, 0]));
  await expect(detectFormat(file, undefined)).rejects.toThrow('tells its format: give --format');
  await expect(detectFormat(join(folder, 'none.csv'), undefined)).rejects.toMatchObject({ exitCode: 2 });
});
