import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
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

test('drafts of a crash are removed by the first write to their folder', async () => {
  const root = emptyFolder();
  mkdirSync(join(root, 'pieces/ab'), { recursive: true });
  writeFileSync(join(root, 'pieces/ab/.draft-of-a-crash'), 'half');
  await new FolderDestination(root).write('pieces/ab/one', Buffer.from('whole'));
  expect(readdirSync(join(root, 'pieces/ab'))).toEqual(['one']);
});

test('a folder that could not be made is made by a later write', async () => {
  const root = emptyFolder();
  const destination = new FolderDestination(join(root, 'place'));
  writeFileSync(join(root, 'place'), '');
  await expect(destination.write('a/b', Buffer.from('1'))).rejects.toThrow('cannot be used');
  const other = new FolderDestination(root);
  await other.remove('place');
  await destination.write('a/b', Buffer.from('1'));
  expect(await destination.read('a/b')).toEqual(Buffer.from('1'));
});
