import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealed } from '@pelorus/files';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultResources, type HostedIndex } from '../src/index.js';
import { RecordStore } from '../src/record-store.js';

let root: string;
let folder: string;
let records: RecordStore;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pelorus-records-'));
  folder = join(root, 'indexes');
  mkdirSync(folder);
  records = new RecordStore(folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const A = 'a'.repeat(16);
const B = 'b'.repeat(16);
const HURT = 'c'.repeat(16);
const WELL = 'd'.repeat(16);

const indexOf = (id: string, change: Partial<HostedIndex> = {}): HostedIndex => ({
  id,
  name: `name-${id}`,
  state: 'READY',
  failure: null,
  createdAt: '2026-01-02T03:04:05.678Z',
  changedAt: '2026-01-02T03:04:05.678Z',
  settings: { model: 'random/small' },
  resources: defaultResources,
  shop: null,
  ...change,
});

test('the index saved last is loaded', async () => {
  await records.save(indexOf(A));
  await records.save(indexOf(B));
  await records.save(indexOf(A, { state: 'DELETING' }));
  const { indexes, damaged } = await records.load();
  expect(indexes.toSorted((x, y) => (x.id < y.id ? -1 : 1))).toEqual([indexOf(A, { state: 'DELETING' }), indexOf(B)]);
  expect(damaged).toEqual([]);
  expect(readdirSync(join(folder, A))).toEqual(['name.json', 'record.json']);
});

test('the rest of a write that crashed is removed, and the record before it counts', async () => {
  await records.save(indexOf(A));
  writeFileSync(join(folder, A, 'record.json.5a0b1c7e-5a0b-4c7e-8a0b-5a0b1c7e5a0b.tmp'), '{"id":');
  expect(await records.load()).toEqual({ indexes: [indexOf(A)], damaged: [], remarks: [] });
  expect(readdirSync(join(folder, A))).toEqual(['name.json', 'record.json']);
});

test('a folder that never came to have a record is swept away', async () => {
  mkdirSync(join(folder, WELL));
  writeFileSync(join(folder, WELL, 'record.json.123.tmp'), '{"id":');
  expect(await records.load()).toEqual({ indexes: [], damaged: [], remarks: [] });
  expect(existsSync(join(folder, WELL))).toBe(false);
});

test('documents whose record is missing are told and left alone', async () => {
  mkdirSync(records.dataFolder(HURT), { recursive: true });
  expect((await records.load()).damaged).toEqual([
    { id: HURT, name: null, reason: expect.stringContaining('is missing') },
  ]);
  expect(existsSync(records.dataFolder(HURT))).toBe(true);
});

test.each([
  ['is cut', (text: string) => text.slice(0, text.length / 2)],
  ['is empty', () => ''],
  ['is of another index', () => sealed(indexOf(B), { name: `${B}/record` })],
  ['is of another index and older than seals', () => JSON.stringify(indexOf(B))],
  ['has a flipped bit', (text: string) => text.replace('READY', 'REAEY')],
  ['is of a later form', (text: string) => text.replace('"format":2', '"format":3')],
])('a record that %s is told with its name and left alone, documents and all', async (_about, damage) => {
  await records.save(indexOf(HURT));
  mkdirSync(records.dataFolder(HURT), { recursive: true });
  const path = join(folder, HURT, 'record.json');
  const bytes = damage(readFileSync(path, 'utf8'));
  writeFileSync(path, bytes);
  await records.save(indexOf(WELL));
  const { indexes, damaged } = await records.load();
  expect(indexes).toEqual([indexOf(WELL)]);
  expect(damaged).toEqual([{ id: HURT, name: `name-${HURT}`, reason: expect.stringContaining(path) }]);
  expect(readFileSync(path, 'utf8')).toBe(bytes);
  expect(existsSync(records.dataFolder(HURT))).toBe(true);
});

test('a record that is older than seals counts, and is sealed, with its name kept apart, from then on', async () => {
  mkdirSync(join(folder, A));
  const path = join(folder, A, 'record.json');
  writeFileSync(path, `${JSON.stringify(indexOf(A), null, 1)}\n`);
  expect(await records.load()).toEqual({ indexes: [indexOf(A)], damaged: [], remarks: [] });
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^\{"format":2,"name":"a{16}\/record","sha256":/);
  expect(await records.load()).toEqual({ indexes: [indexOf(A)], damaged: [], remarks: [] });
  writeFileSync(path, text.replace('"shop":null', '"shop":nul1'));
  expect((await records.load()).damaged).toMatchObject([{ id: A, name: `name-${A}` }]);
});

test('the name of a damaged record from before names were kept apart is read from the rest of it', async () => {
  mkdirSync(join(folder, A));
  writeFileSync(join(folder, A, 'record.json'), JSON.stringify(indexOf(A), null, 1).slice(0, 120));
  expect((await records.load()).damaged).toMatchObject([{ id: A, name: `name-${A}` }]);
});

test('other files, and copies beside a record, are told and left alone', async () => {
  await records.save(indexOf(A));
  mkdirSync(join(folder, 'lost+found'));
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  writeFileSync(join(folder, A, 'record.json.bak'), '{}');
  writeFileSync(join(folder, A, 'name.json'), 'noise');
  const { indexes, damaged, remarks } = await records.load();
  expect([indexes, damaged]).toEqual([[indexOf(A)], []]);
  expect(remarks.toSorted()).toEqual([
    expect.stringContaining('name.json is damaged'),
    expect.stringContaining('record.json.bak is no record'),
    expect.stringContaining('lost+found is no index'),
    expect.stringContaining('notes.txt is no index'),
  ]);
  expect(readdirSync(folder).toSorted()).toEqual([A, 'lost+found', 'notes.txt']);
  expect((await records.load()).remarks).toHaveLength(3);
});

test('a link to a folder on another disk is an index as any other', async () => {
  await records.save(indexOf(A));
  renameSync(join(folder, A), join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), join(folder, A));
  expect(await records.load()).toEqual({ indexes: [indexOf(A)], damaged: [], remarks: [] });
});

test('a closed index that is set aside is whole, and out of the way', async () => {
  await records.save(indexOf(A));
  await records.setAside(A);
  expect(await records.load()).toEqual({ indexes: [], damaged: [], remarks: [] });
  expect(readdirSync(join(folder, '..', 'damaged', A))).toContain('record.json');
});

test('documents go, the record stays, until it goes too', async () => {
  await records.save(indexOf(A));
  mkdirSync(records.dataFolder(A), { recursive: true });
  await records.removeData(A);
  expect(existsSync(records.dataFolder(A))).toBe(false);
  expect((await records.load()).indexes).toHaveLength(1);
  await records.remove(A);
  expect(readdirSync(folder)).toEqual([]);
});

test('an index that is listed and gone is told with its name, and keeps it', async () => {
  await records.save(indexOf(A));
  mkdirSync(join(folder, HURT));
  const listed = new Map([
    [A, `name-${A}`],
    [B, 'lost'],
    [HURT, 'emptied'],
  ]);
  const { indexes, damaged } = await records.load(listed);
  expect(indexes.map(({ id }) => id)).toEqual([A]);
  expect(damaged).toEqual([
    { id: HURT, name: 'emptied', reason: `${join(folder, HURT, 'record.json')} is missing` },
    { id: B, name: 'lost', reason: `${join(folder, B)} is missing` },
  ]);
  expect(existsSync(join(folder, HURT))).toBe(true);
});

test.each([
  ['the one that is listed', new Map([[B, 'boots']]), B],
  ['of two that are not listed the one that was made first', new Map<string, string>(), A],
])('of two indexes with one name %s keeps it, and the other is closed', async (_what, listed, owner) => {
  await records.save(indexOf(A, { name: 'boots' }));
  await records.save(indexOf(B, { name: 'boots', createdAt: '2026-02-02T03:04:05.678Z' }));
  await records.save(indexOf(WELL, { name: 'boots', state: 'DELETED' }));
  const { indexes, damaged } = await records.load(listed);
  expect(indexes.filter(({ state }) => state !== 'DELETED').map(({ id }) => id)).toEqual([owner]);
  expect(damaged).toEqual([
    { id: owner === A ? B : A, name: 'boots', reason: expect.stringContaining('has the name of another index, boots') },
  ]);
});

test('an index in whose place is the folder of another keeps its name, as it is listed', async () => {
  for (const [id, name] of [
    [A, 'boots'],
    [B, 'hats'],
  ] as const) {
    await records.save({ ...indexOf(id), name });
  }
  rmSync(records.folder(A), { recursive: true });
  cpSync(records.folder(B), records.folder(A), { recursive: true });
  const listed = new Map([
    [A, 'boots'],
    [B, 'hats'],
  ]);
  const { indexes, damaged } = await new RecordStore(folder).load(listed);
  expect(indexes.map(({ name }) => name)).toEqual(['hats']);
  expect(damaged).toEqual([{ id: A, name: 'boots', reason: expect.stringContaining('is another file') }]);
});
