import { readFileSync } from 'node:fs';
import type { Inventory } from '@pelorus/files';
import { type KeyRecords, type KeyStoreOptions, type ResetKeys, SharedKeyStore } from '@pelorus/keys';
import { type ClusterFacts, type ClusterOptions, OpenSearchEngine, SharedRecords } from '@pelorus/opensearch';
import { type Config, engineOptions, type StorageElsewhere, settings } from '@pelorus/server';
import { ExitCode, StartFailure } from '../start-failure.js';
import { counted } from '../terminal/units.js';
import { holdDataDirectory } from './data-folders.js';

// Loads the client of OpenSearch: imported where a cluster is set, and only there.

/** Indexes on a cluster, and the cluster. */
export interface OpenedCluster {
  readonly engine: OpenSearchEngine;
  readonly storage: StorageElsewhere;
  /** Tells of the cluster, for people. */
  readonly text: string;
}

/** Codes of errors by which nobody answers; a start that is tried later may succeed. */
const AWAY: ReadonlySet<unknown> = new Set(['service_unavailable', 'too_many_requests']);

/**
 * Opens the cluster of the settings, and holds the data directory, which lists the generation of the keys.
 * @throws StartFailure where the cluster cannot be used
 */
export async function openCluster(config: Config, inventory: Inventory): Promise<OpenedCluster> {
  const { engine, facts } = await examinedCluster(config);
  try {
    // First: a directory without the list counts as one that lost it.
    await inventory.create().catch(() => undefined);
    await holdDataDirectory(config.dataDir);
    await inventory.begin();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return { engine, storage: await storageOf(engine), text: clusterText(facts, config) };
}

/** The disks of a cluster. */
export async function storageOf(engine: OpenSearchEngine): Promise<StorageElsewhere> {
  const look = async () => {
    const { percent, hasRoom } = await engine.disk();
    return { storagePercent: percent, storageHasRoom: hasRoom };
  };
  const first = await look().catch(() => ({ storagePercent: null, storageHasRoom: null }));
  return { first, look };
}

/** The engine of a thread beside the first, with the number of changes to indexes that the first has told. */
export function attachToCluster(config: Config, changesNow: () => number): Promise<OpenSearchEngine> {
  return OpenSearchEngine.open(clusterOptions(config), changesNow);
}

/**
 * Connects to the cluster of the settings and examines it.
 * @throws StartFailure where it cannot be used
 */
export async function examinedCluster(config: Config): Promise<{ engine: OpenSearchEngine; facts: ClusterFacts }> {
  const options = clusterOptions(config);
  let engine: OpenSearchEngine | undefined;
  try {
    engine = await OpenSearchEngine.open(options);
    return { engine, facts: await engine.examine() };
  } catch (error) {
    await engine?.close();
    throw unusable(error as Error);
  }
}

/**
 * Opens the keys that the servers of a cluster share.
 * @throws StartFailure where the cluster cannot be used
 */
export async function openClusterKeys(config: Config, options: KeyStoreOptions): Promise<SharedKeyStore> {
  const records = await keyRecords(config);
  try {
    return await SharedKeyStore.open(records, options);
  } catch (error) {
    await records.close();
    throw unusable(error as Error);
  }
}

/**
 * Begins anew with one key for all servers of a cluster.
 * @throws StartFailure where the cluster cannot be used
 */
export async function resetClusterKeys(config: Config, name: string, options: KeyStoreOptions): Promise<ResetKeys> {
  const records = await keyRecords(config);
  try {
    return await SharedKeyStore.reset(records, name, options);
  } catch (error) {
    throw unusable(error as Error);
  } finally {
    await records.close();
  }
}

async function keyRecords(config: Config): Promise<KeyRecords> {
  const records = await SharedRecords.openKeys(clusterOptions(config)).catch((error: Error) => {
    throw unusable(error);
  });
  return {
    keys: records.record('keys'),
    lastUsed: records.record('last-used'),
    setAside: (name, value) => records.keep(`aside-${name}`, value),
    close: () => records.close(),
  };
}

function unusable({ code, message }: Error & { readonly code?: unknown }): StartFailure {
  const exitCode = AWAY.has(code) ? ExitCode.NO_SERVER : ExitCode.BAD_CONFIGURATION;
  return new StartFailure(exitCode, `the cluster of --${settings.openSearch.flag} cannot be used: ${message}`);
}

/** The cluster, for people. */
export function clusterText({ name, version, nodes, status }: ClusterFacts, { openSearch }: Config): string {
  const where = openSearch?.join(' and ');
  return `OpenSearch ${version} at ${where}: ${name}, ${counted(nodes, 'node')}, ${status}`;
}

/**
 * The way to the cluster of the settings.
 * @throws StartFailure for a file that cannot be read
 */
export function clusterOptions(config: Config): ClusterOptions {
  const { openSearch, openSearchUser: username, openSearchPassword: password, openSearchAwsRegion: region } = config;
  const ca = pemOf('openSearchCa', config);
  const cert = pemOf('openSearchCertificate', config);
  const key = pemOf('openSearchCertificateKey', config);
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  return {
    nodes: openSearch ?? [],
    ...(username !== '' && { auth: { username, password } }),
    ...(region !== '' && { aws: { region } }),
    ...(Object.keys(tls).length > 0 && { tls }),
    prefix: config.openSearchPrefix,
    shards: config.openSearchShards,
    replicas: config.openSearchReplicas,
    limits: engineOptions(config),
  };
}

type PemSetting = 'openSearchCa' | 'openSearchCertificate' | 'openSearchCertificateKey';

/** The contents of the file that a setting names; undefined where it names none. */
function pemOf(name: PemSetting, config: Config): string | undefined {
  const path = config[name];
  if (path === '') return undefined;
  const refuse = (reason: string) =>
    new StartFailure(ExitCode.BAD_CONFIGURATION, `--${settings[name].flag} names ${path}, ${reason}`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw refuse(`which cannot be read: ${(error as Error).message}`);
  }
  if (!text.includes('-----BEGIN ')) throw refuse('which is no file in PEM');
  return text;
}
