import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Inventory } from '@pelorus/files';
import { IndexHosting } from '@pelorus/hosted';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Shops } from '../src/index.js';

const A = 'a'.repeat(16);
const B = 'b'.repeat(16);
const GONE = 'c'.repeat(16);
const unfinished = (name: string) => `${name}.00000000-0000-0000-0000-000000000000.tmp`;
const versionOf = (version: number) => ({
  version,
  updatedAt: version === 0 ? null : '2026-11-23T12:00:00.000Z',
  settings: version === 0 ? {} : { customerId: `customer-${version}`, requireApiKey: true },
});

let folder: string;
let told: object[];
const at = (...names: string[]) => join(folder, ...names);
const settingsOf = (id: string) => at('shops', 'settings', id);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-older-places-'));
  told = [];
  const resources = { storageClass: 'svc.basic', numberOfShards: 1, numberOfReplicas: 0 };
  for (const [id, name] of [
    [A, 'boots'],
    [B, 'hats'],
  ] as const) {
    const shop = { indexId: `0-${name}`, modelType: 'custom', collectionField: 'productCollections' };
    const state = {
      state: 'READY',
      failure: null,
      createdAt: '2026-01-02T03:04:05.678Z',
      changedAt: '2026-01-02T03:04:05.678Z',
    };
    const record = {
      id,
      name,
      ...state,
      settings: {},
      resources: { ...resources, inferenceType: 'svc.CPU.small', numberOfInferences: 0 },
      shop,
    };
    await mkdir(at('indexes', id, 'data'), { recursive: true });
    await writeFile(at('indexes', id, 'record.json'), JSON.stringify(record, null, 1));
  }
  for (const name of ['settings', 'help-centres']) await mkdir(at('shops', name), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

async function open() {
  const report = (_level: string, fields: object) => told.push(fields);
  const command = { file: process.execPath, args: [], env: {} };
  const inventory = await Inventory.open(at('inventory.json'), () => undefined);
  const hosted = await IndexHosting.open({
    folder: at('indexes'),
    inventory,
    socketFolder: folder,
    command,
    indexesMax: 9,
    modelMemoryMax: 4,
    report,
  });
  const shops = await Shops.open({
    hosted,
    limits: { limitMax: 1000, offsetMax: 10_000, contextDocumentsMax: 10 },
    inventory,
    folder: at('shops'),
    tell: (fields) => told.push(fields),
  });
  return {
    shops,
    close: async () => {
      await shops.close();
      await hosted.close();
    },
  };
}

test('files in the older folders, one for each kind, move beside their index, and stay there', async () => {
  await mkdir(settingsOf(A));
  for (const version of [1, 2])
    await writeFile(join(settingsOf(A), `${version}.json`), JSON.stringify(versionOf(version)));
  await writeFile(
    at('shops', 'contexts.json'),
    JSON.stringify({ [A]: { text: 'Boots.', updatedAt: '2026-01-01T00:00:00Z' } }),
  );
  await writeFile(
    at('shops', 'help-centres', `${A}.json`),
    JSON.stringify([{ id: 'a', title: 'Returns', text: 'A month.' }]),
  );
  for (let start = 1; start <= 2; start += 1) {
    const { shops, close } = await open();
    const boots = shops.get('boots');
    expect(shops.settings(boots)).toMatchObject({ version: 2, settings: { customerId: 'customer-2' } });
    expect(shops.context(boots).value.text).toBe('Boots.');
    expect(shops.helpCentre(boots).find('returns', 1)).toHaveLength(1);
    expect(shops.settings(shops.get('hats')).version).toBe(0);
    expect([shops.faults(), told]).toEqual([[], []]);
    await close();
  }
  const names = await readdir(at('indexes', A));
  expect(names.toSorted()).toEqual([
    ...['context.json', 'data', 'help-centre.json', 'name.json', 'record.json', 'settings', 'shop.json'],
  ]);
  expect([await readdir(at('shops', 'settings')), await readdir(at('shops'))]).toEqual([
    [],
    ['help-centres', 'settings'],
  ]);
});

test('a file that was moved is sealed, so that its next damage is told', async () => {
  await mkdir(settingsOf(A));
  await writeFile(join(settingsOf(A), '1.json'), JSON.stringify(versionOf(1)));
  await writeFile(at('shops', 'help-centres', `${A}.json`), '[]');
  await (await open()).close();
  for (const name of ['record.json', 'settings/1.json', 'help-centre.json']) {
    expect(await readFile(at('indexes', A, name), 'utf8'), name).toMatch(/^\{"format":2,/);
  }
  const path = at('indexes', A, 'settings/1.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace('requireApiKey', 'requireApjKey'));
  const { shops, close } = await open();
  expect(() => shops.get('boots')).toThrow('Files of this shop cannot be read');
  await close();
});

test.each([
  { title: 'nothing of it done', done: [] },
  { title: 'cut short by a crash', done: ['3.json', unfinished('2.json')] },
])('versions that stood in one file have one each, $title', async ({ done }) => {
  await writeFile(`${settingsOf(A)}.json`, `${JSON.stringify([3, 2, 1, 0].map(versionOf))}\n`);
  await mkdir(settingsOf(A));
  for (const name of done) {
    await writeFile(join(settingsOf(A), name), name === '3.json' ? JSON.stringify(versionOf(3)) : '{');
  }
  const { shops, close } = await open();
  const versions = shops.settingsVersions(shops.get('boots'));
  expect(versions.map(({ version }) => version)).toEqual([3, 2, 1, 0]);
  expect(versions[0]).toEqual(versionOf(3));
  await close();
});

test.each([
  [
    'a version that is cut',
    async () => {
      await mkdir(settingsOf(A));
      await writeFile(join(settingsOf(A), '1.json'), '{"version":1,');
    },
  ],
  ['a file of versions that is noise', () => writeFile(`${settingsOf(A)}.json`, 'noise')],
])('%s closes its shop and no other', async (_what, damage) => {
  await damage();
  for (let start = 1; start <= 2; start += 1) {
    const { shops, close } = await open();
    expect(() => shops.get('boots')).toThrow('Files of this shop cannot be read');
    expect(shops.byIndexId('0-boots')?.closed?.code).toBe('backend_data_parsing_error');
    expect(shops.faults()).toEqual([{ name: 'boots', reason: expect.any(String) }]);
    expect(shops.settings(shops.get('hats')).version).toBe(0);
    await close();
  }
});

test('contexts that cannot be read close what is said by them, until each shop has its own', async () => {
  await writeFile(at('shops', 'contexts.json'), '{"');
  const { shops, close } = await open();
  const boots = shops.get('boots');
  expect(() => shops.context(boots).value).toThrow('Files of this shop cannot be read');
  await shops.context(boots).put('Boots.');
  expect(shops.context(boots).value.text).toBe('Boots.');
  await close();
  await rm(at('shops', 'contexts.json'));
  const again = await open();
  expect(again.shops.context(again.shops.get('boots')).value.text).toBe('Boots.');
  expect([again.shops.context(again.shops.get('hats')).value.text, again.shops.faults()]).toEqual(['', []]);
  await again.close();
});

test('something else in the place of the folder of shops keeps no shop from being served', async () => {
  await rm(at('shops'), { recursive: true });
  await writeFile(at('shops'), 'a file');
  const { shops, close } = await open();
  expect(shops.settings(shops.get('boots')).version).toBe(0);
  expect(shops.collections.fault).toContain('collections.json');
  await shops.changeSettings(shops.get('boots'), { customerId: 'mine' }, null);
  await close();
});

test('settings of an index whose record cannot be read, and of none, are told and left alone', async () => {
  await writeFile(at('indexes', A, 'record.json'), '{"id":');
  for (const id of [A, GONE]) await writeFile(`${settingsOf(id)}.json`, JSON.stringify([versionOf(1)]));
  const { shops, close } = await open();
  expect((await readdir(at('shops', 'settings'))).toSorted()).toEqual([`${A}.json`, `${GONE}.json`]);
  expect(told).toEqual([expect.objectContaining({ id: A }), { path: `${settingsOf(GONE)}.json` }]);
  expect(() => shops.get('boots')).toThrow();
  await close();
});
