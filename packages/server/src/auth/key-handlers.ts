import type { schemas } from '@pelorus/contract';
import type { KeyRecord, ManagedKeys } from '@pelorus/keys';
import type { Handlers } from '../call.js';
import { readNewKey, withChanges } from './requested-key.js';

type KeyOperation = 'listKeys' | 'createKey' | 'updateKey' | 'rotateKey' | 'deleteKey';

/** Making, changing and revoking keys. */
export function keyHandlers({ keys }: { readonly keys: ManagedKeys }): Pick<Handlers, KeyOperation> {
  const lastUsed = (id: string): string | null => keys.list().find(({ key }) => key.id === id)?.lastUsedAt ?? null;
  return {
    listKeys: () => ({ body: { results: keys.list().map(({ key, lastUsedAt }) => shownKey(key, lastUsedAt)) } }),

    createKey: async ({ body }) => {
      const { key, secret } = await keys.create(readNewKey(body, Date.now()));
      return { body: { ...shownKey(key, null), secret } satisfies schemas.IssuedKey };
    },

    updateKey: async ({ params: { keyId }, body }) => {
      const key = await keys.update(keyId, (before) => withChanges(before, body, Date.now()));
      return { body: shownKey(key, lastUsed(keyId)) };
    },

    rotateKey: async ({ params: { keyId }, body }) => {
      const { key, secret } = await keys.rotate(keyId, body?.overlapSeconds ?? 0);
      return { body: { ...shownKey(key, lastUsed(keyId)), secret } satisfies schemas.IssuedKey };
    },

    deleteKey: async ({ params: { keyId } }) => {
      await keys.revoke(keyId);
      return { body: { acknowledged: true } };
    },
  };
}

/** The public part of a key, without its secrets. */
export function shownKey(key: KeyRecord, lastUsedAt: string | null): schemas.Key {
  const { id, kind, name, createdAt, expiresAt, secrets } = key;
  const now = Date.now();
  return {
    ...{ id, kind, name, createdAt, lastUsedAt, expiresAt },
    scope: key.kind === 'api' ? key.scope : null,
    prefix: secrets.at(-1)?.prefix ?? '',
    indexes: key.kind === 'api' && key.indexes !== null ? [...key.indexes] : null,
    filter: key.kind === 'api' ? (key.filter ?? null) : null,
    origins: key.origins === null ? null : [...key.origins],
    customerId: key.kind === 'tracking' ? key.customerId : null,
    allowsNoOrigin: key.kind === 'tracking' && key.allowsNoOrigin,
    overlapping: secrets.flatMap((one) =>
      one.expiresAt !== null && Date.parse(one.expiresAt) > now
        ? [{ prefix: one.prefix, expiresAt: one.expiresAt }]
        : [],
    ),
  };
}
