import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Inventory } from '../src/index.js';

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
  await open();
  await inventory.add('keys');
  expect([(await open()).has('events'), inventory.has('keys')]).toEqual([false, true]);
});
