import { EmbeddedEngine, setLogger } from '@pelorus/engine';
import type { Inventory } from '@pelorus/files';
import { type Config, engineOptions, type LoopEngine, type StorageElsewhere, withoutUrlSecrets } from '@pelorus/server';
import { say } from '../terminal/lines.js';

/** The engine of a server, and what people and health are told of it. */
export interface OpenedEngine {
  readonly engine: LoopEngine;
  /** The disks of its documents, where they are not in the data directory. */
  readonly storage?: StorageElsewhere;
  /** The cluster that it is on, for people; none where it is embedded. */
  readonly text?: string;
}

/** Opens the engine of the settings. */
export async function openEngine(config: Config, inventory: Inventory): Promise<OpenedEngine> {
  if (config.engine === 'embedded') return { engine: await openEmbedded(config, inventory) };
  const { openCluster } = await import('./cluster.js');
  return openCluster(config, inventory);
}

/** Prints the engine's reports when it cannot be opened: there is no server yet whose log they could go to. */
async function openEmbedded(config: Config, inventory: Inventory): Promise<EmbeddedEngine> {
  try {
    return await EmbeddedEngine.open(config.dataDir, engineOptions(config), inventory);
  } catch (error) {
    setLogger(({ level, message }) => say(`${level}: ${withoutUrlSecrets(message)}`))();
    throw error;
  }
}
