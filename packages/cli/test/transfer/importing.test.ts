import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Api } from '../../src/transfer/api.js';
import { type ImportOptions, importDocuments } from '../../src/transfer/importing.js';

type Answer = [status: number, body: object, headers?: Record<string, string>];

/** Stands in for a server that refuses and fails as a test says; what a real one makes of documents, the end-to-end tests ask. */
let answers: ((ids: string[]) => Answer | undefined)[];
let sent: string[][];
let waits: number[];
let said: string;
let server: Server;
let api: Api;
let folder: string;
let file: string;

beforeEach(async () => {
  [answers, sent, waits] = [[], [], []];
  server = createServer(async (request, response) => {
    const [status, body, headers] = request.url?.endsWith('/settings')
      ? [200, {}, {}]
      : addition((JSON.parse(await text(request)) as { documents: { _id: string }[] }).documents.map(({ _id }) => _id));
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const wait = async (milliseconds: number) => waits.push(milliseconds);
  api = new Api({ url: `http://127.0.0.1:${port}`, apiKey: undefined }, { wait });
  folder = await mkdtemp(join(tmpdir(), 'pelorus-import-'));
  file = join(folder, 'x.jsonl');
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

function addition(ids: string[]): Answer {
  const answer = answers.shift()?.(ids);
  if (answer !== undefined) return answer;
  sent.push(ids);
  return [200, { errors: false, items: ids.map((_id) => ({ _id, status: 200 })) }];
}

async function run(lines: readonly string[], rest: Partial<ImportOptions> = {}): Promise<string> {
  await writeFile(file, lines.join('\n'));
  return again(rest);
}

async function again(rest: Partial<ImportOptions> = {}): Promise<string> {
  const err = new PassThrough().on('data', (chunk) => {
    said += chunk;
  });
  said = '';
  const options: ImportOptions = {
    index: 'a',
    file,
    format: { format: 'jsonl', compression: 'none' },
    tensorFields: undefined,
    mappings: undefined,
    textFields: [],
    numberFields: [],
    encoding: undefined,
    delimiter: undefined,
    batchSize: 2,
    requests: 1,
    failuresMax: 1000,
    failed: `${file}.failed.jsonl`,
    restart: false,
    asIs: false,
    ...rest,
  };
  await importDocuments(api, options, err as unknown as NodeJS.WriteStream);
  return said;
}

const documents = (count: number) => Array.from({ length: count }, (_, at) => `{"_id":"${at}"}`);
const failures = async () =>
  (await readFile(`${file}.failed.jsonl`, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('documents go in batches, in the order of the file', async () => {
  expect(await run(documents(5))).toContain('5 documents in');
  expect(sent).toEqual([['0', '1'], ['2', '3'], ['4']]);
});

test('documents that a server has no room for are sent again, after as long as it asks for', async () => {
  answers = [
    () => [429, { message: 'busy' }, { 'retry-after': '7' }],
    () => [507, { message: 'full' }],
    () => [503, {}],
  ];
  await run(documents(2));
  expect(sent).toEqual([['0', '1']]);
  expect(waits).toHaveLength(3);
  expect(waits[0]).toBeGreaterThanOrEqual(5000);
});

test('a server that keeps failing stops the import, which then goes on behind what was acknowledged', async () => {
  answers = [() => undefined, ...Array(12).fill(() => [503, { message: 'down' }])];
  await expect(run(documents(6))).rejects.toThrow(/503: down\. The same command goes on after item 2$/);
  expect(sent).toEqual([['0', '1']]);
  expect(await again()).toContain('Going on after item 2');
  expect(sent).toEqual([
    ['0', '1'],
    ['2', '3'],
    ['4', '5'],
  ]);
  await again();
  expect(sent.slice(3), 'one that is done begins anew').toEqual(sent.slice(0, 3));
});

test('an import that fails before anything is done with has nothing to go on with', async () => {
  answers = [() => [400, { message: 'no' }]];
  await expect(run(documents(2))).rejects.toThrow(/400: no$/);
  expect(await again()).not.toContain('Going on');
});

test('an import that stopped is not gone on with into another index, nor from another file', async () => {
  answers = [() => undefined, () => [400, { message: 'no' }]];
  await expect(run(documents(6))).rejects.toThrow('400: no');
  await expect(again({ index: 'b' })).rejects.toThrow(/into index a of .* stopped after 2 documents: --restart/);
  await expect(run(documents(7))).rejects.toThrow('of an earlier version of this file');
  await again({ restart: true });
  expect(sent.flat()).toHaveLength(2 + 7);
});

test('a document that is refused without its id is reported', async () => {
  const message = 'The value cannot be read';
  answers = [
    () => [
      200,
      {
        errors: true,
        items: [
          { _id: '0', status: 200 },
          { _id: '', status: 400, message },
        ],
      },
    ],
    () => [200, { errors: true, items: [{ _id: '2', status: 400, message }] }],
  ];
  await expect(run([...documents(1), String.raw`{"_id":"\ud800"}`, '{"_id":"2"}'])).rejects.toThrow('2 documents were');
  expect((await failures()).map(({ place }) => place)).toEqual([2, 3]);
});

test('an answer that does not tell of every document stops the import', async () => {
  answers = [() => [200, { errors: true, items: [{ _id: '0', status: 400 }] }]];
  await expect(run(documents(2))).rejects.toThrow('An answer about 2 documents tells of 1');
});

test('documents too large for one request are sent in parts, and one too large by itself is reported', async () => {
  const tooLarge = (ids: string[]): Answer | undefined =>
    ids.includes('2') ? [413, { message: 'too large' }] : undefined;
  answers = Array(10).fill(tooLarge);
  await expect(run(documents(4), { batchSize: 4 })).rejects.toThrow('1 document was not stored');
  expect(sent).toEqual([['0', '1'], ['3']]);
  expect(await failures()).toEqual([
    { place: 3, id: '2', status: 413, message: '413: too large', document: { _id: '2' } },
  ]);
});

test('lines that are no documents and items that are refused are reported with their places', async () => {
  const refusal = { _id: 'b', status: 400, code: 'invalid_argument', message: 'wrong' };
  answers = [(ids) => [200, { errors: true, items: ids.map((_id) => (_id === 'b' ? refusal : { _id, status: 200 })) }]];
  const lines = ['{"_id":"a"}', '{', '{"n":9007199254740993,"_id":"b"}', '[]', '{"t":1}'];
  await expect(run(lines, { batchSize: 10 })).rejects.toMatchObject({ exitCode: 7 });
  expect((await failures()).map(({ place, message }) => [place, message])).toEqual([
    [2, expect.stringMatching(/^No JSON: /)],
    [3, 'wrong'],
    [4, 'No JSON object'],
    [5, expect.stringMatching(/^A document needs an `_id`/)],
  ]);
  expect(await readFile(`${file}.failed.jsonl`, 'utf8')).toContain('"document":{"n":9007199254740993,"_id":"b"}');
});

test('failures reported before an import stopped still count when it goes on', async () => {
  const down = Array.from({ length: 12 }, () => (): Answer => [503, { message: 'down' }]);
  answers = [() => undefined, ...down];
  const stopped = run(['{', ...documents(4)]);
  await expect(stopped).rejects.toThrow('goes on after item 3');
  await expect(again()).rejects.toThrow('1 document was not stored');
  expect(await failures()).toMatchObject([{ place: 1 }]);
});

test('lines that are no documents are reported as they are read, and not kept', async () => {
  answers = [() => [400, { message: 'no' }]];
  await expect(run([...Array(10).fill('{'), ...documents(2)])).rejects.toThrow('goes on after item 10');
  expect((await failures()).map(({ place }) => place)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test.each<[flags: Partial<ImportOptions>, message: RegExp]>([
  [{ numberFields: ['prize'] }, /--number-fields names 'prize', .* did you mean 'price'\?$/],
  [{ textFields: ['PRICE'] }, /--text-fields names 'PRICE', .* did you mean 'price'\?$/],
  [{ tensorFields: ['t', 'nothing'] }, /--tensor-fields names 'nothing', .* it has _id, t, price$/],
  [{ textFields: ['t'], numberFields: ['t'] }, /both name 't'$/],
])('flags that name no column of a table are refused before anything is sent: %o', async (flags, message) => {
  const table = ['_id,t,price', '1,x,2'];
  const format = { format: 'csv', compression: 'none' } as const;
  await expect(run(table, { format, ...flags })).rejects.toMatchObject({
    message: expect.stringMatching(message),
    exitCode: 2,
  });
  expect(sent).toEqual([]);
  const mappings = '{"nothing":{"type":"custom_vector"}}';
  if (flags.tensorFields !== undefined) await run(table, { format, ...flags, mappings });
});

test('flags of tables are refused for other files', async () => {
  for (const flags of [{ numberFields: ['t'] }, { textFields: ['t'] }, { encoding: 'latin1' }] as const) {
    await expect(run(documents(1), flags)).rejects.toThrow('is for CSV files of other origin, which');
  }
});

test('an import stops after as many refusals as it may have, tells their kinds, and goes on from there', async () => {
  const lines = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? `{"t":${at}}` : `[${at}`));
  const refusal = { batchSize: 4, failuresMax: 10 };
  await expect(run(['{"_id":"1"}', ...lines], refusal)).rejects.toMatchObject({
    exitCode: 7,
    message: expect.stringMatching(/^Stopped.*: 12 documents were not stored.*goes on after item 13$/),
  });
  expect(said.split('\n').filter((line) => line.includes('not stored, such as'))).toEqual([
    expect.stringMatching(/^6 not stored, such as item 2: A document needs an `_id`/),
    expect.stringMatching(/^6 not stored, such as item 3: No JSON/),
  ]);
  await expect(again(refusal)).rejects.toThrow(/24 documents were not stored.*goes on after item 25$/);
  await expect(again({ ...refusal, failuresMax: 100 })).rejects.toThrow(/^40 documents were not stored/);
  expect((await failures()).map(({ place }) => place)).toEqual(Array.from({ length: 40 }, (_, at) => at + 2));
});

test('the file of refused documents is bounded, and it is said that it does not hold all', async () => {
  const long = 'x'.repeat(9000);
  await expect(run(Array(1200).fill(long), { batchSize: 100, failuresMax: 5000 })).rejects.toThrow(
    /^1200 documents were not stored: the first of them are in /,
  );
  expect((await stat(`${file}.failed.jsonl`)).size).toBeLessThan(9 * 1024 * 1024);
});

test('documents with vectors and others do not share a request, nor do two of one id', async () => {
  await run(['{"_id":"1","_tensors":[]}', '{"_id":"2"}', '{"_id":"2"}', '{"_id":"3"}'], { batchSize: 10 });
  expect(sent).toEqual([['1'], ['2'], ['2', '3']]);
});
