import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { add, definition, hitsOf, idsOf, lexicalPlan } from '../conformance/fixtures.js';
import { EmbeddedEngine, type StoredDefinition } from '../src/index.js';
import { temporaryDirectory } from './support.js';

// The definition of an index tells what its texts are cut into, from the first document on and after every start.

const WORDS: StoredDefinition = { ...definition, settings: { ...definition.settings, textSegmentation: 'words' } };
const documents = [
  { _id: 'life', title: '科学家研究生命的起源' },
  { _id: 'student', title: '他是北京大学的研究生' },
];

/** The documents that two words find, and a pair across the border of two. */
async function found(engine: EmbeddedEngine, index: string): Promise<readonly (readonly string[])[]> {
  const all = ['"生命"', '"研究生"', '"究生"'].map((text) => hitsOf(engine, index, lexicalPlan(text)));
  return (await Promise.all(all)).map((hits) => idsOf(hits).toSorted());
}

const inWords = [['life'], ['student'], []];
const inPairs = [['life'], ['life', 'student'], ['life', 'student']];

test('an index keeps the cut of its texts after a start, and when its postings are made anew', async () => {
  const folder = await temporaryDirectory();
  let engine = await EmbeddedEngine.open(folder);
  await engine.createIndex('words', WORDS);
  await engine.createIndex('pairs', definition);
  for (const index of ['words', 'pairs']) await add(engine, index, documents);
  const expectFound = async () => {
    expect(await found(engine, 'words')).toEqual(inWords);
    expect(await found(engine, 'pairs')).toEqual(inPairs);
    expect((await engine.health()).status).toBe('green');
  };
  await expectFound();
  await engine.close();
  engine = await EmbeddedEngine.open(folder);
  await expectFound();
  await engine.close();
  const manifests = (await readdir(folder, { recursive: true })).filter((path) =>
    path.endsWith(join('lexical', 'manifest')),
  );
  expect(manifests).toHaveLength(2);
  for (const path of manifests) await rm(join(folder, path));
  engine = await EmbeddedEngine.open(folder);
  await expectFound();
  await engine.close();
});

test('an index that has documents cannot take another cut', async () => {
  const engine = await EmbeddedEngine.open(await temporaryDirectory());
  await engine.createIndex('words', WORDS);
  await add(engine, 'words', documents);
  await expect(engine.redefineIndex('words', definition)).rejects.toMatchObject({ code: 'invalid_argument' });
  const asked = { ...definition, settings: { ...definition.settings, textSegmentation: 'letters' } };
  await expect(engine.createIndex('other', asked as StoredDefinition)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('textSegmentation'),
  });
  expect(await found(engine, 'words')).toEqual(inWords);
  await engine.close();
});
