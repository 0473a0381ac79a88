import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteFile } from 'hyparquet-writer';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { ColumnKinds, readDocument } from '../../src/transfer/columns.js';
import { Csv, type CsvOptions, writeCsv } from '../../src/transfer/csv.js';
import type { NamedEncoding } from '../../src/transfer/encoding.js';
import { type ColumnKind, HEADER, headerFileOf } from '../../src/transfer/file-format.js';
import { Parquet, writeParquet } from '../../src/transfer/parquet.js';
import { Sealing } from '../../src/transfer/seal.js';
import type { Item, Source } from '../../src/transfer/source.js';
import { someDocuments } from './documents.js';
import { oneByOne } from './one-by-one.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-tables-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function itemsOf(source: Source, skipped = 0): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of oneByOne(source.items(skipped))) items.push(item);
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
  return Csv.open(file, { encoding: 'utf-8', kinds: new Map() });
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

interface Foreign extends Partial<CsvOptions> {
  texts?: readonly string[];
}

async function foreign(bytes: string | Buffer, { texts = [], ...rest }: Foreign = {}): Promise<Csv> {
  const file = join(folder, 'foreign.csv');
  await writeFile(file, bytes);
  return Csv.open(file, { encoding: 'utf-8', kinds: new Map(texts.map((name) => [name, 'text'])), ...rest });
}

async function csv(bytes: string | Buffer, rest: Foreign = {}): Promise<Item[]> {
  return itemsOf(await foreign(bytes, rest));
}

test('columns of other CSV files are of one kind, and texts that are named', async () => {
  const table = '\uFEFF_id,n,t,o,zip\r\n7,1.5,true,"{""a"":1}",1234\r\n8,,false,"[""x""]",99\r\n';
  expect((await csv(table)).map(({ text }) => text)).toEqual([
    '{"_id":"7","n":1.5,"t":true,"o":{"a":1},"zip":1234}',
    '{"_id":"8","t":false,"o":["x"],"zip":99}',
  ]);
  expect((await csv(table, { texts: ['zip', 't'] })).at(1)?.text).toBe('{"_id":"8","t":"false","o":["x"],"zip":"99"}');
  const mixed = '_id,n,t,o\r\n7,1,"a ""b""\nc","{""a"":1}"\r\n8,x,true,{x\r\n';
  expect((await csv(mixed)).map(({ text }) => text)).toEqual([
    '{"_id":"7","n":"1","t":"a \\"b\\"\\nc","o":"{\\"a\\":1}"}',
    '{"_id":"8","n":"x","t":"true","o":"{x"}',
  ]);
});

test.each<[kind: 'integers' | 'numbers' | 'texts', cells: string[]]>([
  ['integers', ['1', '-20', '0', '9223372036854775807', '']],
  ['texts', ['1', '007']],
  ['texts', ['12345', '01234']],
  ['texts', ['1', '-0']],
  ['texts', ['1', '9223372036854775808']],
  ['texts', ['1', '+1']],
  ['numbers', ['1', '2.5', '-0.25']],
  ['numbers', ['1.0', '2.5', '1e-7']],
  ['texts', ['10.00', '1.50', '19.99']],
  ['texts', ['1.10', '1.20']],
  ['texts', ['1.10']],
  ['texts', ['1.0', '2']],
  ['texts', ['01.5', '02.5']],
  ['texts', ['1.0.0', '1.2']],
  ['texts', ['.5', '1.5']],
  ['texts', ['5.', '1.5']],
  ['texts', ['1.9', '1.10']],
  ['texts', ['10', '1.50']],
  ['texts', ['12E34']],
  ['texts', ['0E0', '0E8', 'EDDF']],
  ['texts', ['1e5']],
  ['texts', ['0.1234567890123456789']],
  ['texts', ['1', 'NaN']],
  ['texts', ['1', ' 2']],
  ['texts', ['1', '١']],
  ['texts', ['', '']],
])('a column is one of %s: %j', async (kind, cells) => {
  const source = await foreign(`_id,c\n${cells.map((cell, at) => `${at},${cell}\n`).join('')}`);
  expect(source.note).toMatch(kind === 'texts' ? /^all columns are texts/ : new RegExp(`^${kind}: c; all other`));
  for (const [at, { text }] of (await itemsOf(source)).entries()) {
    const value = sorted(text).match(/"c":(.*)\}$/)?.[1];
    const cell = cells[at];
    if (cell === '') expect(value).toBe(undefined);
    else if (kind === 'texts') expect(value).toBe(JSON.stringify(cell));
    // A whole number among floats is spelt as a float.
    else expect(value).toBe(kind === 'numbers' && /^-?\d+$/.test(cell as string) ? `${cell}.0` : cell);
  }
});

test.each([
  't,n\r\nx,1\ny,2\r\nz,3\n',
  't,n\nx,1\r\ny,2\nz,3\r\n',
  't,n\rx,1\r\ny,2\nz,3',
  't,n\r\n"x",1\n"y",2\r\n"z",3\r',
])('the line ends of one table may differ: %j', async (table) => {
  expect((await csv(table)).map(({ text }) => text)).toEqual(['{"t":"x","n":1}', '{"t":"y","n":2}', '{"t":"z","n":3}']);
});

test('it is said why a column that has numbers is of texts, and a row that does not fit one of numbers is refused', async () => {
  const table = '_id,zip\na,12345\nb,x1\nc,1.50\n';
  expect((await foreign(table)).note).toBe('all columns are texts, zip because of "x1" in row 2');
  expect((await foreign('_id,zip\na,12345\nb,007\nc,1.50\n')).note).toBe(
    'all columns are texts, zip because of "007" in row 2 (--number-fields takes a column for numbers)',
  );
  const items = await csv(table, { kinds: new Map([['zip', 'float']]) });
  expect(items.map(({ text, problem }) => problem ?? text)).toEqual([
    '{"_id":"a","zip":12345.0}',
    'Row 2, column \'zip\' holds "x1", expected a number such as 1234.5, without separators of thousands',
    '{"_id":"c","zip":1.50}',
  ]);
});

const WHOLE = 'a whole number such as 1234, without separators';
const NUMBER = 'a number such as 1234.5, without separators of thousands';

test.each<[ColumnKind, cell: string, json: string | undefined]>([
  ['float', '+1.5', '1.5'],
  ['float', '.5', '0.5'],
  ['float', '-.5', '-0.5'],
  ['float', '5.', '5.0'],
  ['float', '007', '7.0'],
  ['float', '-007.250', '-7.250'],
  ['float', '  1.5\t', '1.5'],
  ['float', '\u00a01.5', '1.5'],
  ['float', '1E5', '1E5'],
  ['float', '.5e-3', '0.5e-3'],
  ['float', '00', '0.0'],
  ['float', '9007199254740993', '9007199254740993'],
  ['float', '', undefined],
  ['float', '  ', undefined],
  ['integer', '+7', '7'],
  ['integer', '007', '7'],
  ['integer', '5.', '5'],
  ['integer', '5.0', '5'],
  ['integer', ' -5 ', '-5'],
  ['integer', ' ', undefined],
  ['bool', ' TRUE ', 'true'],
  ['bool', 'False', 'false'],
  ['bool', ' ', undefined],
  ['json', ' [1] ', '[1]'],
  ['json', ' ', undefined],
])('a cell of a column of kind %s that says %j has the JSON %j', async (kind, cell, json) => {
  const [item] = await csv(`_id,c\n1,"${cell}"\n`, { kinds: new Map([['c', kind]]) });
  expect(item?.problem ?? item?.text).toBe(json === undefined ? '{"_id":"1"}' : `{"_id":"1","c":${json}}`);
});

test.each<[ColumnKind, cell: string, expected: string]>([
  ['float', '1,000', NUMBER],
  ['float', '1,5', NUMBER],
  ['float', '1 000', NUMBER],
  ['float', '1_000', NUMBER],
  ['float', "1'000", NUMBER],
  ['float', '1.000.000', NUMBER],
  ['float', '.', NUMBER],
  ['float', '+', NUMBER],
  ['float', '--1', NUMBER],
  ['float', '.e5', NUMBER],
  ['float', '0x10', NUMBER],
  ['float', '1e400', NUMBER],
  ['float', 'NaN', NUMBER],
  ['float', 'inf', NUMBER],
  ['float', '12 €', NUMBER],
  ['float', '5%', NUMBER],
  ['integer', '5.5', WHOLE],
  ['integer', '1,000', WHOLE],
  ['integer', '1e3', WHOLE],
  ['bool', 'yes', 'true or false'],
  ['bool', '1', 'true or false'],
  ['json', '[1', 'JSON'],
])('a cell of a column of kind %s that says %j is refused: %s', async (kind, cell, expected) => {
  const [, item] = await csv(`_id,c\n1,\n2,"${cell}"\n`, { kinds: new Map([['c', kind]]) });
  expect(item?.problem).toBe(`Row 2, column 'c' holds ${JSON.stringify(cell)}, expected ${expected}`);
});

test('rows that are not UTF-8 are refused with their place, and read with their encoding', async () => {
  const latin1 = Buffer.from('_id,título\n1,Café\n2,x\n', 'latin1');
  await expect(csv(latin1)).rejects.toThrow('The name of column 2 is not UTF-8: --encoding names another encoding');
  const items = await csv(Buffer.concat([Buffer.from('_id,título\n0,é\n'), latin1.subarray(11)]));
  expect(items.map(({ place, text, problem }) => [place, problem ?? text])).toEqual([
    [1, '{"_id":"0","título":"é"}'],
    [2, "Row 2, column 'título' is not UTF-8: --encoding names another encoding"],
    [3, '{"_id":"2","título":"x"}'],
  ]);
  const whole = ['{"_id":"1","título":"Café"}', '{"_id":"2","título":"x"}'];
  const texts = async (bytes: Buffer, encoding?: NamedEncoding) =>
    (await csv(bytes, { encoding })).map(({ text }) => text);
  expect(await texts(latin1, 'latin1')).toEqual(whole);
  expect(await texts(Buffer.from('_id,t\n1,\x80\n', 'latin1'), 'windows-1252')).toEqual(['{"_id":"1","t":"€"}']);
  const utf16 = Buffer.from('\uFEFF_id,título\n1,Café\n2,x\n', 'utf16le');
  expect(await texts(utf16, 'utf-16')).toEqual(whole);
  expect(await texts(Buffer.from(utf16).swap16(), 'utf-16')).toEqual(whole);
  for (const swapped of [utf16, Buffer.from(utf16).swap16()])
    for (const bytes of [swapped, swapped.subarray(2)])
      for (const encoding of ['utf-16', undefined] as const) expect(await texts(bytes, encoding)).toEqual(whole);
  expect(await texts(Buffer.from(utf16.subarray(2)).swap16(), 'utf-16be')).toEqual(whole);
  await expect(csv(utf16.subarray(2), { encoding: 'utf-8' })).rejects.toThrow('--encoding utf-16');
  for (const bytes of [Buffer.from('_id,a\n1,x\n'), Buffer.from([]), latin1])
    await expect(csv(bytes, { encoding: 'utf-16' })).rejects.toMatchObject({ exitCode: 7 });
  await expect(csv(Buffer.concat([utf16, Buffer.from([0, 0xd8, 0x61])]), { encoding: 'utf-16' })).rejects.toThrow(
    'is not utf-16',
  );
});

test('a stray zero makes no table one of UTF-16, and a table without rows says so', async () => {
  expect((await csv('_id,v\na,x\0y\n')).map(({ text }) => text)).toEqual(['{"_id":"a","v":"x\\u0000y"}']);
  expect((await foreign('_id,v\n')).note).toBe('all columns are texts; no row follows the line of names');
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
    'Row 2 has 3 cells for 2 columns',
  ]);
  expect(await csv('_id,a\n1,b"c"d"\n2,x"\n3,y\n4,z"')).toMatchObject([
    { place: 1, problem: expect.stringMatching(/^Line 2: /) },
    { place: 2, problem: expect.stringMatching(/^Line 3: /) },
    { place: 3, text: '{"_id":"3","a":"y"}' },
    { place: 4, problem: expect.stringMatching(/^Line 5: /) },
  ]);
  await expect(csv('_id,a"b\n1,c\n')).rejects.toThrow(
    'The line of names cannot be read: line 1: Invalid Opening Quote',
  );
  await expect(csv('_id,a\n1,"a"b\n2,c\n')).rejects.toThrow(
    / is damaged: line 2: .*Rows behind it cannot be told apart$/,
  );
  await expect(csv('_id,a\n1,"a\n2,c\n')).rejects.toThrow('Quote Not Closed');
  await expect(csv('_id,a,a\n')).rejects.toThrow("names the column 'a' more than once");
});

test('rows and those that cannot be read are numbered in the order of the file, wherever reading goes on', async () => {
  const random = new Random(7);
  const lines = Array.from({ length: 5000 }, (_, at) => (random.int(0, 2) === 0 ? `${at},5" pipe` : `${at},x`));
  const source = await foreign(`_id,a\n${lines.join('\n')}\n`);
  const items = await itemsOf(source);
  expect(items.map(({ place }) => place)).toEqual(lines.map((_, at) => at + 1));
  expect(items.map(({ problem }) => problem !== undefined)).toEqual(lines.map((line) => line.includes('pipe')));
  for (const skipped of [1, 777, 4999, 5000]) expect(await itemsOf(source, skipped)).toEqual(items.slice(skipped));
});

test('integers, floats, texts, lists and missing values of other Parquet files keep their types', async () => {
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

/** A Parquet file of one column, beside that of ids, of a type. */
async function parquet(element: Partial<SchemaElement>, values: readonly unknown[]): Promise<Parquet> {
  const filename = join(folder, 'typed.parquet');
  const own = { name: 'c', repetition_type: 'OPTIONAL', ...element } as SchemaElement;
  parquetWriteFile({
    filename,
    columnData: [
      { name: '_id', data: values.map((_, at) => String(at)) },
      { name: own.name, data: values as never },
    ],
    schema: [{ name: 'root', num_children: 2 }, { name: '_id', type: 'BYTE_ARRAY', converted_type: 'UTF8' }, own],
  });
  return Parquet.open(filename);
}

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const stamp = (unit: 'MILLIS' | 'MICROS' | 'NANOS', isAdjustedToUTC: boolean) =>
  ({ type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit } }) as const;
const decimal = (precision: number, scale: number) => ({ converted_type: 'DECIMAL', precision, scale }) as const;

test.each<[Partial<SchemaElement>, value: unknown, json: string, note?: string]>([
  [{ type: 'INT64', ...decimal(15, 2) }, 1999n, '19.99', 'numbers: c (decimal 15,2)'],
  [{ type: 'INT64', ...decimal(15, 2) }, -5n, '-0.05'],
  [{ type: 'INT32', ...decimal(9, 9) }, 1n, '0.000000001'],
  [{ type: 'INT64', ...decimal(18, 0) }, 999999999999999999n, '999999999999999999'],
  [{ type: 'INT64', ...decimal(18, 2) }, 123456789012345678n, '"1234567890123456.78"', 'as no number holds all digits'],
  [{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 13, ...decimal(30, 2) }, -1n, '"-0.01"'],
  [stamp('MILLIS', true), 1718454600001n, '"2024-06-15T12:30:00.001Z"', 'texts: c (timestamp)'],
  [stamp('MICROS', false), 1718454600123456n, '"2024-06-15T12:30:00.123456"'],
  [stamp('NANOS', true), -1n, '"1969-12-31T23:59:59.999999999Z"'],
  [{ type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }, 1n, '"1970-01-01T00:00:00.000001Z"'],
  [{ type: 'INT32', converted_type: 'DATE' }, -1, '"1969-12-31"', 'texts: c (date)'],
  [{ type: 'INT32', converted_type: 'TIME_MILLIS' }, 86_399_999, '"23:59:59.999"', 'texts: c (time)'],
  [{ type: 'INT64', converted_type: 'TIME_MICROS' }, 61_000_001n, '"00:01:01.000001"'],
  [{ type: 'INT64', converted_type: 'UINT_64' }, 2n ** 63n, '9223372036854775808'],
  [{ type: 'INT32', converted_type: 'UINT_32' }, 2 ** 31, '2147483648'],
  [{ type: 'BYTE_ARRAY', converted_type: 'JSON' }, { a: 1 }, '{"a":1}'],
  [{ type: 'BYTE_ARRAY' }, 'café', '"café"'],
  [{ type: 'FLOAT' }, 0.5, '0.5'],
])('a column of %j with %o of a Parquet file has the JSON %s', async (element, value, json, note = '') => {
  const source = await parquet(element, [value, undefined]);
  expect((await itemsOf(source)).map(({ problem, text }) => problem ?? text)).toEqual([
    `{"_id":"0","c":${json}}`,
    '{"_id":"1"}',
  ]);
  expect(source.note ?? '').toContain(note);
});

test.each<[Partial<SchemaElement>, value: unknown, problem: string]>([
  [{ type: 'BYTE_ARRAY' }, bytesOf('636166e9'), 'holds bytes that are not UTF-8'],
  [{ type: 'BYTE_ARRAY', converted_type: 'UTF8' }, bytesOf('ff'), 'holds bytes that are not UTF-8'],
  [{ type: 'DOUBLE' }, Number.NaN, 'holds NaN, which no field can'],
  [{ type: 'INT32', converted_type: 'DATE' }, 2 ** 31 - 1, 'which is no date'],
])('a row with a value that no field can hold is refused with its place: %j %o', async (element, value, problem) => {
  const items = await itemsOf(await parquet(element, [undefined, value, undefined]));
  expect(items.map((item) => item.problem)).toEqual([
    undefined,
    expect.stringMatching(new RegExp(`^Row 2, column 'c' .*${problem}`)),
    undefined,
  ]);
  expect(items[1]?.text).toBe('{"_id":"1"}');
});

test('columns that would be lost are refused before anything is read', async () => {
  await expect(parquet({ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2 }, [bytesOf('0102')])).rejects.toThrow(
    "has the column 'c' of bytes, which no field can hold",
  );
  await expect(parquet({ type: 'BYTE_ARRAY', name: '_id' }, ['x'])).rejects.toThrow(
    "has the column '_id' more than once",
  );
});

test.each<[delimiter: string, table: string]>([
  [';', '_id;a;b\n1;x,y;2,5\n2;z;3,5\n'],
  ['\t', '_id\ta\tb\n1\tx,y\t2,5\n2\tz\t3,5\n'],
  ['|', '_id|a|b\r\n1|x,y|2,5\r\n2|"z"|3,5\r\n'],
  [',', '_id,a,b\n1,"x,y","2,5"\n2,"z","3,5"\n'],
  [',', '_id,a,b\n1,"x,y","2,5"\n2,"z\n;;;;;;;;","3,5"\n'],
  [';', 'sep=;\n_id;a;b\n1;"x,y";2,5\n2;z;3,5\n'],
])('a table separated by %j tells so: %j', async (delimiter, table) => {
  const [first, second] = (await csv(table)).map(({ text }) => JSON.parse(text));
  expect(first).toEqual({ _id: '1', a: 'x,y', b: '2,5' });
  expect(second.b).toBe('3,5');
  expect((await foreign(table)).note?.includes('separated by')).toBe(delimiter !== ',');
});

test('a compressed table is read, and one that was cut is told', async () => {
  const file = join(folder, 'x.csv.gz');
  const bytes = gzipSync('_id,a\n1,x\n');
  const open = () => Csv.open(file, { compression: 'gzip', encoding: undefined, kinds: new Map() });
  await writeFile(file, bytes);
  expect((await itemsOf(await open())).map(({ text }) => text)).toEqual(['{"_id":"1","a":"x"}']);
  await writeFile(file, bytes.subarray(0, -9));
  await expect(open()).rejects.toMatchObject({ exitCode: 7, message: expect.stringContaining('is damaged') });
});

test('an unpacked table has no name under which it could stay', async () => {
  vi.stubEnv('TMPDIR', join(folder, 'tmp'));
  await mkdir(join(folder, 'tmp'));
  const file = join(folder, 'x.csv.gz');
  await writeFile(file, gzipSync('_id,a\n1,x\n'));
  const source = await Csv.open(file, { compression: 'gzip', encoding: undefined, kinds: new Map() });
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  for (let time = 0; time < 2; time += 1) expect((await itemsOf(source)).map(({ place }) => place)).toEqual([1]);
  vi.unstubAllEnvs();
});

test('a table of one column has no delimiter, and one that is named wins', async () => {
  expect((await csv('_id\n1\n2\n')).map(({ text }) => text)).toEqual(['{"_id":"1"}', '{"_id":"2"}']);
  const table = '_id;x,a\n1;y,2\n';
  expect((await csv(table, { delimiter: ',' })).map(({ text }) => text)).toEqual(['{"_id;x":"1;y","a":2}']);
});
