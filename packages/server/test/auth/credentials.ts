import type { ApiKey, KeyStore } from '@pelorus/keys';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';

const base = { kind: 'api', indexes: null, origins: null, expiresAt: null } as const;

/** Keys of every state. */
export interface Secrets {
  readonly admin: string;
  readonly unscoped: string;
  readonly readWrite: string;
  readonly read: string;
  readonly tracking: string;
  readonly expired: string;
  readonly revoked: string;
  /** Rotated, with an overlap and without one. */
  readonly overlapping: string;
  readonly replaced: string;
  /** The secret of an admin key for another index alone. */
  readonly otherIndex: string;
}

/** The index that {@link Secrets.otherIndex} is for. */
export const OTHER_INDEX = 'other';

export async function makeKeys(keys: KeyStore): Promise<Secrets> {
  const make = (key: Partial<ApiKey>) => keys.create({ ...base, name: 'a key', scope: 'admin', ...key });
  const { secret: admin } = await make({});
  const { secret: unscoped } = await make({ scope: null });
  const { secret: readWrite } = await make({ scope: 'read_write' });
  const { secret: read } = await make({ scope: 'read' });
  const { secret: tracking } = await keys.create({
    ...{ kind: 'tracking', name: 'events', customerId: 'shop', origins: ['https://shop.example'] },
    ...{ allowsNoOrigin: true, expiresAt: null },
  });
  const { secret: expired } = await make({ expiresAt: new Date(Date.now() - 1000).toISOString() });
  const gone = await make({});
  await keys.revoke(gone.key.id);
  const overlapping = await make({});
  await keys.rotate(overlapping.key.id, 3600);
  const replaced = await make({});
  await keys.rotate(replaced.key.id, 0);
  const { secret: otherIndex } = await make({ indexes: [OTHER_INDEX] });
  return {
    ...{ admin, unscoped, readWrite, read, tracking, expired, otherIndex },
    ...{ revoked: gone.secret, overlapping: overlapping.secret, replaced: replaced.secret },
  };
}

let clients = 0;

/** Sends a request from an address of its own: what other tests do does not count. */
export function fromAnywhere(
  app: FastifyInstance,
  method: string,
  url: string,
  options: Pick<InjectOptions, 'headers' | 'payload' | 'remoteAddress'> = {},
): Promise<LightMyRequestResponse> {
  clients += 1;
  const remoteAddress = `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`;
  return app.inject({ remoteAddress, ...options, method: method as NonNullable<InjectOptions['method']>, url });
}
