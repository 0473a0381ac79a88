import type { Inventory } from '@pelorus/files';
import type { KeyStore, KeyStoreOptions } from '@pelorus/keys';
import { type Config, ConfigError, openKeys } from '@pelorus/server';
import { ExitCode, StartFailure } from '../start-failure.js';

/** Entry of an inventory that there are keys. */
const KEYS = 'keys';

/**
 * The keys of a service that stays, which notes in its inventory that there are some: where they are gone from then on,
 * calls need a key all the same, and so they do where nobody knows.
 * @throws StartFailure as {@link serviceKeys} does
 */
export async function listedKeys(
  config: Config,
  inventory: Inventory,
  warn: (text: string) => void,
): Promise<KeyStore> {
  const wasThere = inventory.has(KEYS) || inventory.fault !== null;
  // An entry that cannot be listed now is listed at the next start.
  const onThere = (): void => void inventory.add(KEYS).catch(({ message }: Error) => warn(message));
  return await serviceKeys(config, { warn, wasThere, onThere });
}

/**
 * The keys of a service, from its data directory and the environment.
 * @throws StartFailure for a key of the environment that cannot be used, and a folder that cannot be read
 */
export async function serviceKeys(
  config: Config,
  told: Pick<KeyStoreOptions, 'warn' | 'wasThere' | 'onThere'>,
): Promise<KeyStore> {
  const env = { ...process.env };
  // No program that this one starts is to have it.
  delete process.env.PELORUS_ADMIN_KEY;
  try {
    return await openKeys(config, env, told);
  } catch (error) {
    if (error instanceof ConfigError) throw new StartFailure(ExitCode.BAD_CONFIGURATION, error.message);
    const reason = (error as Error).message;
    throw new StartFailure(ExitCode.DATA_DIRECTORY_UNREADABLE, `the keys cannot be read: ${reason}`);
  }
}
