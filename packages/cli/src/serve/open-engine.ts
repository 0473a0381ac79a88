import { rm } from 'node:fs/promises';
import { join } from 'node:path';
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

/**
 * Opens the engine of the settings.
 * @param warn told of what a second engine does not take
 */
export async function openEngine(
  config: Config,
  inventory: Inventory,
  warn: (message: string) => void,
): Promise<OpenedEngine> {
  if (config.dualWrite) {
    const { openDual } = await import('./dual-write.js');
    return openDual(config, inventory, warn);
  }
  // No second engine gets the writes of this server.
  await rm(stepFile(config.dataDir), { force: true });
  if (config.engine === 'embedded') return { engine: await openEmbedded(config, inventory) };
  const { openCluster } = await import('./cluster.js');
  return openCluster(config, inventory);
}

/** The record of the indexes that two engines had alike. */
export const stepFile = (dataDir: string): string => join(dataDir, 'dual-write.json');

/** Prints the engine's reports when it cannot be opened: there is no server yet whose log they could go to. */
export async function openEmbedded(config: Config, inventory: Inventory): Promise<EmbeddedEngine> {
  try {
    return await EmbeddedEngine.open(config.dataDir, engineOptions(config), inventory);
  } catch (error) {
    setLogger(({ level, message }) => say(`${level}: ${withoutUrlSecrets(message)}`))();
    throw error;
  }
}
