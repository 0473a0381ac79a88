import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { KeyStore, type KeyStoreOptions } from '@pelorus/keys';
import { type Config, ConfigError } from '../config.js';

/** The variable with the secret of an admin key that no file holds. No flag has it: others see those. */
const ADMIN_KEY = 'PELORUS_ADMIN_KEY';
/** The variable that names a file with that secret, as containers have them. */
const ADMIN_KEY_FILE = 'PELORUS_ADMIN_KEY_FILE';
/** Bytes that are read of it: a secret is shorter. */
const ADMIN_KEY_FILE_BYTES_MAX = 4096;
/** Fewer characters could be found by trial. */
const ADMIN_KEY_LENGTH_MIN = 24;

/**
 * The keys of the data directory, and that of the environment.
 * @throws ConfigError for a key of the environment that cannot be used; Error of the system for a folder that cannot be read
 */
export function openKeys(
  { dataDir, keysMax }: Pick<Config, 'dataDir' | 'keysMax'>,
  env: Readonly<Record<string, string | undefined>>,
  known: KnownKeys = {},
): Promise<KeyStore> {
  return KeyStore.open(keysFolder(dataDir), { ...known, countMax: keysMax, adminSecret: readAdminKey(env) });
}

/** Facts about the keys of a data directory that are kept apart from their files, and the one who is told of faults. */
export type KnownKeys = Pick<KeyStoreOptions, 'warn' | 'wasThere' | 'generations'>;

/** A list of what must be there, in which the generation of the keys is noted. */
type Inventory = Required<KnownKeys>['generations'] & {
  /** The reason that nobody knows what was there; null where it is known. */
  readonly fault: string | null;
  has(entry: string): boolean;
};

/** Entry of inventories of before generations of keys were noted: there are keys. */
const KEYS = 'keys';

/**
 * The words between keys and an inventory: where it lists them, or nobody knows, calls need a key even if they are gone,
 * and each change of the keys raises the generation that it lists.
 */
export function keysListedIn(inventory: Inventory, warn: (text: string) => void): Required<KnownKeys> {
  return { warn, wasThere: inventory.has(KEYS) || inventory.fault !== null, generations: inventory };
}

/** Folder of the keys in a data directory. */
export function keysFolder(dataDir: string): string {
  return join(dataDir, 'keys');
}

/**
 * The key of the environment, or of the file that it names; empty where it has none.
 * @throws ConfigError for one that cannot be used
 */
export function readAdminKey(env: Readonly<Record<string, string | undefined>>): string {
  const own = (env[ADMIN_KEY] ?? '').trim();
  const file = env[ADMIN_KEY_FILE] ?? '';
  if (file === '') return own === '' ? '' : checkedSecret(own, ADMIN_KEY);
  if (own !== '') throw new ConfigError(`${ADMIN_KEY} and ${ADMIN_KEY_FILE} are both set: give one of them`);
  return checkedSecret(readStart(file).trim(), `The file ${file} of ${ADMIN_KEY_FILE}`);
}

/** @throws ConfigError for a secret that cannot be used, which is not shown */
function checkedSecret(secret: string, source: string): string {
  if (secret.length >= ADMIN_KEY_LENGTH_MIN && /^[!-~]+$/.test(secret)) return secret;
  throw new ConfigError(
    `${source} has ${secret.length} characters, but must have ${ADMIN_KEY_LENGTH_MIN} or more, of ASCII and no blanks`,
  );
}

/**
 * The start of a file, which need not have an end.
 * @throws ConfigError for one that cannot be read, or that is longer than a secret is
 */
function readStart(file: string): string {
  const bytes = Buffer.alloc(ADMIN_KEY_FILE_BYTES_MAX + 1);
  let length = 0;
  try {
    const descriptor = openSync(file, 'r');
    try {
      for (let read = -1; read !== 0; length += read)
        read = readSync(descriptor, bytes, length, bytes.length - length, null);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new ConfigError(`${ADMIN_KEY_FILE} names a file that cannot be read: ${(error as Error).message}`);
  }
  if (length <= ADMIN_KEY_FILE_BYTES_MAX) return bytes.toString('utf8', 0, length);
  throw new ConfigError(`The file ${file} of ${ADMIN_KEY_FILE} has more than ${ADMIN_KEY_FILE_BYTES_MAX} bytes`);
}
