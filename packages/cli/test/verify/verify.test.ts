import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine } from '@pelorus/engine';
import { Inventory, writeSealed } from '@pelorus/files';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Verification, verificationText, verified } from '../../src/verify/verify.js';

// Whoever runs the tests may ask for colours.
vi.stubEnv('FORCE_COLOR', undefined);

const root = mkdtempSync(join(tmpdir(), 'pelorus-verify-'));
const pristine = join(root, 'pristine');
const DOCUMENTS = 40;

const settings = {
  type: 'unstructured',
  model: 'no_model',
  normalizeEmbeddings: true,
  treatUrlsAndPointersAsImages: false,
  treatUrlsAndPointersAsMedia: false,
  filterStringMaxLength: 50,
  textPreprocessing: { splitLength: 1, splitOverlap: 0, splitMethod: 'sentence' },
  annParameters: { spaceType: 'prenormalized-angular', parameters: { efConstruction: 64, m: 8 } },
};

async function open(folder: string): Promise<EmbeddedEngine> {
  const inventory = await Inventory.open(join(folder, 'inventory.json'), () => undefined);
  return EmbeddedEngine.open(folder, {}, inventory);
}

beforeAll(async () => {
  mkdirSync(pristine);
  const engine = await open(pristine);
  const definition = { settings, resolved: { dimensions: 2, embeds: false } };
  await engine.createIndex('notes', definition as unknown as Parameters<EmbeddedEngine['createIndex']>[1]);
  const documents = Array.from({ length: DOCUMENTS }, (_, n) => ({
    ...{ _id: `d${n}`, text: `number ${n}`, v: { vector: [n, 1], content: '' } },
  }));
  const batch = await engine.prepareAdd('notes', Buffer.from(JSON.stringify({ documents })));
  const inputs = await batch.prepare({
    ...{ tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } }, useExistingTensors: false },
    ...{ textChunkPrefix: '', maxDocBytes: 100_000 },
  } as unknown as Parameters<typeof batch.prepare>[0]);
  expect(inputs.count).toBe(0);
  await batch.apply(new Float32Array(0), { failures: [], parts: [] } as Parameters<typeof batch.apply>[1]);
  await engine.close();
  mkdirSync(join(pristine, 'keys'));
  await writeSealed(
    join(pristine, 'keys', 'some.json'),
    { a: 1 },
    {
      name: 'some',
      isValue: (value): value is object => typeof value === 'object',
    },
  );
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

let copies = 0;
function copy(): string {
  copies += 1;
  const folder = join(root, `copy-${copies}`);
  cpSync(pristine, folder, { recursive: true });
  return folder;
}

const home = (folder: string) => join(folder, 'indexes', readdirSync(join(folder, 'indexes'))[0] ?? '');

/** Every file with its bytes. */
function bytesOf(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length), readFileSync(path).toString('base64')];
    }),
  );
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

async function verdictOf(folder: string): Promise<Verification> {
  const before = bytesOf(folder);
  const found = await verified(folder, process.stderr);
  expect(bytesOf(folder), 'nothing is changed').toEqual(before);
  return found;
}

test('a whole directory has no problems, and one line for each index', async () => {
  const found = await verdictOf(copy());
  expect(found).toMatchObject({ verdict: 'ok', files: [], indexes: [{ name: 'notes', documents: DOCUMENTS }] });
  expect(found.indexes[0]).toMatchObject({ vectors: DOCUMENTS, problems: [], moreProblems: 0 });
  const [titles, line] = verificationText(found).split('\n');
  expect(titles).toMatch(/index or file +documents +vectors/);
  expect(line).toMatch(/^ok +notes +40 +40/);
});

test('damage to what is derived is told as such', async () => {
  const folder = copy();
  flip(join(home(folder), 'lexical', 'manifest'), 20);
  flip(join(home(folder), 'vectors', '0', 'graph.snapshot'), 40);
  const { verdict, indexes } = await verdictOf(folder);
  expect([verdict, indexes[0]?.problems.map(({ kind, part }) => [kind, part])]).toEqual([
    'derived',
    [
      ['derived', 'text index'],
      ['derived', 'graph of v'],
    ],
  ]);
  expect(indexes[0]?.problems[0]?.remedy).toContain('the next start makes it anew');
});

test('damage to the store is told as one of the truth, with what to do', async () => {
  const folder = copy();
  const store = join(home(folder), 'index.redb');
  const bytes = readFileSync(store);
  const at = bytes.indexOf('number 17');
  flip(store, at);
  const { verdict, indexes } = await verdictOf(folder);
  expect(verdict).toBe('truth');
  expect(indexes[0]?.problems).toMatchObject([
    { kind: 'truth', part: 'store', reason: expect.stringMatching(/checksum/) },
  ]);
  expect(indexes[0]?.problems[0]?.remedy).toContain('from a backup');
});

test('damaged files of keys and lists are told, and a copy of a list is enough', async () => {
  const folder = copy();
  flip(join(folder, 'keys', 'some.json'), 90);
  appendFileSync(join(folder, 'inventory.json'), 'x');
  const { verdict, files } = await verdictOf(folder);
  expect(verdict).toBe('truth');
  expect(files.map(({ kind, part }) => [kind, part]).toSorted()).toEqual([
    ['derived', 'inventory.json'],
    ['truth', join('keys', 'some.json')],
  ]);
});

test('a directory in use, of a newer form or that is none is refused', async () => {
  const folder = copy();
  const engine = await open(folder);
  await expect(verified(folder, process.stderr)).rejects.toMatchObject({ code: 'data_directory_in_use' });
  await engine.close();
  writeFileSync(join(folder, 'format'), '99\n');
  await expect(verified(folder, process.stderr)).rejects.toMatchObject({ code: 'newer_format' });
  await expect(verified(join(root, 'nowhere'), process.stderr)).rejects.toThrow('is no folder');
});
