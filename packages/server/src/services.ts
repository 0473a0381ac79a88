import type { StorageEngine } from '@pelorus/engine';
import type { Inference } from '@pelorus/inference';
import type { Config } from './config.js';
import { Scans } from './documents/scans.js';
import type { HostMonitor } from './host/monitor.js';
import { Definitions } from './indexes/definition.js';
import { IndexChangeLock } from './indexes/index-change-lock.js';

/** Scans at once, and how long one is held that nobody reads on: each keeps what is replaced meanwhile. */
const SCANS_MAX = 32;
const SCAN_IDLE_MS = 60_000;

/** What handlers work with. */
export interface Services {
  readonly engine: StorageEngine;
  readonly inference: Inference;
  readonly config: Config;
  readonly definitions: Definitions;
  /** Index creation and deletion go through here, one at a time. */
  readonly indexChanges: IndexChangeLock;
  readonly scans: Scans;
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
    scans: new Scans(SCANS_MAX, SCAN_IDLE_MS),
  };
}
