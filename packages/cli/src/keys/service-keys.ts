import type { KeyStore } from '@pelorus/keys';
import { type Config, ConfigError, type KnownKeys, openKeys } from '@pelorus/server';
import { ExitCode, StartFailure } from '../start-failure.js';

/**
 * The keys of a service, from its data directory and the environment.
 * @throws StartFailure for a key of the environment that cannot be used, and a folder that cannot be read
 */
export async function serviceKeys(config: Config, known: KnownKeys): Promise<KeyStore> {
  const env = { ...process.env };
  // No program that this one starts is to have it.
  delete process.env.PELORUS_ADMIN_KEY;
  delete process.env.PELORUS_ADMIN_KEY_FILE;
  try {
    return await openKeys(config, env, known);
  } catch (error) {
    if (error instanceof ConfigError) throw new StartFailure(ExitCode.BAD_CONFIGURATION, error.message);
    const reason = (error as Error).message;
    throw new StartFailure(ExitCode.DATA_DIRECTORY_UNREADABLE, `the keys cannot be read: ${reason}`);
  }
}
