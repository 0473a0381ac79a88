import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Compression, formatOf } from '../../src/transfer/file-format.js';
import { JsonLines } from '../../src/transfer/json-lines.js';
import type { Item } from '../../src/transfer/source.js';
import { oneByOne } from './one-by-one.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-lines-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(bytes: Buffer, compression: Compression = 'none', skipped = 0) {
  const file = join(folder, 'x');
  await writeFile(file, bytes);
  const source = await JsonLines.open(file, compression);
  const items: Item[] = [];
  for await (const item of oneByOne(source.items(skipped))) items.push(item);
  return { header: source.header, items, done: source.done };
}

const header = '{"pelorus":{"format":1,"index":"a","settings":{"model":"m"}}}';
const [one, two] = ['{"_id":"1"}', `{"_id":"2","t":"${'é'.repeat(100_000)}"}`];
const whole = Buffer.from(`${header}\n${one}\r\n\n${two}`);

test.each([
  ['none', whole],
  ['gzip', gzipSync(whole)],
  ['zstd', zstdCompressSync(whole)],
] as const)('lines are read with their places, compressed by %s', async (compression, bytes) => {
  const { header: found, items, done } = await read(bytes, compression);
  expect(found).toEqual({ format: 1, index: 'a', settings: { model: 'm' } });
  expect(items).toEqual([
    { place: 2, text: `${one}\r` },
    { place: 4, text: two },
  ]);
  expect(done).toBe(1);
  expect((await read(bytes, compression, 2)).items.map(({ place }) => place)).toEqual([4]);
});

test('a file without a header, an empty one, and a line that is no text', async () => {
  expect(await read(Buffer.from(one))).toMatchObject({ header: undefined, items: [{ place: 1, text: one }] });
  expect((await read(Buffer.alloc(0))).items).toEqual([]);
  const { items } = await read(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
  expect(items).toMatchObject([{ place: 1, problem: 'The line is not UTF-8' }]);
  await expect(read(Buffer.from('{"pelorus":{"format":5,"settings":{}}}'))).rejects.toThrow('an export of version 5');
});

test('blank lines count and are not made lines of, however many a small file unpacks to', async () => {
  const many = gzipSync(
    Buffer.concat([Buffer.from(`${one}\n`), Buffer.alloc(64 * 1024 * 1024, '\n'), Buffer.from(one)]),
  );
  const { items } = await read(many, 'gzip');
  expect(items.map(({ place }) => place)).toEqual([1, 64 * 1024 * 1024 + 2]);
  const blanks = Buffer.from(`\n \t\r\n\u00a0\n${one}\n${' '.repeat(2_000_000)}\n${one}`);
  expect((await read(blanks)).items.map(({ place }) => place)).toEqual([4, 6]);
});

test('the name of a file tells its format', () => {
  expect(formatOf('a/b.jsonl.gz', undefined)).toEqual({ format: 'jsonl', compression: 'gzip' });
  expect(formatOf('b.ndjson.zst', undefined)).toEqual({ format: 'jsonl', compression: 'zstd' });
  expect(formatOf('-', undefined)).toEqual({ format: 'jsonl', compression: 'none' });
  expect(formatOf('data', 'csv')).toEqual({ format: 'csv', compression: 'none' });
  expect(() => formatOf('data', undefined)).toThrow('does not tell its format');
  expect(() => formatOf('a.csv.gz', undefined)).toThrow('Only JSON lines are compressed');
  expect(() => formatOf('-', 'parquet')).toThrow('Parquet needs a file');
});
