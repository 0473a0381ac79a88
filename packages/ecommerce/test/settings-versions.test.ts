import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SettingsStore } from '../src/settings-store.js';

const id = '0123456789abcdef-shop';
const unfinished = (name: string) => `${name}.00000000-0000-0000-0000-000000000000.tmp`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-settings-'));
});
afterEach(() => rm(folder, { recursive: true }));

const open = () => SettingsStore.open(folder, (name) => name === id);
const change = (store: SettingsStore, number: number) => store.change(id, { customerId: `customer-${number}` }, null);
const numbersOf = (store: SettingsStore) => store.versions(id).map(({ version }) => version);
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, age) => from - age);
const files = async () => (await readdir(join(folder, id))).sort();

test('a change writes its own version and leaves the files of the others alone', async () => {
  const store = await open();
  for (let number = 1; number <= 5; number += 1) await change(store, number);
  const before = await stat(join(folder, id, '5.json'));
  await change(store, 6);
  expect(await files()).toEqual(['1.json', '2.json', '3.json', '4.json', '5.json', '6.json']);
  const after = await stat(join(folder, id, '5.json'));
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

test('twenty versions are kept, over a restart too', async () => {
  let store = await open();
  expect(numbersOf(store)).toEqual([0]);
  for (let number = 1; number <= 25; number += 1) {
    await change(store, number);
    if (number % 7 === 0) store = await open();
    expect(numbersOf(store)).toEqual(down(number, Math.max(0, number - 19)));
  }
  expect(await files()).toHaveLength(20);
  store = await open();
  expect(numbersOf(store)).toEqual(down(25, 6));
  expect(store.versions(id).map(({ settings }) => settings.customerId)).toEqual(
    down(25, 6).map((number) => `customer-${number}`),
  );
});

test('changes at the same time are one version each', async () => {
  const store = await open();
  const changes = [1, 2, 3, 4].map((number) => change(store, number));
  expect((await Promise.all(changes)).map(({ version }) => version)).toEqual([1, 2, 3, 4]);
  const refused = store.change(id, { customerId: 'x' }, 3);
  await expect(refused).rejects.toThrow('The settings are of version 4, not 3');
  expect(numbersOf(await open())).toEqual([4, 3, 2, 1, 0]);
});

test('what a crash cut short is gone after the next start', async () => {
  const store = await open();
  for (let number = 1; number <= 22; number += 1) await change(store, number);
  await writeFile(join(folder, id, unfinished('23.json')), '{"version":');
  await writeFile(join(folder, id, '2.json'), await readFile(join(folder, id, '22.json')));
  expect(numbersOf(await open())).toEqual(down(22, 3));
  expect(await files()).toEqual(
    down(22, 3)
      .map((number) => `${number}.json`)
      .sort(),
  );
});

const versionOf = (version: number) => ({
  version,
  updatedAt: version === 0 ? null : '2026-11-23T12:00:00.000Z',
  settings: version === 0 ? {} : { customerId: `customer-${version}` },
});

test.each([
  { title: 'nothing of it done', done: [] },
  { title: 'cut short by a crash', done: ['3.json', unfinished('2.json')] },
])('versions that stood in one file have one each, $title', async ({ done }) => {
  const together = down(3, 0).map(versionOf);
  await writeFile(join(folder, `${id}.json`), `${JSON.stringify(together)}\n`);
  await mkdir(join(folder, id));
  for (const name of done) {
    await writeFile(join(folder, id, name), name === '3.json' ? JSON.stringify(versionOf(3)) : '{');
  }
  const store = await open();
  expect(store.versions(id).slice(0, 3)).toEqual(together.slice(0, 3));
  expect(numbersOf(store)).toEqual([3, 2, 1, 0]);
  expect(await readdir(folder)).toEqual([id]);
  expect(await files()).toEqual(['1.json', '2.json', '3.json']);
  await change(store, 4);
  expect(numbersOf(await open())).toEqual([4, 3, 2, 1, 0]);
});

test('a version that cannot be read is named, and left as it is', async () => {
  await change(await open(), 1);
  await writeFile(join(folder, id, '1.json'), '{');
  await expect(open()).rejects.toThrow(/1\.json cannot be read/);
  expect(await readFile(join(folder, id, '1.json'), 'utf8')).toBe('{');
});

test('a shop that is deleted leaves nothing', async () => {
  const store = await open();
  await change(store, 1);
  await store.remove(id);
  expect(await readdir(folder)).toEqual([]);
  expect(numbersOf(store)).toEqual([0]);
});
