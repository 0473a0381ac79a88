import type { Pelorus } from '@pelorus/client';

/** The record of an index of the hosted form, as far as the console shows it. */
export interface HostedIndex {
  readonly indexName: string;
  readonly indexStatus: 'CREATING' | 'READY' | 'MODIFYING' | 'DELETING' | 'DELETED' | 'FAILED';
  readonly errorMsg?: string;
  readonly model: string;
  readonly storageClass: string;
  readonly inferenceType: string;
  readonly numberOfInferences: string | number;
  readonly 'docs.count': string | number;
  readonly 'store.size': string | number;
}

export const HOSTED_INDEXES = '/api/v2/indexes';

export async function hostedIndexes(client: Pelorus, signal: AbortSignal): Promise<readonly HostedIndex[]> {
  const { results } = await client.call<{ results: readonly HostedIndex[] }>('GET', HOSTED_INDEXES, undefined, {
    signal,
  });
  return results;
}

export function hostedIndex(client: Pelorus, name: string, signal: AbortSignal): Promise<HostedIndex> {
  return client.call<HostedIndex>('GET', `${HOSTED_INDEXES}/${encodeURIComponent(name)}`, undefined, { signal });
}
