import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { filesOfOneMoment } from '../../src/backups/index.js';
import { allOf, emptyFolder } from './fixtures.js';

async function textsOf(folder: string, places: readonly string[], isLeftOut?: (place: string) => boolean) {
  const files = await filesOfOneMoment(folder, places, isLeftOut);
  const texts = files.map(async ({ path, read }) => [path, Buffer.concat(await allOf(read())).toString()]);
  return Object.fromEntries(await Promise.all(texts));
}

test('files of folders are read by their places, but for drafts, locks and what is left out', async () => {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'keys/data'), { recursive: true });
  for (const path of ['keys/a.json', 'keys/draft-1', 'keys/x.tmp', 'keys.lock', 'keys/data/b', 'other', 'keys.json']) {
    writeFileSync(join(folder, path), path);
  }
  const read = await textsOf(folder, ['keys.json', 'keys', 'missing'], (place) => place === 'keys/data');
  expect(read).toEqual({ 'keys.json': 'keys.json', 'keys/a.json': 'keys/a.json' });
});

test('files that are replaced while they are read come all of one moment', async () => {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'keys'));
  const names = Array.from({ length: 20 }, (_, at) => `keys/${at}.json`);
  const replaceAll = (state: string) => {
    for (const name of names) {
      writeFileSync(join(folder, 'next'), state);
      renameSync(join(folder, 'next'), join(folder, name));
    }
  };
  replaceAll('0');
  let isDone = false;
  const writing = (async () => {
    for (let state = 1; state <= 40; state += 1) {
      replaceAll(String(state));
      await turn();
    }
    isDone = true;
  })();
  while (!isDone) expect(new Set(Object.values(await textsOf(folder, ['keys']))).size).toBe(1);
  await writing;
  rmSync(folder, { recursive: true });
});
