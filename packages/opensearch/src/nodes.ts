import type { Connection } from './connection.js';
import { engineError } from './errors.js';
import { HEALTH_MS } from './health.js';

/** The oldest release whose answers we read. */
const RELEASE_MIN = 3;
/** The module that finds vectors. */
const KNN = 'opensearch-knn';
/** A node takes no more documents where less of its disk is free, in percent: the flood stage that clusters have. */
const FREE_PERCENT_MIN = 5;

/** A cluster as its operator knows it. */
export interface ClusterFacts {
  readonly name: string;
  /** The release of OpenSearch. */
  readonly version: string;
  readonly nodes: number;
  readonly status: 'green' | 'yellow' | 'red';
}

/** The fullness of the disks of a cluster. */
export interface DiskUsage {
  /** Share of the fullest one in use, 0 to 100. */
  readonly percent: number;
  /** Tells whether all of them take more documents. */
  readonly hasRoom: boolean;
}

/**
 * Examines a cluster.
 * @throws EngineError `server_configuration_error` where it is none that can have our indexes
 */
export async function examined(connection: Connection): Promise<ClusterFacts> {
  const { version } = await connection.call((client) => client.info());
  const told = `${version.distribution ?? 'something else'} ${version.number}`;
  if (version.distribution !== 'opensearch' || Number.parseInt(version.number, 10) < RELEASE_MIN)
    throw engineError(
      'server_configuration_error',
      `OpenSearch ${RELEASE_MIN} or later is needed, and this is ${told}`,
    );
  const { nodes } = await connection.call((client) => client.nodes.info({ metric: ['plugins'] }));
  for (const { name, roles, plugins } of Object.values(nodes as Record<string, NodeInfo>)) {
    if (isData(roles) && !plugins?.some((plugin) => plugin.name === KNN))
      throw engineError('server_configuration_error', `The plugin ${KNN} is needed, and node ${name} has none`);
  }
  const health = await connection.call((client) => client.cluster.health());
  const status = health.status.toLowerCase() as ClusterFacts['status'];
  return { name: health.cluster_name, version: version.number, nodes: health.number_of_nodes, status };
}

/** Returns the fullness of the disks that documents are on. */
export async function diskUsage(connection: Connection): Promise<DiskUsage> {
  const { nodes } = await connection.call((client) =>
    client.nodes.stats({ metric: ['fs'] }, { requestTimeout: HEALTH_MS }),
  );
  const free = Object.values(nodes as Record<string, NodeStats>)
    .filter(({ roles }) => isData(roles))
    .map(({ fs }) => (100 * (fs?.total?.available_in_bytes ?? 0)) / (fs?.total?.total_in_bytes ?? 1));
  const least = Math.min(100, ...free);
  return { percent: 100 - least, hasRoom: free.length > 0 && least >= FREE_PERCENT_MIN };
}

interface NodeInfo {
  readonly name?: string;
  readonly roles?: readonly string[];
  readonly plugins?: readonly { readonly name: string }[];
}

interface NodeStats {
  readonly roles?: readonly string[];
  readonly fs?: { readonly total?: { readonly total_in_bytes?: number; readonly available_in_bytes?: number } };
}

const isData = (roles: readonly string[] = []) => roles.includes('data');
