import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inventory } from '@pelorus/files';
import { expect, test, vi } from 'vitest';
import { aliasesIn } from '../conformance/aliases.js';
import { definition } from '../conformance/fixtures.js';
import { EmbeddedEngine } from '../src/index.js';
import { temporaryDirectory } from './support.js';

/** A directory with the alias `shop` of `b`, an earlier copy of its file, and a way to open it. */
async function directoryWithAlias() {
  const directory = await temporaryDirectory();
  const path = join(directory, 'aliases.json');
  const openInventory = () => Inventory.open(join(directory, 'inventory.json'), () => undefined);
  const open = async (inventory?: Inventory) =>
    EmbeddedEngine.open(directory, {}, inventory ?? (await openInventory()));
  const engine = await open();
  for (const name of ['a', 'b']) await engine.createIndex(name, definition);
  await aliasesIn(engine).change([{ alias: 'shop', index: 'a' }]);
  const earlier = await readFile(path);
  await aliasesIn(engine).change([{ alias: 'shop', index: 'b' }]);
  await engine.close();
  return { path, open, openInventory, earlier, whole: await readFile(path) };
}

test('a file that is gone, older or damaged is told, and nothing is guessed of the aliases', async () => {
  const { path, open, earlier, whole } = await directoryWithAlias();
  const flipped = Buffer.from(whole);
  flipped.writeUInt8(flipped.readUInt8(whole.length - 5) ^ 1, whole.length - 5);
  const damages: [string, Buffer | null, string][] = [
    ['gone', null, 'is gone'],
    ['older', earlier, 'is an older copy'],
    ['one bit', flipped, 'is damaged'],
    ['cut', whole.subarray(0, whole.length - 3), 'is damaged'],
    ['emptied', Buffer.alloc(0), 'is damaged'],
    ['by hand', Buffer.from('{"shop":"a"}'), 'is damaged'],
  ];
  for (const [name, bytes, reason] of damages) {
    if (bytes === null) await rm(path);
    else await writeFile(path, bytes);
    const engine = await open();
    const { now, change } = aliasesIn(engine);
    expect(now(), name).toEqual({ indexes: new Map(), fault: expect.stringContaining(`aliases.json ${reason}`) });
    const refused = { code: 'backend_data_parsing_error' };
    await expect(change([{ alias: 'x', index: 'a' }]), name).rejects.toMatchObject(refused);
    await expect(engine.createIndex('shop', definition), name).rejects.toMatchObject(refused);
    await expect(engine.dropIndex('a'), name).rejects.toMatchObject(refused);
    expect(await engine.listIndexes()).toEqual(['a', 'b']);
    await engine.close();
  }
  await writeFile(path, whole);
  const engine = await open();
  expect([...aliasesIn(engine).now().indexes]).toEqual([['shop', 'b']]);
  await engine.close();
});

test('whoever writes {} into the file begins without aliases', async () => {
  const { path, open } = await directoryWithAlias();
  await writeFile(path, '{}\n');
  let engine = await open();
  expect(aliasesIn(engine).now()).toEqual({ indexes: new Map(), fault: null });
  await aliasesIn(engine).change([{ alias: 'other', index: 'a' }]);
  await engine.close();
  engine = await open();
  expect(aliasesIn(engine).now()).toEqual({ indexes: new Map([['other', 'a']]), fault: null });
  await engine.close();
});

test('a change that fails on its way to the disk is undone before an index that it names is dropped', async () => {
  const { path, open } = await directoryWithAlias();
  const engine = await open();
  const { change, now } = aliasesIn(engine);
  await rm(path);
  // A folder cannot be replaced by a file.
  await mkdir(join(path, 'in-the-way'), { recursive: true });
  await expect(change([{ alias: 'shop', index: 'a' }])).rejects.toThrow();
  expect([...now().indexes]).toEqual([['shop', 'b']]);
  await expect(engine.dropIndex('a')).rejects.toThrow();
  await rm(path, { recursive: true });
  await engine.dropIndex('a');
  expect(String(await readFile(path))).toContain('{"shop":"b"}');
  await engine.close();
});

test('an index that a version without aliases made keeps the name of an alias', async () => {
  const { path, open, whole } = await directoryWithAlias();
  await writeFile(path, '{}');
  let engine = await open();
  await engine.createIndex('shop', definition);
  await engine.close();
  await writeFile(path, whole);
  engine = await open();
  expect([...aliasesIn(engine).now().indexes]).toEqual([]);
  expect(await engine.listIndexes()).toEqual(['a', 'b', 'shop']);
  await engine.close();
});

test('a full disk refuses a change, and the start after a crash removes what it left unfinished', async () => {
  const { path, open, openInventory } = await directoryWithAlias();
  const unfinished = `${path}.01234567-89ab-cdef-0123-456789abcdef.tmp`;
  await writeFile(unfinished, 'half');
  const inventory = await openInventory();
  const engine = await open(inventory);
  await expect(readFile(unfinished)).rejects.toMatchObject({ code: 'ENOENT' });
  const { change, now } = aliasesIn(engine);
  const full = vi.spyOn(inventory, 'least').mockImplementation(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  await expect(change([{ alias: 'shop', index: 'a' }])).rejects.toMatchObject({ code: 'insufficient_storage' });
  expect([...now().indexes]).toEqual([['shop', 'b']]);
  full.mockRestore();
  await change([{ alias: 'shop', index: 'a' }]);
  expect([...now().indexes]).toEqual([['shop', 'a']]);
  await engine.close();
});
