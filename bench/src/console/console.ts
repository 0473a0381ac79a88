import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { CACHE } from '../paths.ts';
import { ServerProcess } from '../server/server-process.ts';
import { droppedFileRows } from './dropped-file.ts';
import { keyRows } from './keys.ts';
import { findChromium } from './window.ts';

export interface ConsolePlan {
  documents: number;
  queries: number;
  /** The time for which a key is down. */
  keyMs: number;
  /** The most that an interaction should take. */
  interactionMs: number;
  /** Rows of the file that is dropped. */
  rows: number;
  /** The most by which the shown progress should be off, a share of the rows. */
  progress: number;
}

/** The console in a browser: keys of somebody who searches, and a file that is dropped. */
export const consoleBench: Bench = async ({ quick, say }) => {
  const plan = definition<ConsolePlan>('console', quick);
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('no Chromium on the path nor in PELORUS_CHROMIUM');
  await mkdir(CACHE, { recursive: true });
  const data = await mkdtemp(join(CACHE, 'console-'));
  const server = await ServerProcess.start(data);
  try {
    const keys = await keyRows(server, chromium, plan, say);
    const rows = [...keys, ...(await droppedFileRows(server, chromium, plan, say))];
    return { rows, notes: ['the browser shares the machine with the server'], dataset: plan };
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
};
