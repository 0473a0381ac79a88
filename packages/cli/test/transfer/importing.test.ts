import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { link, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Api } from '../../src/transfer/api.js';
import type { ImportOptions } from '../../src/transfer/import-options.js';
import { importDocuments } from '../../src/transfer/importing.js';

type Answer = [status: number, body: object, headers?: Record<string, string>];

interface Body {
  readonly documents: readonly { readonly _id: string }[];
  readonly tensorFields?: readonly string[];
}

/** Stands in for a server that refuses and fails as a test says; what a real one makes of documents, the end-to-end tests ask. */
let answers: ((ids: string[]) => Answer | undefined)[];
let sent: string[][];
let bodies: Body[];
let settings: object;
let stats: object;
let curation: object;
/** Requests with documents that were stored before search defaults came. */
let defaultsPutAfter: number[];
let waits: number[];
let said: string;
let server: Server;
let api: Api;
let folder: string;
let file: string;

beforeEach(async () => {
  [answers, sent, waits, bodies, settings] = [[], [], [], [], { model: 'm' }];
  defaultsPutAfter = [];
  stats = { numberOfDocuments: 0, numberOfVectors: 0 };
  curation = { version: 0, rules: [], synonyms: [] };
  server = createServer(async (request, response) => {
    const [, last = ''] = /\/(settings|stats|curation)$/.exec(request.url ?? '') ?? [];
    const asked = await text(request);
    const [status, body, headers] =
      last === 'curation' && request.method === 'PUT'
        ? rulesPut(JSON.parse(asked))
        : last === ''
          ? addition(JSON.parse(asked))
          : [200, { settings, stats, curation }[last] as object, {}];
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

/** Rules of an id that is not `bad` are stored, and weights of other fields than `gone`. */
function rulesPut(body: { rules: { id: string }[]; searchDefaults?: { fieldWeights?: object } }): Answer {
  if (body.searchDefaults !== undefined) defaultsPutAfter.push(sent.length);
  if (body.rules.some(({ id }) => id === 'bad')) return [400, { message: 'a bad rule', code: 'invalid_argument' }];
  if (Object.hasOwn(body.searchDefaults?.fieldWeights ?? {}, 'gone')) {
    return [400, { message: 'searchDefaults: no field gone', code: 'invalid_field_name' }];
  }
  curation = { version: 1, ...body };
  return [200, curation];
}

function addition(body: Body): Answer {
  const ids = body.documents.map(({ _id }) => _id);
  bodies.push(body);
  const answer = answers.shift()?.(ids);
  if (answer !== undefined) return answer;
  sent.push(ids);
  return [200, { errors: false, items: ids.map((_id) => ({ _id, status: 200 })) }];
}

async function run(lines: readonly string[], rest: Partial<ImportOptions> = {}): Promise<string> {
  await writeFile(file, lines.join('\n'));
  return again(rest);
}

async function again(rest: Partial<ImportOptions> = {}, out = new PassThrough()): Promise<string> {
  const err = new PassThrough().on('data', (chunk) => {
    said += chunk;
  });
  said = '';
  const options: ImportOptions = {
    index: 'a',
    file,
    from: undefined,
    format: { format: 'jsonl', compression: 'none' },
    idField: undefined,
    omittedFields: [],
    nulls: 'drop',
    unstorable: 'flatten',
    model: undefined,
    isDryRun: false,
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
    rules: true,
    json: false,
    ...rest,
  };
  await importDocuments(api, options, err as unknown as NodeJS.WriteStream, out);
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

test('the failure of a request is told before the damage of the file', async () => {
  answers = [() => undefined, ...Array(3).fill(() => [403, { message: 'not yours' }])];
  const stopped = run([`[${documents(4)},{"_id`], { requests: 8 });
  await expect(stopped).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/^403: not yours\. The same command goes on after item 2$/),
  });
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

test('a document nested too deep is reported, and the others are stored', async () => {
  const deep = `{"_id":"d","m":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`;
  const lists = `{"_id":"d","m":${'['.repeat(20_000)}null${']'.repeat(20_000)}}`;
  await expect(run([...documents(1), deep, lists])).rejects.toThrow('2 documents were not stored');
  await expect(run([`[${documents(1)},${deep},${lists}]`])).rejects.toThrow('2 documents were not stored');
  expect(sent).toEqual([['0'], ['0']]);
  expect((await failures()).map(({ message }) => message)).toEqual(Array(2).fill(expect.stringMatching(/^Nested too/)));
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

test('one JSON value tells of an import, also of one that fails, and of a dry run', async () => {
  const told = async (lines: readonly string[], rest: Partial<ImportOptions> = {}) => {
    const out = new PassThrough();
    await writeFile(file, lines.join('\n'));
    const problem = await again({ json: true, ...rest }, out).then(
      () => undefined,
      ({ exitCode }) => exitCode,
    );
    return [problem, JSON.parse(String(out.read()))];
  };
  const about = { index: 'a', made: false };
  expect(await told(documents(3))).toEqual([undefined, { ...about, stored: 3, refused: 0, failed: null }]);
  const failed = `${file}.failed.jsonl`;
  expect(await told(['{"_id":"1"}', 'no'])).toEqual([7, { ...about, stored: 1, refused: 1, failed }]);
  answers = [() => undefined, () => [400, { message: 'no' }]];
  expect(await told(documents(6))).toEqual([1, { ...about, stored: 2, refused: 0, failed: null }]);
  const shown = ['{"_id":"1","t":"some words","n":9007199254740993}', '{"_id":"2","n":1.0}'];
  const [, dry] = await told([...shown, 'no'], { isDryRun: true });
  expect(dry).toMatchObject({ index: 'a', exists: true, seen: 3, refused: 1, tensorFields: ['t'] });
  expect(dry.documents).toEqual(shown.map((line) => JSON.parse(line)));
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
  for (const flags of [{ numberFields: ['t'] }, { textFields: ['t'] }, { delimiter: ';' }] as const) {
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

test('a file of refused documents replaces an earlier one, and nothing else', async () => {
  const lines = [...documents(1), '{'];
  await writeFile(file, lines.join('\n'));
  const [other, linked] = [join(folder, 'other'), join(folder, 'linked')];
  await writeFile(other, '{"_id":"1"}\n');
  await link(file, linked);
  for (const [failed, message] of [
    [file, 'is the file to import'],
    [join(folder, '.', 'x.jsonl'), 'is the file to import'],
    [linked, 'is the file to import'],
    [other, 'is there, and is no report of an import'],
    [folder, 'is a folder'],
  ] as const) {
    const refused = again({ failed });
    await expect(refused, failed).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(message) });
  }
  expect(sent).toEqual([]);
  expect(await readFile(file, 'utf8')).toBe(lines.join('\n'));
  expect(await readFile(other, 'utf8')).toBe('{"_id":"1"}\n');
  for (let time = 0; time < 2; time += 1) await expect(again()).rejects.toThrow('1 document was not stored');
  expect(await failures()).toMatchObject([{ place: 2 }]);
});

test('a table with rows that cannot be read goes on where it stopped, and misses none', async () => {
  const isBad = (at: number) => at % 3 === 1;
  const rows = Array.from({ length: 330 }, (_, at) => (isBad(at) ? 'bad,5" pipe' : `${at},words`));
  const good = rows.flatMap((_, at) => (isBad(at) ? [] : [String(at)]));
  const table = { format: { format: 'csv', compression: 'none' }, batchSize: 7, failuresMax: 40 } as const;
  await expect(run(['_id,t', ...rows], table)).rejects.toThrow(/^Stopped, as --max-failures says.*goes on after item/);
  answers = [() => undefined, () => undefined, () => [400, { message: 'no' }]];
  await expect(again(table)).rejects.toThrow('400: no. The same command goes on after item');
  await expect(again(table)).rejects.toThrow(/^Stopped, as --max-failures says/);
  await expect(again({ ...table, failuresMax: 1000 })).rejects.toThrow(/^110 documents were not stored/);
  expect(sent.flat()).toEqual(good);
  expect((await failures()).map(({ place }) => place)).toEqual(rows.flatMap((_, at) => (isBad(at) ? [at + 1] : [])));
});

test('the file of refused documents is bounded, and it is said that it does not hold all', async () => {
  const long = 'x'.repeat(9000);
  await expect(run(Array(1200).fill(long), { batchSize: 100, failuresMax: 5000 })).rejects.toThrow(
    /^1200 documents were not stored: the first of them are in /,
  );
  expect((await stat(`${file}.failed.jsonl`)).size).toBeLessThan(9 * 1024 * 1024);
});

test('a file without ids gets some, the same ones when its import is repeated or goes on', async () => {
  const lines = Array.from({ length: 6 }, () => '{"t":"the same words"}');
  expect(await run(lines)).toContain('ids are made');
  const made = sent.flat();
  expect(new Set(made).size).toBe(6);
  sent = [];
  answers = [() => undefined, () => [400, { message: 'no' }]];
  await expect(again()).rejects.toThrow('goes on after item 2');
  await again();
  expect(sent.flat()).toEqual(made);
  await expect(run(['{"_id":"1"}', '{"t":"x"}'])).rejects.toThrow('1 document was not stored');
});

test('an index that is there is embedded as it was, or as its first documents are', async () => {
  const lines = ['{"_id":"1","t":"some words"}', '{"_id":"2","t":"other words"}'];
  expect(await run(lines)).toContain('fields to embed: t, by their texts');
  expect(bodies.at(-1)).toMatchObject({ tensorFields: ['t'] });
  stats = { numberOfDocuments: 1, numberOfVectors: 0 };
  expect(await run(lines)).toContain('no field is embedded, as none of the index is');
  expect(bodies.at(-1)).not.toHaveProperty('tensorFields');
  stats = { numberOfDocuments: 1, numberOfVectors: 1 };
  await run(lines);
  expect(bodies.at(-1)).toMatchObject({ tensorFields: ['t'] });
  await run(lines, { tensorFields: [] });
  expect(bodies.at(-1)).toMatchObject({ tensorFields: [] });
  settings = { type: 'structured', model: 'm' };
  await run(lines);
  expect(bodies.at(-1)).not.toHaveProperty('tensorFields');
});

test('the fields to embed stay those that an import began with', async () => {
  const lines = ['{"_id":"1","t":"some words"}', '{"_id":"2","t":"other words"}', '{"_id":"3","t":"last words"}'];
  answers = [() => undefined, () => [400, { message: 'no' }]];
  await expect(run(lines)).rejects.toThrow('goes on after item 2');
  stats = { numberOfDocuments: 2, numberOfVectors: 0 };
  await again();
  expect(bodies.at(-1)).toMatchObject({ tensorFields: ['t'], documents: [{ _id: '3' }] });
});

test('a field that is embedded is a text everywhere', async () => {
  await run(['{"_id":"1","t":"some words"}', '{"_id":"2","t":300}', '{"_id":"3","t":"more words"}']);
  expect(bodies.flatMap(({ documents }) => documents)).toContainEqual({ _id: '2', t: '300' });
});

test('nested values become fields of their own, which is said', async () => {
  const lines = [
    '{"_id":"1","title":"Solaris of the sea","publisher":{"name":"MON","year":1961},"sizes":[1,2]}',
    '{"_id":"2","title":"Another book of it","publisher":{"name":"ABC"}}',
  ];
  const told = await run(lines, { unstorable: 'flatten' });
  expect(told).toContain('nested values become fields of their own, and lists lists of texts: publisher, sizes\n');
  expect(told).toContain('"publisher.name" as publisher_name, "publisher.year" as publisher_year\n');
  expect(bodies.at(-1)?.documents).toEqual([
    { _id: '1', title: 'Solaris of the sea', publisher_name: 'MON', publisher_year: 1961, sizes: ['1', '2'] },
    { _id: '2', title: 'Another book of it', publisher_name: 'ABC' },
  ]);
  const mappings = '{"sizes":{"type":"custom_vector"}}';
  await run(lines, { unstorable: 'flatten', omittedFields: ['publisher'], mappings });
  expect(bodies.at(-1)?.documents[0]).toEqual({ _id: '1', title: 'Solaris of the sea', sizes: [1, 2] });
  settings = { type: 'structured', model: 'm' };
  await run(lines, { unstorable: 'flatten' });
  expect(bodies.at(-1)?.documents[1]).toMatchObject({ publisher: { name: 'ABC' } });
});

test('a field is proposed for ids only where its name is that of ids', async () => {
  const hint = async (field: string) => {
    const told = await run([`{"${field}":"a1","t":"some words"}`, `{"${field}":"b2","t":"other words"}`]);
    return /--id-field (\S+) takes/.exec(told)?.[1];
  };
  for (const name of ['id', 'sku', 'product_id', 'productId', 'ISBN', 'item-code']) expect(await hint(name)).toBe(name);
  for (const name of ['year', 'minutes', 'paid', 'monkey']) expect(await hint(name)).toBe('NAME');
});

test('a dry run shows the first documents and sends nothing', async () => {
  const shown = new PassThrough();
  await writeFile(file, 'Name;No.\nRed ship;1\nBlue ship;2\nGreen ship;3\nNorth wind;4\n');
  const format = { format: 'csv', compression: 'none' } as const;
  expect(await again({ isDryRun: true, format, idField: 'No.' }, shown)).toMatch(/fields to embed: Name/);
  expect(said).toContain('"No." as No');
  expect(said).toContain('Nothing was stored: this was a dry run');
  const documents = String(shown.read()).trim().split('\n');
  expect(documents[0]).toBe('{"_id":"1","Name":"Red ship","No":"1"}');
  expect(documents).toHaveLength(3);
  expect(sent).toEqual([]);
});

test.each<[flags: Partial<ImportOptions>, message: RegExp]>([
  [{ idField: '_idd' }, /--id-field names '_idd', .* did you mean '_id'\?$/],
  [{ omittedFields: ['tt'] }, /--omit-fields names 'tt', .* it has _id, t$/],
  [{ model: 'other' }, /--model is for an index to make, and a has the model m$/],
])('flags that a file or an index gives nothing to do are refused: %o', async (flags, message) => {
  await expect(run(['{"_id":"1","t":"x"}'], flags)).rejects.toMatchObject({ message: expect.stringMatching(message) });
  expect(sent).toEqual([]);
});

test('a file of which nothing can be read is told before an index is made', async () => {
  for (const [content, format] of [
    ['', 'jsonl'],
    ['', 'csv'],
    ['[{"_id":', 'jsonl'],
  ] as const) {
    const failed = run([content], { format: { format, compression: 'none' } });
    await expect(failed).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringMatching(/Nothing of it was stored$/),
    });
    expect(said).toBe('');
  }
});

test('JSON over several lines is told', async () => {
  await expect(run(['{', '"_id":"1"', '}'])).rejects.toThrow('has JSON over several lines: it needs a list of objects');
});

test('documents with vectors and others do not share a request, nor do two of one id', async () => {
  await run(['{"_id":"1","_tensors":[]}', '{"_id":"2"}', '{"_id":"2"}', '{"_id":"3"}'], { batchSize: 10 });
  expect(sent).toEqual([['1'], ['2'], ['2', '3']]);
});

const exported = (id: string, rest: object = {}) => {
  const rules = [{ id, condition: {}, consequence: { hidden: ['1'] } }];
  const header = {
    format: 4,
    index: 'b',
    settings: { model: 'm' },
    curation: { rules, synonyms: [{ terms: ['a', 'b'] }], ...rest },
  };
  const lines = [JSON.stringify({ pelorus: header }), ...documents(1)];
  const sha256 = createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex');
  return { rules, lines: [...lines, JSON.stringify({ pelorus: { end: { documents: 1, sha256 } } })] };
};

test('an index without rules takes those of an export, once, and one with others keeps its own', async () => {
  const { rules, lines } = exported('r');
  expect(await run(lines)).toContain('Rules of a: 1 rule and 1 entry of synonyms');
  expect(curation).toEqual({ version: 1, rules, synonyms: [{ terms: ['a', 'b'] }] });
  expect(await again({ restart: true })).toContain('Index a has the 1 rule and 1 entry of synonyms of the export');
  expect(await run(exported('other').lines)).toContain('Index a keeps its own rules and synonyms');
  expect(curation).toMatchObject({ version: 1, rules });
  expect(sent).toEqual([['0'], ['0'], ['0']]);
});

test('rules that are refused do not keep the documents away, and are told at the end', async () => {
  const { lines } = exported('bad');
  await expect(run(lines)).rejects.toMatchObject({ exitCode: 7, message: 'The rules and synonyms were not stored' });
  expect(said).toContain('The 1 rule and 1 entry of synonyms of the export were refused: ');
  expect(said).toContain('a bad rule');
  expect(sent).toEqual([['0']]);
  expect(await run(lines, { rules: false })).not.toContain('synonyms');
  expect(curation).toMatchObject({ version: 0 });
});

test('search defaults are brought when the documents are there, whose fields they name', async () => {
  const searchDefaults = { fieldWeights: { title: 2 }, prefix: 'last' };
  const { lines } = exported('r', { searchDefaults });
  answers = [() => [503, { message: 'away', code: 'unavailable' }]];
  const brought = { version: 1, searchDefaults };
  expect(await run(lines)).toContain('Rules of a: 1 rule, 1 entry of synonyms and 2 search defaults');
  expect(curation).toMatchObject(brought);
  expect(defaultsPutAfter).toEqual([1]);
  expect(await again({ restart: true })).toContain('has the 1 rule, 1 entry of synonyms and 2 search defaults of');
  curation = { version: 2, rules: [], synonyms: [], searchDefaults: { prefix: 'all' } };
  expect(await again({ restart: true })).toContain('Index a keeps its own rules and synonyms');
  await expect(run(exported('bad', { searchDefaults }).lines)).resolves.toContain('keeps its own');
  curation = { version: 0, rules: [], synonyms: [] };
  await expect(run(exported('bad', { searchDefaults }).lines)).rejects.toMatchObject({ exitCode: 7 });
  expect(said).toContain('2 search defaults of the export were refused: ');
});

test('search defaults that are refused keep neither rules nor synonyms away, and are told by name', async () => {
  const searchDefaults = { fieldWeights: { gone: 2 }, prefix: 'last' };
  const { rules, lines } = exported('r', { searchDefaults });
  const failure = { exitCode: 7, message: 'The search defaults were not stored' };
  const stored = { version: 1, rules, synonyms: [{ terms: ['a', 'b'] }] };
  await expect(run(lines)).rejects.toMatchObject(failure);
  expect(said).toContain('Rules of a: 1 rule and 1 entry of synonyms');
  const left = 'The search defaults fieldWeights and prefix of the export were refused and are left out: 400: ';
  expect(said).toContain(`${left}searchDefaults: no field gone`);
  expect(curation).toEqual(stored);
  expect(sent).toEqual([['0']]);
  // Not yet what the export has: a later import tries again.
  await expect(again({ restart: true })).rejects.toMatchObject(failure);
  expect(curation).toEqual(stored);
  const without = exported('r', { searchDefaults: { fieldWeights: { title: 2 } } });
  expect(await run(without.lines)).toContain('1 search default');
  expect(curation).toMatchObject({ rules, searchDefaults: { fieldWeights: { title: 2 } } });
  curation = { version: 0, rules: [], synonyms: [] };
  const alone = exported('r', { rules: [], synonyms: [], searchDefaults: { fieldWeights: { gone: 2 } } });
  await expect(run(alone.lines)).rejects.toMatchObject(failure);
  expect(said).toContain('The search default fieldWeights of the export was refused and is left out: 400: ');
  expect(curation).toMatchObject({ version: 0 });
});
