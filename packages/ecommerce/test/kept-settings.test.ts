import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IndexHosting } from '@pelorus/hosted';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Shops } from '../src/index.js';

const VERSIONS = '[{"version":1,"updatedAt":"2026-11-23T12:00:00.000Z","settings":{}}]\n';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-kept-settings-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('settings go with their index, and stay while its record cannot be read', async () => {
  const [indexes, settings] = [join(folder, 'indexes'), join(folder, 'shops', 'settings')];
  for (const made of [join(indexes, 'damaged'), settings]) await mkdir(made, { recursive: true });
  await writeFile(join(indexes, 'damaged', 'record.json'), '{"id":');
  for (const id of ['damaged', 'deleted']) await writeFile(join(settings, `${id}.json`), VERSIONS);
  const reported: object[] = [];
  const hosted = await IndexHosting.open({
    folder: indexes,
    socketFolder: folder,
    command: { file: process.execPath, args: [], env: {} },
    indexesMax: 1,
    report: (_level, fields) => reported.push(fields),
  });
  const shops = await Shops.open({ hosted, folder: join(folder, 'shops') });
  expect(await readdir(settings)).toEqual(['damaged']);
  expect(reported).toEqual([expect.objectContaining({ id: 'damaged' })]);
  await shops.close();
  await hosted.close();
});
