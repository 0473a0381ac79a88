import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, type Row } from '../row.ts';
import { MAIN } from '../server/server-process.ts';
import type { Ours } from './ours.ts';

const TARGET_PER_SECOND = 10_000;
const COPY = 'imported';

/**
 * Exports the documents with their vectors and imports them under another name, by the command, in a process of its
 * own; the start of that process counts. Both indexes must hold the same in the end, vectors bit by bit.
 */
export async function measureTransfer(
  ours: Ours,
  count: number,
  folder: string,
  say: (line: string) => void,
): Promise<Row[]> {
  const file = join(folder, 'exported.jsonl');
  say('exporting');
  const exported = await run(ours, 'export', ours.index, '--output', file);
  say('importing');
  const imported = await run(ours, 'import', COPY, file);
  await ours.settle();
  say('comparing both indexes');
  const [original, copy] = [await digestsOf(ours, ours.index), await digestsOf(ours, COPY)];
  if (original.size !== count) throw new Error(`the index has ${original.size} of ${count} documents`);
  if (copy.size !== count) throw new Error(`the imported index has ${copy.size} of ${count} documents`);
  for (const [id, digest] of original) if (copy.get(id) !== digest) throw new Error(`document ${id} differs`);
  await ours.drop(COPY);
  await rm(file);
  return [
    compare('export with vectors (docs/s)', 'higher', count / exported, 'target', TARGET_PER_SECOND),
    compare('import with vectors (docs/s)', 'higher', count / imported, 'target', TARGET_PER_SECOND),
  ];
}

/** Seconds that a command took. */
async function run(ours: Ours, ...args: string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args, '--url', ours.address], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`pelorus ${args[0]} ended with ${code}: ${said}`);
  return (performance.now() - started) / 1000;
}

/** A digest of each document, vectors included, by its id. */
async function digestsOf(ours: Ours, index: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for await (const documents of ours.pagesOf(index)) {
    for (const document of documents) {
      digests.set(document._id, createHash('sha256').update(JSON.stringify(document)).digest('base64'));
    }
  }
  return digests;
}
