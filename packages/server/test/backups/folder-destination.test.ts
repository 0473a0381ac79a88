import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderDestination } from '../../src/backups/folder-destination.js';
import { emptyFolder } from './fixtures.js';

test('objects that are written to a new folder at once are all stored', async () => {
  const bytes = randomBytes(64 * 1024);
  for (let round = 0; round < 20; round += 1) {
    const destination = new FolderDestination(emptyFolder());
    const names = Array.from({ length: 8 }, (_, i) => `pieces/ab/${i}`);
    await Promise.all(names.map((name) => destination.write(name, bytes)));
    for (const name of names) expect(await destination.read(name)).toEqual(bytes);
  }
});

test('drafts of a crash are removed by the first write to their folder, and those of others under way stay', async () => {
  const root = emptyFolder();
  const folder = join(root, 'locks');
  mkdirSync(folder);
  for (const name of ['.draft-of-a-crash', '.draft-of-another']) writeFileSync(join(folder, name), 'half');
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(join(folder, '.draft-of-a-crash'), anHourAgo, anHourAgo);
  await new FolderDestination(root).write('locks/one', Buffer.from('whole'));
  expect(readdirSync(folder).sort()).toEqual(['.draft-of-another', 'one']);
});

test('objects are removed together, and one that is not there is no error', async () => {
  const root = emptyFolder();
  const destination = new FolderDestination(root);
  for (const name of ['a/1', 'a/2', 'b/1']) await destination.write(name, Buffer.from(name));
  await destination.remove(['a/1', 'b/1', 'a/gone', 'nowhere/1']);
  expect(readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()).toEqual(['a', 'a/2', 'b']);
});

test('a folder that could not be made is made by a later write', async () => {
  const root = emptyFolder();
  const destination = new FolderDestination(join(root, 'place'));
  writeFileSync(join(root, 'place'), '');
  await expect(destination.write('a/b', Buffer.from('1'))).rejects.toThrow('cannot be used');
  const other = new FolderDestination(root);
  await other.remove(['place']);
  await destination.write('a/b', Buffer.from('1'));
  expect(await destination.read('a/b')).toEqual(Buffer.from('1'));
});
