import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { EmbeddedEngine } from '../src/index.js';

export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
export const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString('utf8'));

/** A directory that is gone when the test is over. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pelorus-engine-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** An engine that is closed when the test is over. */
export async function openEngine(directory?: string): Promise<EmbeddedEngine> {
  const engine = await EmbeddedEngine.open(directory ?? (await temporaryDirectory()));
  onTestFinished(() => engine.close());
  return engine;
}
