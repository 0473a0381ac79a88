import { PelorusError } from '@pelorus/contract';

/**
 * Refuses a bulk search, which older clients still send to `/indexes/bulk/search`: there is no such path, but to the
 * router it looks like the search of an index called `bulk`. Such an index is searched as any other.
 * @throws PelorusError `not_found`
 */
export function refuseBulkSearch(body: unknown, { indexName }: { readonly indexName?: string | undefined }): unknown {
  const isBulk = indexName === 'bulk' && typeof body === 'object' && body !== null && Object.hasOwn(body, 'queries');
  if (isBulk) throw new PelorusError('not_found', 'There is no bulk search. Send each query to the index it is for.');
  return body;
}
