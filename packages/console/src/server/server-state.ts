import type { types } from '@pelorus/client';
import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../store.js';
import { useLoad } from './load.js';
import { isAway } from './session.js';

/** The facts that a server tells of itself without a key. */
interface ServerFacts {
  readonly health: types.Health;
  /** The version of the program. */
  readonly version: string;
}

export interface ServerState {
  /** Undefined until it has told them; those that it told last while it is away. */
  readonly facts: ServerFacts | undefined;
  /** Tells that it does not answer, by the last request of any part of the page. */
  readonly isLost: boolean;
}

const EVERY_MS = 10_000;

/** Follows the state of the server: it is asked again and again, and at once when it stops or begins to answer. */
export function useServerState(): ServerState {
  const isQuiet = useStore(isAway);
  const { data, failure, reload } = useLoad(
    async (client, signal): Promise<ServerFacts> => {
      const greeting = await client.call<{ pelorus?: string }>('GET', '/', undefined, { signal });
      const health = await client.health({ signal });
      return { health, version: greeting.pelorus ?? '' };
    },
    [],
    EVERY_MS,
  );
  const known = useRef(isQuiet);
  useEffect(() => {
    if (known.current !== isQuiet) reload();
    known.current = isQuiet;
  }, [isQuiet]);
  return { facts: data, isLost: isQuiet || failure !== undefined };
}

/** All reasons for which a server is not well. */
export function reasonsOf({ backend, inference, ...parts }: types.Health): readonly string[] {
  const others = Object.values(parts).flatMap((part) =>
    typeof part === 'object' && 'reasons' in part ? (part.reasons ?? []) : [],
  );
  const indexes = backend.indexes?.map(({ indexName, reason }) => `${indexName}: ${reason}`) ?? [];
  return [...(inference.reasons ?? []), ...(backend.reasons ?? []), ...indexes, ...others];
}
