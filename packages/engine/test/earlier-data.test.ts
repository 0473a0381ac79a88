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
