import type { types } from '@pelorus/client';
import { type Loaded, useLoad } from '../server/load.js';

export interface ServerState {
  readonly health: types.Health;
  /** The version of the program. */
  readonly version: string;
}

const EVERY_MS = 10_000;

/** Loads, again and again, the facts that the server tells of itself without a key. */
export function useServerState(): Loaded<ServerState> {
  return useLoad(
    async (client, signal) => {
      const greeting = await client.call<{ pelorus?: string }>('GET', '/', undefined, { signal });
      const health = await client.health({ signal });
      return { health, version: greeting.pelorus ?? '' };
    },
    [],
    EVERY_MS,
  );
}

/** All reasons for which a server is not well. */
export function reasonsOf({ backend, inference, ...parts }: types.Health): readonly string[] {
  const others = Object.values(parts).flatMap((part) =>
    typeof part === 'object' && 'reasons' in part ? (part.reasons ?? []) : [],
  );
  const indexes = backend.indexes?.map(({ indexName, reason }) => `${indexName}: ${reason}`) ?? [];
  return [...(inference.reasons ?? []), ...(backend.reasons ?? []), ...indexes, ...others];
}
