import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultResources, type HostedIndex } from '../src/index.js';
import { RecordStore } from '../src/record-store.js';

let folder: string;
let records: RecordStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-records-'));
  records = new RecordStore(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

test('what was saved last is what is loaded', async () => {
  await records.save(indexOf('a'));
  await records.save(indexOf('b'));
  await records.save(indexOf('a', { state: 'DELETING' }));
  const { indexes, damaged } = await records.load();
  expect(indexes.toSorted((x, y) => (x.id < y.id ? -1 : 1))).toEqual([
    indexOf('a', { state: 'DELETING' }),
    indexOf('b'),
  ]);
  expect(damaged).toEqual([]);
  expect(readdirSync(join(folder, 'a'))).toEqual(['record.json']);
});

test('what a crash left of a write is removed, and the record of before counts', async () => {
  await records.save(indexOf('a'));
  writeFileSync(join(folder, 'a', 'record.json.5a0b1c7e-5a0b-4c7e-8a0b-5a0b1c7e5a0b.tmp'), '{"id":');
  expect(await records.load()).toEqual({ indexes: [indexOf('a')], damaged: [] });
  expect(readdirSync(join(folder, 'a'))).toEqual(['record.json']);
});

test('a folder that never came to have a record is swept away', async () => {
  mkdirSync(join(folder, 'half'));
  writeFileSync(join(folder, 'half', 'record.json.123.tmp'), '{"id":');
  expect(await records.load()).toEqual({ indexes: [], damaged: [] });
  expect(existsSync(join(folder, 'half'))).toBe(false);
});

test('documents whose record is missing are told and left alone', async () => {
  mkdirSync(records.dataFolder('orphan'), { recursive: true });
  expect((await records.load()).damaged).toEqual([{ id: 'orphan', reason: expect.stringContaining('ENOENT') }]);
  expect(existsSync(records.dataFolder('orphan'))).toBe(true);
});

test.each([
  ['is no JSON', '{"id": "hurt"'],
  ['is of another index', JSON.stringify(indexOf('other'))],
])('a record that %s is told and left alone, documents and all', async (_about, text) => {
  mkdirSync(records.dataFolder('hurt'), { recursive: true });
  writeFileSync(join(folder, 'hurt', 'record.json'), text);
  await records.save(indexOf('well'));
  const { indexes, damaged } = await records.load();
  expect(indexes).toEqual([indexOf('well')]);
  expect(damaged).toEqual([{ id: 'hurt', reason: expect.any(String) }]);
  expect(existsSync(records.dataFolder('hurt'))).toBe(true);
});

test('documents go, the record stays, until it goes too', async () => {
  await records.save(indexOf('a'));
  mkdirSync(records.dataFolder('a'), { recursive: true });
  await records.removeData('a');
  expect(existsSync(records.dataFolder('a'))).toBe(false);
  expect((await records.load()).indexes).toHaveLength(1);
  await records.remove('a');
  expect(readdirSync(folder)).toEqual([]);
});
