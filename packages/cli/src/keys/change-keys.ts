import type { schemas } from '@pelorus/contract';
import { type IssuedKey, KeyStore } from '@pelorus/keys';
import { type Config, keysFolder, readNewKey, shownKey } from '@pelorus/server';

/** Makes a key. Its secret alone goes to stdout, for scripts to take; what there is to say of it to stderr. */
export async function createKey(keys: KeyStore, request: schemas.NewKey): Promise<void> {
  issue(await keys.create(readNewKey(request, Date.now())));
}

/** @param overlapSeconds how much longer the secret that it has now is good */
export async function rotateKey(keys: KeyStore, id: string, overlapSeconds: number): Promise<void> {
  issue(await keys.rotate(id, overlapSeconds));
}

/** Begins anew with one key. */
export async function resetKeys({ dataDir, keysMax }: Config, given: string): Promise<void> {
  const { name } = readNewKey({ kind: 'api', name: given, scope: 'admin', allowsNoOrigin: false }, Date.now());
  const issued = await KeyStore.reset(keysFolder(dataDir), name, { countMax: keysMax });
  console.error(`What was there of keys is kept in ${issued.aside}`);
  issue(issued);
}

/** One line for each key. */
export function listKeys(keys: KeyStore): void {
  const rows = keys.list().map(({ key, lastUsedAt }) => {
    const { id, prefix, name, kind, scope, indexes, customerId, expiresAt } = shownKey(key, lastUsedAt);
    const what = kind === 'tracking' ? `events of ${customerId}` : (scope ?? 'no scope, counts as admin');
    const where = kind === 'tracking' ? '' : `indexes: ${indexes?.join(', ') ?? 'all'}`;
    return [
      id,
      `${prefix}...`,
      name,
      what,
      where,
      `expires: ${expiresAt ?? 'never'}`,
      `used: ${lastUsedAt ?? 'never'}`,
    ];
  });
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  for (const row of rows) {
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

function issue({ key, secret }: IssuedKey): void {
  console.error(`The key "${key.name}" has the id ${key.id}. This is its secret, which is not shown again:`);
  console.log(secret);
}
