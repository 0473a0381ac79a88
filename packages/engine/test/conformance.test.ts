import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storageEngineSuite } from '../conformance/suite.js';
import { EmbeddedEngine, type StorageEngine } from '../src/index.js';

const directories = new WeakMap<StorageEngine, string>();

async function openIn(directory: string): Promise<StorageEngine> {
  const engine = await EmbeddedEngine.open(directory);
  directories.set(engine, directory);
  return engine;
}

function directoryOf(engine: StorageEngine): string {
  const directory = directories.get(engine);
  if (directory === undefined) throw new Error('the engine was opened by another source');
  return directory;
}

storageEngineSuite('the embedded engine', {
  open: async () => openIn(await mkdtemp(join(tmpdir(), 'pelorus-conformance-'))),
  reopen: (closed) => openIn(directoryOf(closed)),
  remove: async (engine) => {
    await engine.close();
    await rm(directoryOf(engine), { recursive: true, force: true });
  },
});
