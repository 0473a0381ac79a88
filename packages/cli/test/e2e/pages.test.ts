import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseModelFile } from '@pelorus/inference';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, blocks } from './page.js';
import { officialClient, pythonWith } from './python-environment.js';
import { emptyFolder, withAdminKey } from './server-process.js';
import { Trial } from './trial.js';

const run = promisify(execFile);
const key = { PELORUS_API_KEY: withAdminKey.PELORUS_ADMIN_KEY };

/** A PNG of one red pixel. */
const RED_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mM4IScHAAK2AQUKW6YGAAAAAElFTkSuQmCC',
  'base64',
);

/** Names of models that a page leaves or gives to an index, for the one that is here. */
const MODELS = Object.fromEntries(
  ['hf/e5-base-v2', 'hf/e5-small-v2'].map((name) => [name, { alias: 'hf/all-MiniLM-L6-v2' }]),
);

/** The table that the commands of a page import. */
const CATALOGUE = `sku,title,description,price
a1,Snow boots,Warm boots for deep snow,89.5
a2,Garden shears,Shears that cut branches off roses,24
a3,Desk lamp,A lamp with a warm light for the desk,39.9
a4,Rain coat,A light coat against wind and rain,59
`;

const json = (output: string | undefined): any =>
  output === undefined || output === '' ? undefined : JSON.parse(output);
const titles = (answer: any): string[] => answer.hits.map((hit: any) => hit.title);

describe('pages as printed but for the address, about one server', () => {
  const places = emptyFolder('pages-models');
  let trial: Trial;
  let pictures: Server;
  let readme: string[];

  beforeAll(async () => {
    pictures = createServer((request, response) => {
      if (request.url === '/boots.png') response.end(RED_PIXEL);
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(pictures, 'listening');
    writeFileSync(join(places, 'models.json'), JSON.stringify({ models: MODELS }));
    const flags = ['--models', join(places, 'models.json'), '--media-download-allowed-networks', '127.0.0.0/8'];
    trial = await Trial.begin(flags);
    trial.write('catalogue.csv', CATALOGUE);
    // The other pages go on with its index.
    readme = await trial.outputs('README.md');
  });
  afterAll(async () => {
    pictures?.close();
    await trial?.end();
    rmSync(places, { recursive: true, force: true });
  });

  test('the README creates an index, fills it, searches it and embeds a query', () => {
    const [created, added, found, embedded] = readme.slice(0, 4).map(json);
    expect(created).toEqual({ acknowledged: true, index: 'notes' });
    expect(added.errors).toBe(false);
    expect(titles(found)).toEqual(['Puncture']);
    expect(embedded.embeddings.map((vector: number[]) => vector.length)).toEqual([384]);
  });

  test('the README makes an index of a file, and searches it', () => {
    expect(readme[5]).toMatch(/^1 +0\.\d{4} .*(Rain coat|Snow boots)$/m);
  });

  test('the Python of the README finds the romance', async () => {
    const [snippet] = blocks('README.md', 'python');
    const { stdout } = await run(pythonWith(officialClient), ['-c', at(trial.server.address, snippet as string)]);
    expect(stdout.trim()).toBe('Bread and Salt');
  });

  test('the TypeScript of the README finds the note, and that of the client the romance', async () => {
    expect(await outputOfProgram(blocks('README.md', 'ts')[0] ?? '')).toBe('Puncture\n');
    const program = blocks('docs/client.md', 'ts')[0] ?? '';
    expect(await outputOfProgram(program)).toBe('2 Bread and Salt\ndocument_not_found\n');
  });

  /** Runs a program in a folder where the client is installed. */
  async function outputOfProgram(program: string): Promise<string> {
    const folder = emptyFolder('client-page');
    mkdirSync(join(folder, 'node_modules', '@pelorus'), { recursive: true });
    const client = fileURLToPath(new URL('../../../client', import.meta.url));
    symlinkSync(client, join(folder, 'node_modules', '@pelorus', 'client'), 'junction');
    writeFileSync(join(folder, 'program.mts'), at(trial.server.address, program));
    const { stdout } = await run(process.execPath, ['program.mts'], { cwd: folder });
    rmSync(folder, { recursive: true });
    return stdout;
  }

  test('the products of the page of InstantSearch are found', async () => {
    const [made, added] = (await trial.outputs('docs/instantsearch.md')).map(json);
    expect([made.acknowledged, added.errors]).toEqual([true, false]);
    const query = { q: 'lamp', searchMethod: 'LEXICAL', sortBy: { fields: [{ fieldName: 'price', order: 'asc' }] } };
    const found = await trial.server.ok('POST', '/indexes/products/search', query);
    expect(titles(found)).toEqual(['Desk lamp', 'Floor lamp']);
  });

  test('ten minutes take a table to a search by words, by meaning and by both, and on to two languages', async () => {
    const outputs = await trial.outputs('docs/quickstart.md');
    const [, shown, , , byWords, typed, meaning, both, changed, deleted, stats] = outputs;
    expect((shown as string).split('\n').map((line) => json(line).isbn)).toEqual(['b1', 'b2', 'b3']);
    expect(titles(json(byWords))).toEqual(expect.arrayContaining(['The Lighthouse Ledger', 'Nine Ships']));
    expect(titles(json(typed))[0]).toBe('The Lighthouse Ledger');
    expect(titles(json(meaning))).toEqual(['Cold Ascent']);
    expect(titles(json(both))).toEqual(['Nine Ships']);
    expect(json(both).facets.genre).toMatchObject({ novel: { count: 1 }, adventure: { count: 1 } });
    expect([json(changed).errors, json(deleted).details.deletedDocuments]).toEqual([false, 1]);
    expect(json(stats).numberOfDocuments).toBe(6);

    const [snippet = ''] = blocks('docs/quickstart.md', 'python');
    const { stdout } = await run(pythonWith(officialClient), ['-c', at(trial.server.address, snippet)]);
    expect(stdout.trim()).toBe('b2 Bread by Hand');
    expect(await outputOfProgram(blocks('docs/quickstart.md', 'ts')[0] ?? '')).toBe('b5 Roots and Shoots\n');
  });

  test('searching finds by meaning, words and both, explains, highlights, and reads on', async () => {
    const outputs = (await trial.outputs('docs/searching.md')).map(json);
    const [meaning, words, both, explained, , next, several, placed, scanned] = outputs;
    expect(titles(meaning)).toEqual(['Puncture']);
    expect(titles(words)).toEqual(['Tomatoes']);
    expect(titles(both)[0]).toBe('Tomatoes');
    const [hit] = explained.hits;
    expect(hit._explanation.value).toBe(hit._score);
    expect(hit._lexicalHighlights.text[0]).toContain('<em>root</em>');
    expect([next.hits.length, next.offset, next.cursor]).toEqual([1, 2, null]);
    const [nearest, sorted] = several.results.map(({ response }: any) => response);
    expect([several.errors, titles(nearest)[0]]).toEqual([false, 'Puncture']);
    expect(sorted.totalHits).toBe(3);
    const minutes = sorted.hits.map((hit: any) => hit.minutes);
    expect(minutes).toEqual([...minutes].sort((a, b) => b - a));
    expect(placed.hits.map((hit: any) => [hit._id, hit._pinned])).toEqual([
      ['3', true],
      ['2', undefined],
    ]);
    expect([scanned.documents.length, scanned.cursor]).toEqual([3, null]);
  });

  test('storage shows the files of an index', async () => {
    const [data, index] = await trial.outputs('docs/design/storage.md');
    expect((data as string).split('\n')).toEqual(expect.arrayContaining(['building', 'format', 'indexes', 'trash']));
    expect((index as string).split('\n')).toEqual(expect.arrayContaining(['index.redb', 'vectors']));
  });

  test('threads and deadlines shows a search out of time', async () => {
    expect(await trial.outputs('docs/design/threads-and-deadlines.md')).toEqual(['504']);
  });

  test('decisions shows that the typed characters decide between equal scores', async () => {
    const [, found] = await trial.outputs('docs/design/decisions.md');
    expect(json(found).hits.map((hit: any) => hit.name)).toEqual(['C#', 'C++']);
  });

  test('the command searches, lists, makes and deletes', async () => {
    const outputs = await trial.outputs('docs/command.md');
    const [hit, words, explained, same, list, made, documents, doctor, completion] = outputs;
    expect(hit).toMatch(/^1 +0\.\d{4} +2 +Puncture$/m);
    expect(words).toMatch(/text: .*\*root\*/);
    expect(explained).toContain('█');
    expect(titles(json(same))[0]).toBe('Tomatoes');
    expect(list).toMatch(/^notes +3 /m);
    expect(made).toBe('The index drafts is made; its model is random/small\nThe index drafts is deleted');
    expect(documents).toMatch(/"title": "Sourdough"[\s\S]*\n2$/);
    expect(json(doctor).findings.length).toBeGreaterThan(5);
    expect(completion).toBe('');
  });

  test('a table becomes an index, and export and import make an equal index twice', async () => {
    trial.write('catalogue.csv', CATALOGUE);
    const [shown, , , , , , check] = await trial.outputs('docs/import-export.md');
    expect((shown as string).split('\n').map((line) => json(line).sku)).toEqual(['a1', 'a2', 'a3']);
    for (const index of ['catalogue', 'goods'])
      expect((await trial.server.ok('GET', `/indexes/${index}/stats`)).numberOfDocuments).toBe(4);
    expect((await trial.server.ok('GET', '/indexes/goods/documents/a4')).title).toBe('Rain coat');
    const [sum, last] = (check as string).split('\n');
    expect(JSON.stringify(json(last).pelorus.end)).toContain((sum as string).split(' ')[0]);
    const scan = (index: string) =>
      trial.server.ok('POST', `/indexes/${index}/documents/scan`, { exposeTensors: true });
    const documents = async (index: string) =>
      (await scan(index)).documents.sort((a: any, b: any) => a._id.localeCompare(b._id));
    expect(await documents('copy')).toEqual(await documents('notes'));
    expect(await documents('third')).toEqual(await documents('notes'));
  });

  test('aliases put a rebuilt index behind the name of another', async () => {
    const [first, next, swapped, told, changed] = await trial.outputs('docs/aliases.md');
    expect(first).toContain('{"aliasName":"books","indexName":"books-1"}');
    expect(next).toContain('"errors":false');
    expect(swapped).toBe('The alias books stands for the index books-2');
    expect(told).toContain('"numberOfDocuments":2');
    expect(told).toContain('"aliases":["books"]');
    expect(told).toMatch(/The index books-1 is deleted\nalias +index\nbooks +books-2/);
    expect(json(changed)).toEqual({ acknowledged: true });
  });

  test('the page on metrics counts the requests that were made', async () => {
    const [counts] = await trial.outputs('docs/metrics.md');
    expect(counts).toMatch(/^pelorus_requests_total\{.*\} [1-9]\d*$/m);
  });

  test('operations show health, a search out of time, an exit code, the log and what waits', async () => {
    const [health, timedOut, code, log, queues, slow] = await trial.outputs('docs/operations.md');
    expect(json(health)).toMatchObject({ status: 'green', backend: { memoryIsAvailable: true } });
    expect(timedOut).toBe('504');
    expect(code).toBe('exit code 2');
    expect(json(log)).toEqual({ logLevel: expect.any(String), lines: expect.any(Array) });
    expect(json(queues)).toMatchObject({ requests: expect.any(Array), backups: [] });
    expect(json(slow)).toEqual({ slowRequests: expect.any(Array) });
  });

  test('durability shows the health of what is stored', async () => {
    const [health] = await trial.outputs('docs/durability.md');
    expect(json(health).backend.status).toBe('green');
  });

  test('configuration names the variable that cannot be used, and the flag that wins over one', async () => {
    const [variable, flag] = await trial.outputs('docs/configuration.md');
    expect(variable).toMatch(/PELORUS_MAX_MEMORY is "plenty".*\nexit code 2$/);
    expect(flag).toMatch(/--port is "nowhere".*\nexit code 2$/);
  });

  test('a cluster that is away ends a start', async () => {
    const [said] = await trial.outputs('docs/cluster.md');
    expect(said).toMatch(/^pelorus: the cluster of --opensearch cannot be used: .*cannot be reached.*\nexit code 9$/);
  });

  test('models lists them and pulls one that is here', async () => {
    const [list, folder] = await trial.outputs('docs/models.md');
    expect(list).toMatch(/^random\/small +- +needs no files$/m);
    expect(readdirSync(folder as string)).toContain('tokenizer.json');
  });

  test('the model file on models is one', () => {
    const [example] = blocks('docs/models.md', 'json');
    const file = parseModelFile(JSON.parse(example as string), '/srv/models.json');
    expect(file.get('house-encoder')?.folder).toBe('/srv/house');
  });

  test('media finds a picture and rejects one that is not there', async () => {
    const address = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`;
    const [, added, found] = (
      await trial.outputs('docs/media.md', { replaced: { 'https://shop.example': address } })
    ).map(json);
    expect(added.items.map((item: any) => item.status)).toEqual([200, 200, 400]);
    expect(found.hits[0]._id).toBe('1');
  });
});

test('keys makes, lists, rotates and revokes them, and calls with one', async () => {
  const trial = await Trial.begin();
  try {
    const [, , list, rotated, revoked, called] = await trial.outputs('docs/keys.md');
    expect((list as string).split('\n')).toHaveLength(3);
    expect(rotated).toMatch(/^svc_/);
    expect(revoked).toBe('');
    expect(json(called).results).toEqual([]);
  } finally {
    await trial.end();
  }
});

describe('pages on the hosted form', () => {
  let trial: Trial;

  beforeAll(async () => {
    trial = await Trial.begin(['--hosted'], withAdminKey);
  });
  afterAll(() => trial?.end());

  test('an index is ordered, filled, searched and given more', async () => {
    const [ordered, , , added, found, changed] = (await trial.outputs('docs/hosted.md', { env: key })).map(json);
    expect(ordered.acknowledged).toBe(true);
    expect(added.errors).toBe(false);
    expect(titles(found)).toEqual(['Leather boots']);
    expect(changed.acknowledged).toBe(true);
  });

  test('a shop is made, searched by a page, and told of a shopper', async () => {
    const outputs = (await trial.outputs('docs/shops.md', { env: key })).map(json);
    const [created, , added, found, , accepted, figures] = outputs;
    expect(created.indexId).toEqual(expect.any(String));
    expect(added.errors).toBe(false);
    expect(found.hits.map((hit: any) => hit.productTitle)).toEqual(['Snow boots']);
    expect(accepted.acceptedEvents).toBe(1);
    expect(figures.metrics.totalQueries).toEqual(expect.any(Number));
  });
});

test('backups are made, listed, read and restored', async () => {
  const place = emptyFolder('pages-backups');
  const trial = await Trial.begin(['--backup-to', place]);
  try {
    await trial.server.ok('POST', '/indexes/notes', {
      model: 'no_model',
      modelProperties: { type: 'no_model', dimensions: 2 },
    });
    const outputs = await trial.outputs('docs/backups.md', { env: { PELORUS_BACKUP_TO: place } });
    const [everything, one, list, restored, listed, , verified, index] = outputs;
    for (const made of [everything, one]) expect(made).toMatch(/^Backup \S+: 1 index/);
    expect((list as string).split('\n')).toHaveLength(3);
    expect(restored).toContain('Restored 1 index, 0 documents');
    expect(json(listed).backups).toHaveLength(2);
    expect(verified).toContain('is sound');
    expect(index).toBe('The index notes-of-then is restored');
  } finally {
    await trial.end();
    rmSync(place, { recursive: true, force: true });
  }
});

test('each page with commands of its own is tried here, or with those on moving and the guides', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const here = ['pages.test.ts', 'moving-pages.test.ts', 'guide-pages.test.ts']
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
  const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((page) => blocks(page, 'sh').length > 0);
  expect(pages.filter((page) => !here.includes(`outputs('${page}'`))).toEqual([]);
});
