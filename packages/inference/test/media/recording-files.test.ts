import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Body } from '../../src/media/media-memory.js';
import { RecordingFiles } from '../../src/media/recording-files.js';
import { temporaryDirectory } from '../temporary-directory.js';

const claim = { priority: 'document' } as const;

let parent: string;

beforeEach(async () => {
  const folder = await temporaryDirectory();
  parent = folder;
  for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
});

async function* chunksOf(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

const body = (chunks: AsyncIterable<Uint8Array>): Body => ({ length: null, chunks, untimed: (wait) => wait() });

test('a film lies in a folder that only its owner can look into, until it is released', async () => {
  const { file, release } = await new RecordingFiles().store(body(chunksOf('one ', 'two')), 100, claim);
  const path = join(file.folder, file.name);
  expect(await readFile(path, 'utf8')).toBe('one two');
  if (process.platform !== 'win32') {
    expect([(await stat(file.folder)).mode & 0o777, (await stat(path)).mode & 0o777]).toEqual([0o700, 0o600]);
  }
  await release();
  expect(await readdir(parent)).toEqual([]);
});

test('a film that stops arriving leaves nothing', async () => {
  async function* broken() {
    yield Buffer.from('one');
    throw new Error('the connection is lost');
  }
  await expect(new RecordingFiles().store(body(broken()), 100, claim)).rejects.toThrow('the connection is lost');
  expect(await readdir(parent)).toEqual([]);
});

test('files that a killed server left behind are deleted after a day, and nothing else', async () => {
  const day = 24 * 3600 * 1000;
  const ages = { 'pelorus-recording-old': 2 * day, 'pelorus-recording-new': day / 2, 'somebody-old': 2 * day };
  for (const [name, age] of Object.entries(ages)) {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, 'recording'), 'a film');
    const date = new Date(Date.now() - age);
    await utimes(join(parent, name), date, date);
  }
  const { release } = await new RecordingFiles().store(body(chunksOf('one')), 100, claim);
  await release();
  expect((await readdir(parent)).sort()).toEqual(['pelorus-recording-new', 'somebody-old']);
});
