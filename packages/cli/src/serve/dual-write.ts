import { readFile, rm } from 'node:fs/promises';
import { DualEngine, type StepRecord } from '@pelorus/engine';
import { type Inventory, syncFolder, writeDurably } from '@pelorus/files';
import type { Config } from '@pelorus/server';
import { clusterText, examinedCluster, storageOf } from './cluster.js';
import { type OpenedEngine, openEmbedded, stepFile } from './open-engine.js';

// Loads the client of OpenSearch: imported where a server writes to both engines, and only there.

/**
 * Opens both engines: that of `--engine` serves, and gets all writes first.
 * @throws StartFailure where one of them cannot be used
 */
export async function openDual(
  config: Config,
  inventory: Inventory,
  warn: (message: string) => void,
): Promise<OpenedEngine> {
  const { engine: cluster, facts } = await examinedCluster(config);
  try {
    const embedded = await openEmbedded(config, inventory);
    const isOnCluster = config.engine === 'opensearch';
    const [first, second] = isOnCluster ? [cluster, embedded] : [embedded, cluster];
    const engine = await DualEngine.open(first, second, { record: await takenRecord(config), warn });
    const place = clusterText(facts, config);
    if (!isOnCluster) return { engine, text: `the data folder, copied to ${place}` };
    return { engine, storage: await storageOf(cluster), text: `${place}, copied to the data folder` };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

interface Recorded {
  /** The cluster of the settings. */
  readonly cluster: string;
  readonly inStep: readonly string[];
}

/** Takes the record of the last end away: a server that ends otherwise leaves none, and copies every index anew. */
async function takenRecord(config: Config): Promise<StepRecord> {
  const { dataDir, openSearch, openSearchPrefix } = config;
  const [path, cluster] = [stepFile(dataDir), [...(openSearch ?? []), openSearchPrefix].join(' ')];
  const recorded = await readRecord(path);
  await rm(path, { force: true });
  await syncFolder(dataDir);
  return {
    inStep: new Set(recorded?.cluster === cluster ? recorded.inStep : []),
    save: (inStep) => writeDurably(path, JSON.stringify({ cluster, inStep } satisfies Recorded)),
  };
}

/** The record; undefined where there is none that can be read. */
async function readRecord(path: string): Promise<Recorded | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Recorded;
  } catch {
    return undefined;
  }
}
