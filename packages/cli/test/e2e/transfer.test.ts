import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseExactly } from '../../src/exact-json.js';
import { REMOTES } from '../../src/transfer/remote/names.js';
import { exported, COUNT as PRODUCTS, serviceOf } from '../transfer/remote/services.js';
import { emptyFolder, ServerProcess } from './server-process.js';
import { startProcess } from './start-process.js';
import { COUNT, documentsOf, type Kind, kinds, searches } from './transferred-indexes.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const folder = emptyFolder('transfer');
let [from, into] = [undefined, undefined] as unknown as ServerProcess[];

beforeAll(async () => {
  for (const name of ['from', 'into']) mkdirSync(join(folder, name));
  from = await ServerProcess.start(['--data', join(folder, 'from')]);
  into = await ServerProcess.start(['--data', join(folder, 'into')]);
  for (const kind of kinds) await fill(from as ServerProcess, kind);
});
afterAll(async () => {
  await from?.end();
  await into?.end();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly said: string;
  readonly out: string;
}

/** Runs the command against a server. */
function pelorus(address: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, PELORUS_URL: address };
    execFile(process.execPath, [MAIN, ...args], { cwd: folder, env, maxBuffer: 2 ** 28 }, (error, out, said) =>
      resolve({ code: error === null ? 0 : Number(error.code), said, out }),
    );
  });
}

async function succeeds(address: string, ...args: string[]): Promise<Ended> {
  const ended = await pelorus(address, ...args);
  expect(ended.code, ended.said).toBe(0);
  return ended;
}

async function fill(server: ServerProcess, kind: Kind): Promise<void> {
  await server.ok('POST', `/indexes/${kind.name}`, kind.settings);
  const documents = documentsOf(kind);
  for (let start = 0; start < COUNT; start += 100) {
    const rest = JSON.stringify(kind.rest).slice(1, -1);
    const body = `{"documents":[${documents.slice(start, start + 100).join(',')}]${rest && `,${rest}`}}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.address}/indexes/${kind.name}/documents`, { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({ errors: false });
  }
}

/** Everything that is stored of an index, values as they are spelt, by the ids of documents and the names of members. */
async function contents(server: ServerProcess, index: string, ...flags: string[]): Promise<string[]> {
  const { out } = await succeeds(server.address, 'export', index, '--output', '-', ...flags);
  const documents = out.trim().split('\n').slice(1, -1);
  const sorted = documents.map((text) => {
    const members = Object.entries(parseExactly(text) as object).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return JSON.stringify(Object.fromEntries(members));
  });
  return sorted.toSorted();
}

/** Expects two indexes to be equal, down to the last bit of a vector. */
async function expectEqual(copy: [ServerProcess, string], original: [ServerProcess, string]): Promise<void> {
  const [copied, there] = [await contents(...copy), await contents(...original)];
  expect(copied.length).toBe(there.length);
  const different = copied.findIndex((text, at) => text !== there[at]);
  expect(copied[different]).toBe(there[different]);
}

/** The answers of searches, without how long they took. */
async function answers(server: ServerProcess, index: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const search of searches) {
    const { processingTimeMs, ...rest } = await server.ok('POST', `/indexes/${index}/search`, search);
    expect(rest.hits.length).toBeGreaterThan(0);
    found.push(rest);
  }
  return found;
}

describe.each(kinds)('an index that is $name', ({ name }) => {
  test.each(['jsonl', 'jsonl.gz', 'jsonl.zst', 'csv', 'parquet'])(
    'goes by way of %s to another server, whole and exact',
    async (extension) => {
      const [file, copy] = [`${name}.${extension}`, `${name}-${extension.replace('.', '-')}`];
      await succeeds((from as ServerProcess).address, 'export', name, '--output', file);
      const { said } = await succeeds((into as ServerProcess).address, 'import', copy, file);
      expect(said).toContain(`Made index ${copy}`);
      expect(said).toContain(`${COUNT} documents in`);
      await expectEqual([into as ServerProcess, copy], [from as ServerProcess, name]);
      const path = (index: string) => `/indexes/${index}/settings`;
      expect(await into?.ok('GET', path(copy))).toEqual(await from?.ok('GET', path(name)));
    },
  );

  test('answers every search alike where it was imported', async () => {
    await succeeds((from as ServerProcess).address, 'export', name, '--output', `${name}.ndjson`);
    await succeeds((into as ServerProcess).address, 'import', `${name}-alike`, `${name}.ndjson`, '--requests', '1');
    expect(await answers(into as ServerProcess, `${name}-alike`)).toEqual(await answers(from as ServerProcess, name));
  });

  test('is exported under a filter and without vectors', async () => {
    const { out } = await succeeds(
      ...([(from as ServerProcess).address, 'export', name, '--output', '-'] as const),
      ...['--filter', 'truth:true', '--no-vectors'],
    );
    const documents = out
      .trim()
      .split('\n')
      .slice(1, -1)
      .map((line) => JSON.parse(line));
    expect(documents.length).toBeGreaterThan(COUNT / 5);
    expect(documents.every((document) => document.truth && !('_tensors' in document))).toBe(true);
  });
});

test('search defaults go along with the documents whose fields they name, and are there after a restart', async () => {
  const searchDefaults = { fieldWeights: { body: 3 }, typoTolerance: true, hybridParameters: { alpha: 0.2 } };
  await from?.ok('PUT', '/indexes/unstructured/curation', { searchDefaults });
  try {
    const expected = await answers(from as ServerProcess, 'unstructured');
    await succeeds((from as ServerProcess).address, 'export', 'unstructured', '--output', 'weighed.jsonl');
    // Documents of equal scores stand in the order in which they came.
    const inOrder = ['weighed.jsonl', '--requests', '1'];
    const { said } = await succeeds((into as ServerProcess).address, 'import', 'weighed', ...inOrder);
    expect(said).toContain('Rules of weighed: 0 rules, 0 entries of synonyms and 3 search defaults');
    expect(await answers(into as ServerProcess, 'weighed')).toEqual(expected);
    await into?.end();
    into = await ServerProcess.start(['--data', join(folder, 'into')]);
    expect(await into.ok('GET', '/indexes/weighed/curation')).toMatchObject({ version: 1, searchDefaults });
    expect(await answers(into, 'weighed')).toEqual(expected);
  } finally {
    await from?.ok('PUT', '/indexes/unstructured/curation', {});
  }
});

test('an export without vectors is embedded anew, maps and all', async () => {
  const { address } = into as ServerProcess;
  await succeeds((from as ServerProcess).address, 'export', 'unstructured', '--no-vectors', '--output', 'plain.jsonl');
  await succeeds(address, 'import', 'anew', 'plain.jsonl', '--tensor-fields', 'title');
  const plain = async (server: ServerProcess, index: string) =>
    (await contents(server, index, '--no-vectors')).join('\n');
  expect(await plain(into as ServerProcess, 'anew')).toBe(await plain(from as ServerProcess, 'unstructured'));
  const { numberOfVectors } = await (into as ServerProcess).ok('GET', '/indexes/anew/stats');
  expect(numberOfVectors).toBeGreaterThan(COUNT / 2);
});

test('an import that is killed goes on where it was, and gives an equal index', async () => {
  const server = into as ServerProcess;
  await succeeds((from as ServerProcess).address, 'export', 'unstructured', '--output', 'killed.jsonl');
  let adds = 0;
  // Between the command and the server, so slow that the command is killed amid its work on any machine.
  const slow = createServer(async (request, response) => {
    const body = await text(request);
    const isAdd = request.url?.endsWith('/documents') === true;
    if (isAdd) await sleep(50);
    const answer = await fetch(`${server.address}${request.url}`, {
      method: request.method as string,
      headers: { 'content-type': 'application/json' },
      ...(body !== '' && { body }),
    });
    if (isAdd) adds += 1;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const address = `http://127.0.0.1:${(slow.address() as { port: number }).port}`;
  const args = ['import', 'killed', 'killed.jsonl', '--url', address, '--batch-size', '5', '--requests', '2'];

  const child = startProcess(process.execPath, [MAIN, ...args], { cwd: folder, stdio: 'ignore' });
  const state = join(folder, 'killed.jsonl.import-state.json');
  while (!existsSync(state)) await sleep(5);
  child.kill('SIGKILL');
  await once(child, 'close');
  const { items } = JSON.parse(readFileSync(state, 'utf8'));
  expect(items).toBeGreaterThan(0);
  expect(items).toBeLessThan(COUNT);

  adds = 0;
  const { said } = await succeeds(address, ...args);
  slow.close();
  expect(said).toContain(`Going on after item ${items} of killed.jsonl`);
  // The header is an item of the file, too; two requests of the process that was killed may still have been under way.
  expect(adds).toBeLessThanOrEqual(Math.ceil((COUNT + 1 - items) / 5) + 2);
  expect(existsSync(state)).toBe(false);
  await expectEqual([server, 'killed'], [from as ServerProcess, 'unstructured']);
});

test('documents that are refused are reported with their places, and the others are stored', async () => {
  const { address } = into as ServerProcess;
  const lines = [
    '{"_id":"1","title":"red"}',
    '{"_id":"2",',
    '{"_id":"3","title":null}',
    '{"_id":"4","title":"red","_tensors":[{"field":"title","kind":"text","chunks":["red"],"vectors":"AACAPw=="}]}',
    '{"_id":"5","title":"blue"}',
  ];
  writeFileSync(join(folder, 'mixed.jsonl'), lines.join('\n'));
  await into?.ok('POST', '/indexes/mixed', { model: 'random/small' });
  const ended = await pelorus(
    address,
    'import',
    'mixed',
    'mixed.jsonl',
    '--tensor-fields',
    'title',
    '--nulls',
    'refuse',
  );
  expect(ended.code).toBe(7);
  expect(ended.said).toContain('pelorus: 3 documents were not stored: see mixed.jsonl.failed.jsonl');
  const reports = readFileSync(join(folder, 'mixed.jsonl.failed.jsonl'), 'utf8').trim().split('\n');
  // Requests that are under way at once may be answered in any order.
  const failed = reports.map((line) => JSON.parse(line) as { place: number }).toSorted((a, b) => a.place - b.place);
  expect(failed).toEqual([
    { place: 2, message: expect.stringMatching(/^No JSON/), text: lines[1] },
    expect.objectContaining({ place: 3, message: expect.stringMatching(/^The field 'title' is null/) }),
    expect.objectContaining({
      place: 4,
      message: expect.stringContaining('expected one vector of dimension 32 for each of 1 chunks'),
    }),
  ]);
  expect(await into?.ok('GET', '/indexes/mixed/stats')).toMatchObject({ numberOfDocuments: 2, numberOfVectors: 2 });
});

describe.each<[name: string, content: string]>([
  ['catalogue.csv', 'Name;Unit price;Pack\nRed ship;007;1\nBlue ship of the north;1.50;2\nRed ship;007;1\n'],
  [
    'catalogue 2.json',
    '[{"Name":"Red ship","Unit price":"007","Pack":1},\n{"Name":"Blue ship of the north","Unit price":"1.50","Pack":2,"x":null},{"Name":"Red ship","Unit price":"007","Pack":1}]',
  ],
])('%s of other origin', (name, content) => {
  const index = name.replace(/\..*/, '').replace(' ', '-');

  test('is imported with nothing else, and once', async () => {
    const server = into as ServerProcess;
    writeFileSync(join(folder, name), content);
    const { said } = await succeeds(server.address, 'import', name, '--model', 'random/small');
    expect(said).toContain(
      `Made index ${index} with the model random/small; \`pelorus indexes show ${index}\` shows its settings`,
    );
    expect(said).toContain('"Unit price" as Unit_price');
    expect(said).toContain('ids are made of the place and text of each item');
    expect(said).toContain('fields to embed: Name');
    const counts = { numberOfDocuments: 3, numberOfVectors: 3 };
    expect(await server.ok('GET', `/indexes/${index}/stats`)).toMatchObject(counts);
    await succeeds(server.address, 'import', name);
    await succeeds(server.address, 'import', index, name);
    expect(await server.ok('GET', `/indexes/${index}/stats`)).toMatchObject(counts);
    const { hits } = await server.ok('POST', `/indexes/${index}/search`, { q: 'blue', searchMethod: 'LEXICAL' });
    expect(hits[0]).toMatchObject({ Name: 'Blue ship of the north', Unit_price: '1.50', Pack: 2 });
  });

  test('is imported with ids of its own, and it is said that two are one', async () => {
    const server = into as ServerProcess;
    writeFileSync(join(folder, name), content);
    const flags = ['--model', 'random/small', '--id-field', 'Unit price'];
    const { said } = await succeeds(server.address, 'import', `${index}-by-id`, name, ...flags);
    expect(said).toContain('1 documents replaced others of the same id');
    expect(await server.ok('GET', `/indexes/${index}-by-id/documents/007`)).toMatchObject({ Unit_price: '007' });
  });
});

test.each(REMOTES)('a collection of %s is imported with its vectors, and gone on with', async (name) => {
  const server = into as ServerProcess;
  const service = await serviceOf(name);
  const [index, field] = [`from-${name}`, name === 'meilisearch' ? 'default' : 'vector'];
  const args = ['import', index, `${service.url}/products`, '--from', name];
  // A page that does not come ends the import in its midst.
  const last = { opensearch: 7, qdrant: 7, typesense: 3, meilisearch: 8, weaviate: 14, chroma: 8 }[name];
  const none =
    name === 'typesense' ? `${Array.from({ length: 400 }, (_, at) => exported(at)).join('\n')}\nnone` : 'none';
  service.instead.set(last, none);
  const stopped = await pelorus(server.address, ...args, '--batch-size', '50', '--requests', '1');
  expect(stopped.said).toMatch(/otherwise than .* does\. The same command goes on after item \d+/);
  service.instead.clear();
  const { said } = await succeeds(server.address, ...args);
  expect(said).toContain('Going on after item');
  const counts = { numberOfDocuments: PRODUCTS, numberOfVectors: PRODUCTS };
  expect(await server.ok('GET', `/indexes/${index}/stats`)).toMatchObject(counts);
  const q = { customVector: { vector: [0.5, -1, 599 / 8] } };
  const { hits } = await server.ok('POST', `/indexes/${index}/search`, { q, searchableAttributes: [field], limit: 3 });
  if (name === 'weaviate') expect(hits[0]._id).toBe('599');
  expect(hits[0].name).toBe(`n ${hits[0]._id}`);
  service.end();
});

test('values that no field holds are told, and flattened, kept or left out', async () => {
  const { address } = into as ServerProcess;
  const documents = [
    { _id: '1', place: [1.5, 2], deep: { a: { b: 1 } }, t: 'x' },
    { _id: '2', t: 'y' },
  ];
  writeFileSync(join(folder, 'deep.json'), JSON.stringify(documents));
  const refused = await pelorus(address, 'import', 'deep.json', '--unstorable', 'refuse');
  expect(refused.code).toBe(7);
  expect(refused.said).toContain('no field holds all values of place, deep: --unstorable flatten makes fields');
  const flat = await succeeds(address, 'import', 'deep.json');
  expect(flat.said).toContain('nested values become fields of their own, and lists lists of texts: place, deep');
  const one = { _id: '1', place: ['1.5', '2'], 'deep_a.b': 1, t: 'x' };
  expect(await (into as ServerProcess).ok('GET', '/indexes/deep/documents/1')).toEqual(one);
  const kept = await succeeds(address, 'import', 'deep.json', '--unstorable', 'json');
  expect(kept.said).toContain('texts of JSON, as no field holds all values: place, deep');
  const document = { _id: '1', place: '[1.5,2]', deep: '{"a":{"b":1}}', t: 'x' };
  expect(await (into as ServerProcess).ok('GET', '/indexes/deep/documents/1')).toEqual(document);
  const dropped = await succeeds(address, 'import', 'deep.json', '--unstorable', 'drop');
  expect(dropped.said).toContain('left out where no field holds the value: place, deep');
  expect(await (into as ServerProcess).ok('GET', '/indexes/deep/documents/1')).toEqual({ _id: '1', t: 'x' });
});

test('a dry run tells how a file is taken, without a server too', async () => {
  writeFileSync(join(folder, 'dry.csv'), '_id,t\n1,red\n');
  const ended = await pelorus('http://127.0.0.1:1', 'import', 'dry.csv', '--dry-run');
  expect([ended.code, ended.out]).toEqual([0, '{"_id":"1","t":"red"}\n']);
  expect(ended.said).toContain('the index dry is to be made: this was a dry run');
  expect(existsSync(join(folder, 'dry.csv.import-state.json'))).toBe(false);
});

test('a transfer that cannot begin is told in one line, and no file is touched', async () => {
  const { address } = into as ServerProcess;
  writeFileSync(join(folder, 'there.jsonl'), 'kept');
  const cases: [args: string[], code: number, said: string][] = [
    [['export', 'nothing'], 1, 'pelorus: 404: Index nothing not found\n'],
    [['export', 'unstructured', '--output', 'there.jsonl'], 2, 'pelorus: there.jsonl exists: --force replaces it\n'],
    [['export', 'unstructured', '--output', 'x.txt'], 2, 'pelorus: The name x.txt does not tell its format'],
    [['import', '-'], 2, 'pelorus: Standard input names no index'],
    [['import', 'there.jsonl', '--url', 'http://127.0.0.1:1'], 9, 'pelorus: No server answers at http://127.0.0.1:1'],
    [['import', 'nothing', 'missing.csv'], 2, 'pelorus: missing.csv cannot be read: ENOENT'],
    [['import', 'nothing', 'there.jsonl', '--requests', '0'], 2, 'whole number, 1 or more'],
  ];
  for (const [args, code, said] of cases) {
    const ended = await pelorus(address, ...args);
    expect([ended.code, ended.said], args.join(' ')).toEqual([code, expect.stringContaining(said)]);
  }
  expect(readFileSync(join(folder, 'there.jsonl'), 'utf8')).toBe('kept');
});
