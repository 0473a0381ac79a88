import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { definition } from '../conformance/fixtures.js';
import { EmbeddedEngine, type LogRecord, setLogger } from '../src/index.js';
import { openEngine, temporaryDirectory } from './support.js';

/** A data directory whose index lost the list of its text segments: opening it is worth a record. */
async function damagedDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  const engine = await EmbeddedEngine.open(directory);
  await engine.createIndex('products', definition);
  await engine.close();
  const indexes = join(directory, 'indexes');
  const [index] = await readdir(indexes);
  await mkdir(join(indexes, String(index), 'lexical', 'seg-9'), { recursive: true });
  return directory;
}

const rebuilt: LogRecord = {
  level: 'warn',
  target: 'pelorus_engine::index::loading',
  message: expect.stringMatching(/^the text index of products is rebuilt: .*the manifest is missing$/) as string,
};

it('hands over what was reported before there was a logger', async () => {
  await openEngine(await damagedDirectory());
  const records: LogRecord[] = [];
  const handOver = setLogger((record) => records.push(record));
  handOver();
  // Engines of other tests in this process may have reported, too.
  expect(records).toContainEqual(rebuilt);
});

it('hands over what is reported later, to the newest logger alone', async () => {
  const [first, second] = [vi.fn(), vi.fn()];
  setLogger(first);
  setLogger(second);
  await openEngine(await damagedDirectory());
  await expect.poll(() => second).toHaveBeenCalledWith(rebuilt);
  expect(first).not.toHaveBeenCalled();
});
