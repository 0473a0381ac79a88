import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Inventory, readNewest, readSealed, writeNext } from '../src/index.js';

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

test('one that is gone beside other files is told, and begun with what is found', async () => {
  await (await open()).add('events');
  writeFileSync(join(folder, 'other'), '');
  rmSync(join(folder, 'inventory.json'));
  expect((await open()).has('events')).toBe(false);
  expect(told).toEqual(['inventory.json is not there beside other: it is begun with what is found']);
});

test.each(['noise', '{}', '{"events":""}'])(
  'one that holds %s is told and kept aside, and begun anew',
  async (bytes) => {
    writeFileSync(join(folder, 'inventory.json'), bytes);
    const inventory = await open();
    await inventory.add('events');
    expect(told).toEqual([expect.stringContaining('is damaged')]);
    expect(readdirSync(folder).sort()).toEqual(['inventory.json', 'inventory.json.damaged']);
    for (const each of [inventory, await open()]) {
      expect(each.fault).toMatch(/may be lost.* remove inventory\.json\.damaged/);
    }
    expect(told.splice(0)).toHaveLength(2);
    rmSync(join(folder, 'inventory.json.damaged'));
    const again = await open();
    expect([again.fault, again.has('events'), told]).toEqual([null, true, []]);
  },
);

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

test('a damaged one is left as it is until it is begun', async () => {
  writeFileSync(join(folder, 'inventory.json'), 'noise');
  const inventory = await open();
  expect([readdirSync(folder), inventory.fault !== null]).toEqual([['inventory.json'], true]);
  await inventory.begin();
  expect(readdirSync(folder).sort()).toEqual(['inventory.json', 'inventory.json.damaged']);
  expect(told).toEqual([expect.stringContaining('is damaged')]);
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
  await expect(inventory.add('events')).rejects.toThrow('ENOENT');
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
