import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { add, definition, embed, hitsOf, lexicalPlan, tensorPlan, update } from '../conformance/fixtures.js';
import { EmbeddedEngine } from '../src/index.js';
import { readFixture, unpack, writeFixture } from './earlier/data-fixture.js';
import { parse, temporaryDirectory } from './support.js';

// Data directories as earlier versions wrote them, each opened and answering as it did. A change to a format adds the fixture
// that the version before it wrote, and keeps those that are here:
//
//   PELORUS_WRITE_FIXTURE=packages/engine/test/earlier/format-2.json.gz npx vitest run --config scripts/vitest/unit.config.ts \
//     packages/engine/test/earlier-data.test.ts

const FOLDER = join(import.meta.dirname, 'earlier');
const fixtures = readdirSync(FOLDER).filter((name) => name.endsWith('.json.gz'));

/** The documents, of which one was replaced, one deleted and one changed in place, so that all tables have rows. */
async function write(engine: EmbeddedEngine): Promise<void> {
  await engine.createIndex('notes', definition);
  const documents = Array.from({ length: 30 }, (_, n) => ({
    ...{ _id: `d${n}`, title: `number ${n}`, body: `A red dog. It has ${n} bones.` },
    ...{ price: n, tags: [`t${n % 3}`], new: n % 2 === 0 },
  }));
  await add(engine, 'notes', documents);
  await add(engine, 'notes', [{ _id: 'd3', title: 'another one', body: 'A blue cat.', price: 3.5 }]);
  await engine.deleteDocuments('notes', { documentIds: ['d4'], within: null });
  await update(engine, 'notes', [{ _id: 'd5', price: 500 }]);
}

/** The answers of the index. */
async function answersOf(engine: EmbeddedEngine): Promise<unknown> {
  const nearest = await hitsOf(engine, 'notes', { ...tensorPlan, limit: 5 }, await embed('number 7'));
  const withWords = await hitsOf(engine, 'notes', { ...lexicalPlan('"red dog" bones'), filter: 'price:[10 TO 500]' });
  const document = await engine.getDocument('notes', { documentId: 'd5', exposeFacets: true, within: null });
  const { numberOfDocuments, numberOfVectors } = await engine.stats('notes');
  return JSON.parse(
    JSON.stringify({ nearest, withWords, document: document && parse(document), numberOfDocuments, numberOfVectors }),
  );
}

test('a data directory of today is kept, where that is asked for', async () => {
  const path = process.env.PELORUS_WRITE_FIXTURE;
  const folder = await temporaryDirectory();
  const engine = await EmbeddedEngine.open(folder);
  await write(engine);
  const answers = await answersOf(engine);
  await engine.close();
  if (path !== undefined) await writeFixture(path, folder, answers);
  expect(answers).toMatchObject({ numberOfDocuments: 29 });
});

test.each(fixtures)('%s opens, answers as it did, and takes writes', async (name) => {
  const fixture = await readFixture(join(FOLDER, name));
  const folder = await temporaryDirectory();
  await unpack(fixture, folder);
  let engine = await EmbeddedEngine.open(folder);
  expect(await answersOf(engine)).toEqual(fixture.answers);
  expect((await engine.health()).status).toBe('green');
  await add(engine, 'notes', [{ _id: 'later', title: 'number 7', body: 'new' }]);
  await engine.close();
  engine = await EmbeddedEngine.open(folder);
  expect(await engine.stats('notes')).toMatchObject({ numberOfDocuments: 30 });
  await engine.close();
});

type Files = Record<string, string>;

/** Replaces the bytes of each file of a name. */
function changed(files: Files, name: string, change: (bytes: Buffer) => Buffer): void {
  const paths = Object.keys(files).filter((path) => path.endsWith(name));
  expect(paths.length, name).toBeGreaterThan(0);
  for (const path of paths) files[path] = change(Buffer.from(files[path] as string, 'base64')).toString('base64');
}

/** A manifest with other text below the line of its sum. */
function withText(bytes: Buffer, change: (text: string) => string): Buffer {
  const text = change(bytes.subarray(bytes.indexOf('\n') + 1).toString());
  return Buffer.from(`${crc32(text).toString(16).padStart(8, '0')}\n${text}`);
}

/** A snapshot of a graph of another version, with some bytes put in before the map at its end, and its sum. */
function snapshotOf(bytes: Buffer, version: number, more = Buffer.alloc(0)): Buffer {
  // Nothing is linked in the fixture: behind these bytes is the length of an empty map, then the sum.
  const mapStart = bytes.length - 12;
  const body = Buffer.concat([bytes.subarray(0, mapStart), more, bytes.subarray(mapStart, -4)]);
  body.writeUInt8(version, 7);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(body));
  return Buffer.concat([body, sum]);
}

// Each makes of the fixture the files of an earlier version, of whose differences from the fixture's no more is known.
const earlier: Readonly<Record<string, (files: Files) => void>> = {
  'folders of indexes that do not name them': (files) => {
    for (const [path, bytes] of Object.entries(files)) {
      delete files[path];
      files[path.replace('.notes/', '/')] = bytes;
    }
  },
  'a directory of format 1': (files) => changed(files, 'format', () => Buffer.from('1\n')),
  // The table of ids that a store of format 1 had is not read.
  'a store of format 1': (files) =>
    changed(files, 'index.redb', (bytes) => {
      bytes.writeUInt32LE(1, 8);
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
      return bytes;
    }),
  // As it is, which has no list of the words behind its terms.
  'words of format 3': (files) =>
    changed(files, 'lexical/manifest', (bytes) => {
      expect(bytes.toString()).toContain('"format":3,');
      return bytes;
    }),
  'words of format 2': (files) =>
    changed(files, 'lexical/manifest', (bytes) => withText(bytes, (text) => text.replace('"format":3', '"format":2'))),
  'words of an earlier analysis': (files) =>
    changed(files, 'lexical/manifest', (bytes) =>
      withText(bytes, (text) => text.replace('"analysis":4', '"analysis":3')),
    ),
  // Nodes to be linked again were a range of two numbers in place of a list with its length.
  'graphs of version 4': (files) => changed(files, 'graph.snapshot', (bytes) => snapshotOf(bytes, 4, Buffer.alloc(4))),
  'graphs of version 3, which are made anew': (files) =>
    changed(files, 'graph.snapshot', (bytes) => snapshotOf(bytes, 3)),
};

/** Opens a directory, which answers as it did, takes a write, and has the formats of today then. */
async function expectUpgrade(changes: readonly ((files: Files) => void)[]): Promise<void> {
  const { answers, files } = await readFixture(join(FOLDER, 'format-2.json.gz'));
  const older: Files = { ...files };
  for (const change of changes) change(older);
  const folder = await temporaryDirectory();
  await unpack({ answers, files: older }, folder);
  let engine = await EmbeddedEngine.open(folder);
  expect(await answersOf(engine)).toEqual(answers);
  expect((await engine.health()).status).toBe('green');
  await add(engine, 'notes', [{ _id: 'later', title: 'number 7', body: 'new' }]);
  await engine.close();
  engine = await EmbeddedEngine.open(folder);
  expect(await engine.stats('notes')).toMatchObject({ numberOfDocuments: 30 });
  await engine.close();
  const [home = ''] = readdirSync(join(folder, 'indexes'));
  const [store, format, words] = await Promise.all(
    [['indexes', home, 'index.redb'], ['format'], ['indexes', home, 'lexical', 'manifest']].map((path) =>
      readFile(join(folder, ...path)),
    ),
  );
  expect(home).toMatch(/^[0-9a-f]{32}\.notes$/);
  expect(format?.toString()).toBe('2\n');
  expect(store?.readUInt32LE(8)).toBe(2);
  expect(words?.toString()).toContain('"format":4,"analysis":4');
}

test.each(Object.keys(earlier))('%s: it opens, answers as it did, and is as today then', async (name) => {
  await expectUpgrade([earlier[name] as (files: Files) => void]);
});

test('a data directory that is earlier in all of them opens, answers as it did, and is as today then', async () => {
  const { 'graphs of version 3, which are made anew': _made, ...others } = earlier;
  await expectUpgrade(Object.values(others));
});

test('a directory of a later format is refused with what to do, and stays as it is', async () => {
  const folder = await temporaryDirectory();
  await unpack(await readFixture(join(FOLDER, fixtures[0] as string)), folder);
  await writeFile(join(folder, 'format'), '3\n');
  const failure = await EmbeddedEngine.open(folder).then(
    () => null,
    (error: Error & { code?: string }) => error,
  );
  expect(failure).toMatchObject({ code: 'newer_format' });
  expect(failure?.message).toContain(
    'has format 3, this version reads up to 2: use the version that wrote it or a later one',
  );
  expect(await readFile(join(folder, 'format'), 'utf8')).toBe('3\n');
  await writeFile(join(folder, 'format'), '2\n');
  const store = join(folder, 'indexes', readdirSync(join(folder, 'indexes'))[0] as string, 'index.redb');
  const bytes = await readFile(store);
  // The version of a store's head, with its sum.
  bytes.writeUInt32LE(9, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
  await writeFile(store, bytes);
  const refused = await EmbeddedEngine.open(folder).then(
    () => null,
    (error: Error & { code?: string }) => error,
  );
  expect(refused).toMatchObject({ code: 'newer_format' });
  expect(await readFile(store)).toEqual(bytes);
});
