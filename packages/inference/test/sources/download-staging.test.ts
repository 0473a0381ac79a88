import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DownloadStaging } from '../../src/sources/download-staging.js';
import { temporaryDirectory } from '../temporary-directory.js';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

async function setUp(bytesMax = 1000) {
  const root = join(await temporaryDirectory(), '.incoming');
  const staging = new DownloadStaging(root, bytesMax);
  /** Leaves files of 100 bytes, last written to so long ago. */
  const leave = async (name: string, files: string[], agoMs = 0) => {
    const folder = staging.folder(name);
    await mkdir(folder, { recursive: true });
    for (const file of files) await writeFile(join(folder, file), Buffer.alloc(100));
    const then = new Date(Date.now() - agoMs);
    for (const path of [...files.map((file) => join(folder, file)), folder]) await utimes(path, then, then);
  };
  const left = async () => (await readdir(root)).sort();
  return { staging, leave, left };
}

test('a sweep removes what is a week old, and leaves what a download can go on with', async () => {
  const { staging, leave, left } = await setUp();
  await leave('old', ['m.zip.part', 'm.zip.part.json'], 8 * DAY_MS);
  await leave('recent', ['m.zip.part', 'm.zip.part.json', 'model.onnx'], 6 * DAY_MS);
  await leave('unpacked', ['m.zip', 'model.onnx']);
  await staging.sweep();
  expect(await left()).toEqual(['recent']);
  expect((await readdir(staging.folder('recent'))).sort()).toEqual(['m.zip.part', 'm.zip.part.json']);
});

test('beyond the bound the oldest goes first', async () => {
  const { staging, leave, left } = await setUp(250);
  await leave('b', ['m.part'], 2 * HOUR_MS);
  await leave('a', ['m.part'], HOUR_MS);
  await leave('c', ['m.part'], 3 * HOUR_MS);
  await staging.sweep();
  expect(await left()).toEqual(['a', 'b']);
});

test('room is made of what nobody works on, and refused when that is not enough', async () => {
  const { staging, leave, left } = await setUp(250);
  await leave('idle', ['m.part'], HOUR_MS);
  await leave('busy', ['m.part'], 8 * DAY_MS);
  await staging.withLock('busy', async () => {
    await staging.makeRoom(50);
    expect(await left()).toContain('idle');
    await staging.makeRoom(150);
    expect(await left()).toEqual(['busy', 'busy.lock']);
    await expect(staging.makeRoom(151)).rejects.toThrow(
      'there is no room for 151 bytes more: downloads under way take 100 of 250 bytes',
    );
    await staging.sweep();
    expect(await left()).toEqual(['busy', 'busy.lock']);
  });
  expect(await left()).toEqual(['busy']);
});

test('a folder that is not there yet needs no sweep', async () => {
  await expect((await setUp()).staging.sweep()).resolves.toBeUndefined();
});
