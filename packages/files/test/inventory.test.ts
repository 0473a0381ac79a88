import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Inventory, readNewest, readSealed, sealed, writeNext } from '../src/index.js';

let folder: string;
let told: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-inventory-'));
  told = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => Inventory.open(join(folder, 'inventory.json'), (reason) => told.push(reason));

test('added entries are there after the next start, by their kind, and dropped ones are not', async () => {
  const inventory = await open();
  await Promise.all([inventory.add('index/a', 'boots'), inventory.add('index/b', 'hats'), inventory.add('events')]);
  await inventory.drop('index/b');
  await inventory.add('index/a', 'boots again');
  for (const each of [inventory, await open()]) {
    expect(each.of('index')).toEqual(new Map([['a', 'boots again']]));
    expect([each.has('events'), each.has('index/b'), each.has('toString')]).toEqual([true, false, false]);
  }
  expect(told).toEqual([]);
});

const LIST = 'inventory.json';
const COPIES = ['inventory.copy-1.json', 'inventory.copy-2.json'];
const [COPY = ''] = COPIES;
const at = (name: string) => join(folder, name);
const ALL_LISTS = [LIST, ...COPIES];

test.each(ALL_LISTS)('a %s that is gone, damaged or older loses nothing, is told and written anew', async (name) => {
  const inventory = await open();
  await inventory.add('index/a', 'boots');
  const older = readFileSync(at(name));
  await inventory.add('events');
  for (const damage of [
    () => rmSync(at(name)),
    () => writeFileSync(at(name), 'noise'),
    () => writeFileSync(at(name), older),
  ]) {
    damage();
    const again = await open();
    expect([again.has('events'), again.fault, told]).toEqual([true, null, []]);
    await again.begin();
    expect([again.has('events'), again.of('index').get('a'), again.fault]).toEqual([true, 'boots', null]);
    expect(told.splice(0)).toEqual([expect.stringContaining(`${name} `)]);
    expect(readFileSync(at(LIST))).toEqual(readFileSync(at(COPY)));
    expect(readdirSync(folder).sort()).toEqual(ALL_LISTS.toSorted());
  }
  await (await open()).begin();
  expect(told).toEqual([]);
});

test('one of before there was a copy gets one without a word', async () => {
  writeFileSync(at(LIST), sealed({ events: '' }, { name: 'inventory' }));
  const inventory = await open();
  await inventory.begin();
  expect([inventory.has('events'), inventory.fault, told]).toEqual([true, null, []]);
  expect(readFileSync(at(LIST))).toEqual(readFileSync(at(COPY)));
});

describe.each([
  ['gone beside what services keep', () => mkdirSync(at('indexes'))],
  ['noise', () => writeFileSync(at(LIST), 'noise')],
  ['without a seal', () => writeFileSync(at(LIST), '{"events":""}')],
  ['noise, as its copies', () => ALL_LISTS.map((name) => writeFileSync(at(name), 'noise'))],
  ['gone, and a copy noise', () => writeFileSync(at(COPY), 'noise')],
])('one that is %s', (_how, lose) => {
  test('is told, begun anew by its owner alone, and a fault until that is acknowledged', async () => {
    lose();
    const before = readdirSync(folder);
    const reader = await open();
    await reader.create();
    await reader.raise('a', 3);
    expect([reader.fault, told]).toEqual([expect.stringMatching(/remove inventory\.json\.damaged/), []]);
    expect(readdirSync(folder)).toEqual(before);
    const owner = await open();
    await owner.begin();
    await owner.add('events');
    expect(told.splice(0)).toEqual([
      expect.stringMatching(/inventory\.json (is damaged|is gone beside indexes)|copy-1\.json is damaged/),
    ]);
    for (const each of [owner, await open()]) expect(each.fault).toMatch(/remove inventory\.json\.damaged/);
    expect(told.splice(0)).toHaveLength(1);
    rmSync(at('inventory.json.damaged'));
    const again = await open();
    expect([again.fault, again.has('events'), told]).toEqual([null, true, []]);
  });
});

test('one is made in a folder of others, and before the first of what it names', async () => {
  writeFileSync(at('other'), '');
  const inventory = await open();
  await inventory.create();
  expect(readdirSync(folder).sort()).toEqual([...ALL_LISTS, 'other'].toSorted());
  mkdirSync(at('indexes'));
  const again = await open();
  await again.begin();
  expect([again.fault, told]).toEqual([null, []]);
});

test('changes of several processes at once are all there', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, open));
  await Promise.all(all.flatMap((one, at) => [one.add(`index/${at}`), one.raise(`file/${at}`, at + 1)]));
  const { of, least } = await open().then((one) => ({ of: one.of('index'), least: one.least('file/3') }));
  expect([[...of.keys()].toSorted(), least]).toEqual([['0', '1', '2', '3'], 4]);
});

test('the list that its owner has in memory counts while it runs, whatever becomes of the copies', async () => {
  const inventory = await open();
  await inventory.begin();
  await inventory.add('index/a');
  for (const name of ALL_LISTS) rmSync(at(name));
  mkdirSync(at('indexes'));
  await inventory.add('index/b');
  expect([...(await open()).of('index').keys()]).toEqual(['a', 'b']);
});

test('one that is begun while it is written loses nothing', async () => {
  const inventory = await open();
  await Promise.all([inventory.add('keys'), inventory.begin(), inventory.add('events')]);
  expect((await open()).has('keys')).toBe(true);
});

test('a change by another process between the reading and the beginning counts', async () => {
  const other = await open();
  for (const id of ['a', 'b']) await other.add(`index/${id}`);
  const [begun, changed] = [await open(), await open()];
  await other.drop('index/a');
  await begun.begin();
  await changed.add('events');
  for (const each of [begun, changed, await open()]) expect(each.of('index')).toEqual(new Map([['b', '']]));
  expect(told).toEqual([]);
});

test('one that was begun empty is not missed by the next start', async () => {
  await (await open()).begin();
  writeFileSync(join(folder, 'other'), '');
  await (await open()).begin();
  expect(told).toEqual([]);
});

test('an entry that cannot be written is refused, and the next one is written', async () => {
  const inventory = await open();
  rmSync(folder, { recursive: true });
  await expect(inventory.add('events')).rejects.toThrow('No such file');
  expect(existsSync(folder)).toBe(false);
  await (await open()).begin();
  await inventory.add('keys');
  expect([(await open()).has('events'), inventory.has('keys')]).toEqual([false, true]);
});

test('a file that is older than its noted generation is refused, and a newer one is noted', async () => {
  const inventory = await open();
  const form = { name: 'a/counter', isValue: (value: unknown) => typeof value === 'number' };
  const path = join(folder, 'counter.json');
  let generation = 0;
  const older: Buffer[] = [];
  for (const value of [5, 6, 7]) {
    generation = await writeNext(path, { value, generation }, form, inventory);
    older.push(readFileSync(path));
  }
  expect(await readNewest(path, form, inventory)).toEqual({ value: 7, generation: 3 });
  expect(await readSealed(path, form)).toBe(7);
  writeFileSync(path, older[1] as Buffer);
  await expect(readNewest(path, form, await open())).rejects.toThrow(
    'older copy: it is of generation 2, and 3 was stored',
  );
  expect(await writeNext(path, { value: 8, generation: 0 }, form, inventory)).toBe(4);
  await inventory.forget('b/');
  expect(inventory.least('a/counter')).toBe(4);
  await inventory.forget('a/');
  writeFileSync(path, older[0] as Buffer);
  expect(await readNewest(path, form, inventory)).toEqual({ value: 5, generation: 1 });
  expect((await open()).least('a/counter')).toBe(1);
});

test('the generation of a file cannot be changed', async () => {
  const inventory = await open();
  const form = { name: 'counter', isValue: (value: unknown) => typeof value === 'number' };
  const path = join(folder, 'counter.json');
  await writeNext(path, { value: 5, generation: 0 }, form, inventory);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"generation":1', '"generation":2'));
  await expect(readNewest(path, form, inventory)).rejects.toThrow('is damaged');
});
