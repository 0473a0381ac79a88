import { existsSync } from 'node:fs';
import type { ManagedKeys } from '@pelorus/keys';
import { type Config, ConfigError, type KnownKeys, keysFolder, openKeys, readAdminKey } from '@pelorus/server';
import { ExitCode, StartFailure } from '../start-failure.js';

/**
 * The keys of a service, from its data directory or its cluster, and from the environment.
 * @throws StartFailure for a key of the environment that cannot be used, a folder that cannot be read, and a cluster that
 * cannot be used
 */
export async function serviceKeys(config: Config, known: KnownKeys): Promise<ManagedKeys> {
  const env = { ...process.env };
  // No program that this one starts is to have it.
  delete process.env.PELORUS_ADMIN_KEY;
  delete process.env.PELORUS_ADMIN_KEY_FILE;
  try {
    if (config.engine === 'opensearch') return await keysOfCluster(config, readAdminKey(env), known);
    return await openKeys(config, env, known);
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    if (error instanceof ConfigError) throw new StartFailure(ExitCode.BAD_CONFIGURATION, error.message);
    const reason = (error as Error).message;
    throw new StartFailure(ExitCode.DATA_DIRECTORY_UNREADABLE, `the keys cannot be read: ${reason}`);
  }
}

/** The keys of all servers of a cluster. Those of the data directory count no more, but calls still need one. */
async function keysOfCluster(config: Config, adminSecret: string, known: KnownKeys): Promise<ManagedKeys> {
  const { openClusterKeys } = await import('../serve/cluster.js');
  const wasThere = known.wasThere || existsSync(keysFolder(config.dataDir));
  return openClusterKeys(config, { ...known, wasThere, countMax: config.keysMax, adminSecret });
}
