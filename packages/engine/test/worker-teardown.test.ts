import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { addOptions, definition, dimensions, embed, hitsOf, tensorPlan } from '../conformance/fixtures.js';
import { EmbeddedEngine, isEngineError } from '../src/index.js';
import { json, openEngine, temporaryDirectory } from './support.js';

const WORKERS = 50;
const AT_ONCE = 5;

/** Lets a worker add documents until it is terminated in the midst of it; the ids it saw acknowledged. */
async function terminateInFlight(directory: string, delayMs: number): Promise<string[]> {
  const worker = new Worker(new URL('./teardown-worker.mjs', import.meta.url), {
    workerData: {
      directory,
      definition: json(definition),
      addOptions: json(addOptions),
      plan: json(tensorPlan),
      dimensions,
    },
  });
  const acknowledged: string[] = [];
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.on('message', (id: string) => {
      acknowledged.push(id);
      resolve();
    });
  });
  await sleep(delayMs);
  await worker.terminate();
  return acknowledged;
}

/**
 * Opens a directory once the calls that outlived their worker have let go of it. The directory is
 * free a moment before the last file of an index is, and an index that is still held is not listed.
 */
async function openWhenFree(directory: string): Promise<EmbeddedEngine> {
  for (;;) {
    try {
      const engine = await EmbeddedEngine.open(directory);
      if ((await engine.listIndexes()).includes('products')) return engine;
      await engine.close();
    } catch (error) {
      if (!isEngineError(error) || error.code !== 'data_directory_in_use') throw error;
    }
    await sleep(10);
  }
}

it('survives workers that are terminated with calls in flight, and so does their data', async () => {
  const ours = await openEngine();
  await ours.createIndex('products', definition);
  const checkOne = async (number: number) => {
    const directory = await temporaryDirectory();
    const acknowledged = await terminateInFlight(directory, number % 7);
    const engine = await openWhenFree(directory);
    const request = { documentIds: acknowledged, exposeFacets: false, exposeTensors: false, within: null };
    expect(await engine.getDocuments('products', request)).toMatchObject({ success: acknowledged.length });
    await engine.close();
  };
  const numbers = Array.from({ length: WORKERS }, (_, number) => number);
  for (let first = 0; first < WORKERS; first += AT_ONCE) {
    await Promise.all(numbers.slice(first, first + AT_ONCE).map(checkOne));
    expect(await hitsOf(ours, 'products', tensorPlan, await embed('query'))).toEqual([]);
  }
});
