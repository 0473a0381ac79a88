import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { JsonFile } from '../src/json-file.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-json-file-'));
  path = join(folder, 'numbers.json');
});
afterEach(() => rm(folder, { recursive: true }));

const areNumbers = (value: unknown): value is readonly number[] => Array.isArray(value);
const open = () => JsonFile.open({ path, name: 'numbers', isValue: areNumbers }, []);

test('changes wait for each other, and the last one is there after a restart', async () => {
  const file = await open();
  expect(file.value).toEqual([]);
  const changes = Array.from({ length: 20 }, (_, number) => file.change((numbers) => [...numbers, number]));
  await Promise.all(changes);
  expect((await open()).value).toEqual(Array.from({ length: 20 }, (_, number) => number));
});

test('a change that fails changes nothing and holds up no other', async () => {
  const file = await open();
  await file.change(() => [1]);
  const failed = file.change(() => {
    throw new Error('no');
  });
  const next = file.change((numbers) => [...numbers, 2]);
  await expect(failed).rejects.toThrow('no');
  expect(await next).toEqual([1, 2]);
});

test('a half-written file of a crash is removed, and files of others stay', async () => {
  await (await open()).change(() => [1]);
  const left = 'numbers.json.5a0b1c7e-5a0b-4c7e-8a0b-5a0b1c7e5a0b.tmp';
  const others = ['numbers.json.tmp', 'other.json.5a0b1c7e-5a0b-4c7e-8a0b-5a0b1c7e5a0b.tmp', 'numbers.json.bak'];
  for (const name of [left, ...others]) await writeFile(join(path, '..', name), '[1, 2');
  expect((await open()).value).toEqual([1]);
  expect((await readdir(join(path, '..'))).toSorted()).toEqual(['numbers.json', ...others].toSorted());
});

test('a file that cannot be read is told of and left as it is', async () => {
  await (await open()).change(() => [1]);
  await writeFile(path, '[1, 2');
  await expect(open()).rejects.toThrow(`${path} is damaged`);
  expect(await readFile(path, 'utf8')).toBe('[1, 2');
});
