import { expect, test } from 'vitest';
import { add, definition, hitsOf, idsOf, lexicalPlan } from '../conformance/fixtures.js';
import { EmbeddedEngine, type StoredDefinition } from '../src/index.js';
import { temporaryDirectory } from './support.js';

// The definition of an index tells which texts filters take for one, after every start too.

const FOLDED: StoredDefinition = {
  ...definition,
  settings: { ...definition.settings, filterFolding: 'caseAndAccents' },
};
const documents = [
  { _id: 'a', title: 'Café' },
  { _id: 'b', title: 'cafe' },
];

async function found(engine: EmbeddedEngine, index: string): Promise<readonly string[]> {
  const hits = await hitsOf(engine, index, { ...lexicalPlan('*'), filter: 'title:CAFE' });
  return idsOf(hits).toSorted();
}

test('an index keeps what its filters take for one text after a start', async () => {
  const folder = await temporaryDirectory();
  let engine = await EmbeddedEngine.open(folder);
  await engine.createIndex('folded', FOLDED);
  await engine.createIndex('told', definition);
  for (const index of ['folded', 'told']) await add(engine, index, documents);
  const expectFound = async () => {
    expect(await found(engine, 'folded')).toEqual(['a', 'b']);
    expect(await found(engine, 'told')).toEqual(['b']);
  };
  await expectFound();
  await engine.close();
  engine = await EmbeddedEngine.open(folder);
  await expectFound();
  await expect(engine.redefineIndex('folded', definition)).rejects.toMatchObject({ code: 'invalid_argument' });
  await engine.close();
});

test('an unknown folding is refused by its member', async () => {
  const engine = await EmbeddedEngine.open(await temporaryDirectory());
  const asked = { ...definition, settings: { ...definition.settings, filterFolding: 'accents' } };
  await expect(engine.createIndex('other', asked as StoredDefinition)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('filterFolding'),
  });
  await engine.close();
});
