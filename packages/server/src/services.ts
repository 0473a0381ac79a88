import type { StorageEngine } from '@pelorus/engine';
import type { Inference } from '@pelorus/inference';
import type { Config } from './config.js';
import type { HostMonitor } from './host/monitor.js';
import { Definitions } from './indexes/definition.js';
import { IndexChangeLock } from './indexes/index-change-lock.js';

/** What handlers work with. */
export interface Services {
  readonly engine: StorageEngine;
  readonly inference: Inference;
  readonly config: Config;
  readonly definitions: Definitions;
  /** Index creation and deletion go through here, one at a time. */
  readonly indexChanges: IndexChangeLock;
  readonly host: HostMonitor;
  /** Version of this program. */
  readonly version: string;
}

export function servicesOf(parts: Pick<Services, 'engine' | 'inference' | 'config' | 'host' | 'version'>): Services {
  const { engine, inference, config } = parts;
  return {
    ...parts,
    definitions: new Definitions(engine, inference),
    indexChanges: new IndexChangeLock(config.lockTimeoutSeconds * 1000),
  };
}
