import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { schemas } from '@pelorus/contract';
import { Inventory } from '@pelorus/files';
import { type IssuedKey, KeyStore, type ManagedKeys, type ResetKeys } from '@pelorus/keys';
import { type Config, type KnownKeys, keysFolder, keysListedIn, readNewKey, shownKey } from '@pelorus/server';
import { ExitCode, StartFailure } from '../start-failure.js';
import { printJson } from '../terminal/json.js';
import { say } from '../terminal/lines.js';
import { tableOf } from '../terminal/table.js';
import { serviceKeys } from './service-keys.js';

/** The keys of a service. */
interface ServiceKeys {
  readonly keys: ManagedKeys;
  /** Lists the generation of the keys of a data directory; null where they are on a cluster. */
  readonly inventory: Inventory | null;
}

/** Works on the keys of a service: those of its data directory, or of its cluster. */
export async function onKeys(config: Config, work: (of: ServiceKeys) => Promise<void>): Promise<void> {
  const inventory = await Inventory.open(join(config.dataDir, 'inventory.json'), warn);
  const known = keysListedIn(inventory, warn);
  if (config.engine === 'embedded') return await work({ keys: await serviceKeys(config, known), inventory });
  const keys = await serviceKeys(config, seenBy(known));
  try {
    await work({ keys, inventory: null });
  } finally {
    await keys.close();
  }
}

/** Keys as servers have seen them that note it in this data directory, which then need not be there. */
function seenBy({ generations, ...known }: Required<KnownKeys>): KnownKeys {
  return { ...known, generations: { least: (name) => generations.least(name), raise: async () => undefined } };
}

/**
 * Makes a key. Its secret alone goes to stdout, for scripts to take, as JSON the key as the interface answers it; what
 * there is to say of it goes to stderr.
 */
export async function createKey(
  { keys, inventory }: ServiceKeys,
  request: schemas.KeyRequest,
  json: boolean,
): Promise<void> {
  await inventory?.create();
  issue(await keys.create(readNewKey(request, Date.now())), json);
}

/** @param overlapSeconds how much longer the secret that it has now is good */
export async function rotateKey(keys: ManagedKeys, id: string, overlapSeconds: number, json: boolean): Promise<void> {
  issue(await keys.rotate(id, overlapSeconds), json);
}

/**
 * Begins anew with one key.
 * @throws StartFailure as {@link resetFiles}, and where the cluster cannot be used
 */
export async function resetKeys(config: Config, given: string, json: boolean): Promise<void> {
  const { name } = readNewKey({ kind: 'api', name: given, scope: 'admin', allowsNoOrigin: false }, Date.now());
  const issued = await (config.engine === 'opensearch' ? resetCluster(config, name) : resetFiles(config, name));
  say(`What was there of keys is kept in ${issued.aside}`);
  issue(issued, json);
}

async function resetCluster(config: Config, name: string): Promise<ResetKeys> {
  const { resetClusterKeys } = await import('../serve/cluster.js');
  const inventory = await Inventory.open(join(config.dataDir, 'inventory.json'), warn);
  return resetClusterKeys(config, name, { ...seenBy(keysListedIn(inventory, warn)), countMax: config.keysMax });
}

/** @throws StartFailure where no data directory is: none is made, which would leave the keys of the one that was meant */
async function resetFiles({ dataDir, keysMax }: Config, name: string): Promise<ResetKeys> {
  const found = await stat(dataDir).catch(() => null);
  if (!found?.isDirectory()) {
    throw new StartFailure(
      ExitCode.DATA_DIRECTORY_UNREADABLE,
      `There is no folder ${resolve(dataDir)}: name the data directory of the service with --data`,
    );
  }
  const inventory = await Inventory.open(join(dataDir, 'inventory.json'), warn);
  await inventory.create();
  const known = keysListedIn(inventory, warn);
  return KeyStore.reset(keysFolder(dataDir), name, { ...known, countMax: keysMax });
}

export async function revokeKey(keys: ManagedKeys, id: string, json: boolean): Promise<void> {
  await keys.revoke(id);
  if (json) printJson({ acknowledged: true });
}

const COLUMNS = ['id', 'secret', 'name', 'scope', 'indexes', 'filter', 'expires', 'used'].map((title) => ({ title }));

/** Prints a table of the keys; as JSON `{"results": [...]}`, as the interface answers them. */
export function listKeys(keys: ManagedKeys, json: boolean): void {
  const shown = keys.list().map(({ key, lastUsedAt }) => shownKey(key, lastUsedAt));
  if (json) printJson({ results: shown });
  else if (shown.length > 0) process.stdout.write(tableOf(COLUMNS, shown.map(rowOf)));
  else if (keys.isRequired) say('No key is good, so that every call is refused');
  else say('There is no key: calls need none. `pelorus keys create NAME --scope admin` makes the first');
}

function rowOf(key: schemas.Key): string[] {
  const { id, prefix, name, kind, scope, indexes, filter, customerId, expiresAt, lastUsedAt } = key;
  return [
    id,
    `${prefix}...`,
    name,
    kind === 'tracking' ? `events of ${customerId}` : (scope ?? 'none, counts as admin'),
    kind === 'tracking' ? '-' : (indexes?.join(', ') ?? 'all'),
    kind === 'tracking' ? '-' : (filter ?? 'none'),
    expiresAt ?? 'never',
    lastUsedAt ?? 'never',
  ];
}

function warn(message: string): void {
  say(`Warning: ${message}`);
}

function issue({ key, secret }: IssuedKey, json: boolean): void {
  say(`The key "${key.name}" has the id ${key.id}. This is its secret, which is not shown again:`);
  if (json) printJson({ ...shownKey(key, null), secret } satisfies schemas.IssuedKey);
  else console.log(secret);
}
